//! What a client believes: the text after its edits.

/// Small numbers that look random and are the same in every run.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// The text as the client has it: lines of UTF-16 code units.
pub struct Model(Vec<Vec<u16>>);

impl Model {
    pub fn new(text: &str) -> Self {
        Self(text.split('\n').map(|line| line.encode_utf16().collect()).collect())
    }

    /// A range to replace. Deleting from near to near keeps the text growing.
    pub fn range(&self, dice: &mut Dice) -> [usize; 4] {
        let (a, b) = (self.place(dice), self.place(dice));
        let b = if b[0].abs_diff(a[0]) > 1 { a } else { b };
        let (a, b) = (a.min(b), a.max(b));
        [a[0], a[1], b[0], b[1]]
    }

    pub fn text(&self) -> String {
        let lines: Vec<_> = self.0.iter().map(|line| String::from_utf16(line).unwrap()).collect();
        lines.join("\n")
    }

    pub fn replace(&mut self, [line, character, end_line, end_character]: [usize; 4], text: &str) {
        let mut whole = self.0[line][..character].to_vec();
        whole.extend(text.encode_utf16());
        whole.extend(&self.0[end_line][end_character..]);
        let lines = whole.split(|&unit| unit == u16::from(b'\n')).map(<[u16]>::to_vec);
        self.0.splice(line..=end_line, lines);
    }

    /// Somewhere, but not inside a surrogate pair.
    pub fn place(&self, dice: &mut Dice) -> [usize; 2] {
        let line = dice.roll(self.0.len());
        let mut character = dice.roll(self.0[line].len() + 1);
        if self.0[line].get(character).is_some_and(|unit| (0xdc00..0xe000).contains(unit)) {
            character -= 1;
        }
        [line, character]
    }
}
