//! The order in which Python lists the strings of a `set`, which shows in some of AMCT's texts.
//!
//! Python seeds its hashes anew in every run, so that order is not fixed unless `PYTHONHASHSEED` is. The order here is
//! that of `PYTHONHASHSEED=0`, the one that can be had again.

use std::collections::HashSet;

/// The distinct items in the order of `list(set(items))`.
pub fn set_order<'a>(items: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = HashSet::new();
    let mut table = Table::new(8);
    for item in items.into_iter().filter(|&item| seen.insert(item)) {
        table.insert(item, hash(item));
        // CPython keeps a set at most three fifths full and then makes room for four times its items.
        if table.used * 5 >= (table.slots.len() - 1) * 3 {
            let wanted = if table.used > 50_000 { table.used * 2 } else { table.used * 4 };
            let mut larger = Table::new((wanted + 1).next_power_of_two());
            table.slots.iter().flatten().for_each(|&(item, hash)| larger.insert(item, hash));
            table = larger;
        }
    }
    table.slots.into_iter().flatten().map(|(item, _)| item).collect()
}

/// The open addressing of CPython's sets.
struct Table<'a> {
    slots: Vec<Option<(&'a str, u64)>>,
    used: usize,
}

impl<'a> Table<'a> {
    fn new(size: usize) -> Self {
        Self { slots: vec![None; size.max(8)], used: 0 }
    }

    fn insert(&mut self, item: &'a str, hash: u64) {
        const LINEAR_PROBES: usize = 9;
        const PERTURB_SHIFT: u32 = 5;
        let mask = self.slots.len() - 1;
        let (mut at, mut perturb) = (hash as usize & mask, hash as usize);
        loop {
            let probes = if at + LINEAR_PROBES <= mask { LINEAR_PROBES } else { 0 };
            if let Some(free) = (at..=at + probes).find(|&slot| self.slots[slot].is_none()) {
                self.slots[free] = Some((item, hash));
                self.used += 1;
                return;
            }
            perturb >>= PERTURB_SHIFT;
            at = at.wrapping_mul(5).wrapping_add(1).wrapping_add(perturb) & mask;
        }
    }
}

/// `hash(str)`: SipHash-1-3 with a key of zeros over the characters in the narrowest of 1, 2 or 4 bytes that fits all.
fn hash(text: &str) -> u64 {
    let widest = text.chars().map(u32::from).max().unwrap_or(0);
    let width = match widest {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        _ => 4,
    };
    let bytes: Vec<u8> =
        text.chars().flat_map(|c| u32::from(c).to_le_bytes().into_iter().take(width)).collect();
    match (bytes.is_empty(), sip13(&bytes)) {
        (true, _) => 0,
        // -1 means failure inside CPython.
        (false, u64::MAX) => u64::MAX - 1,
        (false, hash) => hash,
    }
}

fn sip13(bytes: &[u8]) -> u64 {
    let mut v =
        [0x736f_6d65_7073_6575, 0x646f_7261_6e64_6f6d, 0x6c79_6765_6e65_7261, 0x7465_6462_7974_6573_u64];
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    };
    let chunks = bytes.chunks_exact(8);
    let last = word(chunks.remainder()) | (bytes.len() as u64) << 56;
    for block in chunks.map(word).chain([last]) {
        v[3] ^= block;
        sip_round(&mut v);
        v[0] ^= block;
    }
    v[2] ^= 0xff;
    (0..3).for_each(|_| sip_round(&mut v));
    v[0] ^ v[1] ^ v[2] ^ v[3]
}

fn sip_round(v: &mut [u64; 4]) {
    v[0] = v[0].wrapping_add(v[1]);
    v[1] = v[1].rotate_left(13) ^ v[0];
    v[0] = v[0].rotate_left(32);
    v[2] = v[2].wrapping_add(v[3]);
    v[3] = v[3].rotate_left(16) ^ v[2];
    v[0] = v[0].wrapping_add(v[3]);
    v[3] = v[3].rotate_left(21) ^ v[0];
    v[2] = v[2].wrapping_add(v[1]);
    v[1] = v[1].rotate_left(17) ^ v[2];
    v[2] = v[2].rotate_left(32);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_python_with_seed_zero() {
        assert_eq!(hash(""), 0x0000000000000000);
        assert_eq!(hash("a"), 0x407448d2b89b1813);
        assert_eq!(hash("conv1"), 0x1da769c8f103fdc4);
        assert_eq!(hash("层1"), 0x709508aaeb2ba56f);
        assert_eq!(hash("é"), 0x53ec5bc2a68870e3);
        assert_eq!(hash("😀x"), 0x841de3f101fc015a);
        assert_eq!(hash("abcdefgh"), 0x3f7b849c0b8e35ea);
        assert_eq!(hash("layer1.0.down_sample_layer.0"), 0x6f54d0bef31b1636);
    }

    #[test]
    fn order_is_that_of_python_with_seed_zero() {
        let checksum = |n: u64| {
            let items: Vec<_> = (0..n).map(|i| format!("l{i}")).collect();
            let order = set_order(items.iter().map(String::as_str));
            order.iter().zip(1..).map(|(item, at)| at * item[1..].parse::<u64>().unwrap()).sum::<u64>()
        };
        assert_eq!(
            set_order(["conv2", "layer1.0.down_sample_layer.0"]),
            ["conv2", "layer1.0.down_sample_layer.0"]
        );
        assert_eq!(set_order(["l0", "l1", "l2", "l3"]), ["l1", "l2", "l0", "l3"]);
        assert_eq!(
            set_order(["l0", "l1", "l2", "l3", "l4", "l5", "l6"]),
            ["l4", "l0", "l1", "l2", "l6", "l5", "l3"]
        );
        assert_eq!(checksum(40), 16021);
        assert_eq!(checksum(300), 6885252);
    }
}
