//! Integers and floating point numbers.

use super::Refusal;

/// A floating point number, and what should be known about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Float {
    /// Its value.
    pub value: f64,
    /// True when a finite number was written that is too big for a double.
    pub is_overflow: bool,
}

/// The zeros of Unicode's decimal digits as Python 3.11 knows them: the nine code points behind each are 1 to 9.
const ZEROS: [u32; 66] = [
    0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50,
    0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40,
    0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10, 0x104a0, 0x10d30, 0x11066,
    0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0, 0x11730, 0x118e0, 0x11950,
    0x11c50, 0x11d50, 0x11da0, 0x16a60, 0x16ac0, 0x16b50, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6,
    0x1e140, 0x1e2f0, 0x1e950, 0x1fbf0,
];

/// Decimal digits of all scripts as ASCII, everything else as it is.
fn ascii_digits(text: &str) -> String {
    let digit = |c: char| {
        let code = u32::from(c);
        let below = ZEROS.partition_point(|&zero| zero <= code);
        let value = code - ZEROS[below.checked_sub(1)?];
        (value < 10).then(|| char::from(b'0' + value as u8))
    };
    text.chars().map(|c| digit(c).unwrap_or(c)).collect()
}

/// Reads the value of an integer field: as [`plain_integer`], and `0` with digits behind it means octal.
pub fn integer(text: &str) -> Result<Integer, Refusal> {
    read_integer(text, true)
}

/// Reads an integer as Python's `int(text, 0)` does: the number of an enum value. Any size can be read; whether it fits
/// is asked with [`Integer::within`].
pub fn plain_integer(text: &str) -> Result<Integer, Refusal> {
    read_integer(text, false)
}

fn read_integer(text: &str, with_c_octals: bool) -> Result<Integer, Refusal> {
    let refused = || Refusal(format!("Couldn't parse integer: {text}"));
    let plain = ascii_digits(text);
    let (is_negative, digits) = match plain.as_bytes().first() {
        Some(b'-') => (true, &plain[1..]),
        Some(b'+') => (false, &plain[1..]),
        _ => (false, &plain[..]),
    };
    let lower = digits.to_ascii_lowercase();
    let is_c_octal = with_c_octals
        && !plain.starts_with('+')
        && lower.len() > 1
        && lower.starts_with('0')
        && lower.bytes().all(|byte| byte.is_ascii_digit());
    let (radix, digits) = match lower.get(..2) {
        _ if is_c_octal => (8, &lower[1..]),
        Some("0x") => (16, lower[2..].strip_prefix('_').unwrap_or(&lower[2..])),
        Some("0o") => (8, lower[2..].strip_prefix('_').unwrap_or(&lower[2..])),
        Some("0b") => (2, lower[2..].strip_prefix('_').unwrap_or(&lower[2..])),
        _ => (10, &lower[..]),
    };
    let digits = without_underscores(digits).ok_or_else(refused)?;
    if digits.is_empty() || !digits.bytes().all(|digit| char::from(digit).is_digit(radix)) {
        return Err(refused());
    }
    let significant = digits.trim_start_matches('0');
    if radix == 10 && digits.len() > 1 && digits.starts_with('0') && !significant.is_empty() {
        return Err(refused());
    }
    let magnitude = if significant.is_empty() { Ok(0) } else { u128::from_str_radix(significant, radix) };
    Ok(Integer { is_negative, magnitude: magnitude.ok(), text: decimal(significant, radix, is_negative) })
}

/// An integer of any size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Integer {
    is_negative: bool,
    /// `None` beyond 128 bits.
    magnitude: Option<u128>,
    /// As Python prints it.
    text: String,
}

impl Integer {
    /// The value, if it is at least `min` and at most `max`; else Python's refusal.
    pub fn within(&self, min: i128, max: i128) -> Result<i128, Refusal> {
        let magnitude = self.magnitude.and_then(|magnitude| i128::try_from(magnitude).ok());
        let value = magnitude.map(|magnitude| if self.is_negative { -magnitude } else { magnitude });
        match value {
            Some(value) if (min..=max).contains(&value) => Ok(value),
            _ => Err(Refusal(format!("Value out of range: {}", self.text))),
        }
    }

    /// As Python prints it.
    pub fn python_text(&self) -> &str {
        &self.text
    }
}

/// The digits of a number in base 10. Long division by hand, as numbers of any length can be written.
fn decimal(digits: &str, radix: u32, is_negative: bool) -> String {
    // Groups of nine decimal digits, the least significant first. Texts beyond any sense are cut to bound the time.
    const GROUP: u64 = 1_000_000_000;
    let mut groups: Vec<u64> = vec![0];
    if radix == 10 {
        let text = if digits.is_empty() { "0" } else { digits };
        return if is_negative && text != "0" { format!("-{text}") } else { text.to_owned() };
    }
    for digit in digits.chars().take(4096).filter_map(|c| c.to_digit(radix)) {
        let mut carry = u64::from(digit);
        for group in &mut groups {
            let value = *group * u64::from(radix) + carry;
            (*group, carry) = (value % GROUP, value / GROUP);
        }
        if carry > 0 {
            groups.push(carry);
        }
    }
    let mut text = groups.pop().unwrap_or_default().to_string();
    groups.iter().rev().for_each(|group| text.push_str(&format!("{group:09}")));
    if is_negative && text != "0" { format!("-{text}") } else { text }
}

/// Takes out underscores that stand between digits; `None` for any other underscore.
fn without_underscores(digits: &str) -> Option<String> {
    let bytes = digits.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let stands_well = |at: usize| at > 0 && is_digit(at - 1) && is_digit(at + 1);
    let bad = bytes.iter().enumerate().any(|(at, &byte)| byte == b'_' && !stands_well(at));
    (!bad).then(|| digits.replace('_', ""))
}

/// Reads a floating point number: what Python's `float` takes, with any run of `f` behind it.
pub fn float(text: &str) -> Result<Float, Refusal> {
    let unsigned = text.strip_prefix('-').unwrap_or(text).as_bytes();
    if unsigned.first() == Some(&b'0') && unsigned.get(1).is_some_and(u8::is_ascii_digit) {
        return Err(Refusal(format!("Invalid octal float: {text}")));
    }
    let lower = ascii_digits(text).to_ascii_lowercase();
    let is_infinity = matches!(lower.strip_prefix('-').unwrap_or(&lower), "inff" | "infinityf");
    let value = if is_infinity {
        Some(if lower.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY })
    } else if lower == "nanf" {
        Some(f64::NAN)
    } else {
        python_float(&lower).or_else(|| python_float(lower.trim_end_matches('f')))
    };
    let value = value.ok_or_else(|| Refusal(format!("Couldn't parse float: {text}")))?;
    Ok(Float { value, is_overflow: value.is_infinite() && !lower.contains("inf") })
}

/// `float(text)` for a lower-case text with ASCII digits.
fn python_float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    match unsigned {
        "inf" | "infinity" => return Some(sign * f64::INFINITY),
        "nan" => return Some(f64::NAN),
        _ => {}
    }
    let (mantissa, exponent) = match unsigned.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| match without_underscores(text) {
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Some(digits),
        _ => None,
    };
    let (whole, fraction) = (digits(whole)?, digits(fraction)?);
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let exponent = match exponent {
        None => String::from("0"),
        Some(exponent) => {
            let unsigned = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
            let digits = digits(unsigned).filter(|digits| !digits.is_empty())?;
            format!("{}{digits}", if exponent.starts_with('-') { "-" } else { "" })
        }
    };
    format!("{whole}.{fraction}e{exponent}").parse::<f64>().ok().map(|value| sign * value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str) -> Option<i128> {
        integer(text).ok().map(|integer| integer.within(i128::MIN, i128::MAX).unwrap())
    }

    #[test]
    fn integers_are_those_of_python_with_c_octals() {
        for (text, value) in [
            ("0", 0),
            ("-0", 0),
            ("+7", 7),
            ("017", 15),
            ("-017", -15),
            ("00", 0),
            ("0o17", 15),
            ("0b11", 3),
            ("0x1F", 31),
            ("0x_1f", 31),
            ("1_000", 1000),
            ("0_0", 0),
            ("１", 1),
        ] {
            assert_eq!(int(text), Some(value), "{text}");
        }
        for text in [
            "018", "08", "+017", "0_7", "1_", "_1", "1__0", "1.0", "1e3", "1f", "", "-", "0x", "0x__1", "1-1",
        ] {
            assert_eq!(int(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_out_of_range_are_named_in_full() {
        let text = |text: &str| integer(text).unwrap().within(0, 1).unwrap_err().0;
        assert_eq!(text("0x10000000000000000"), "Value out of range: 18446744073709551616");
        assert_eq!(text("-5"), "Value out of range: -5");
        assert_eq!(
            text("99999999999999999999999999999999999999999999"),
            "Value out of range: 99999999999999999999999999999999999999999999"
        );
    }

    #[test]
    fn floats_are_those_of_python_with_a_run_of_f() {
        for (text, value) in [
            ("6", 6.0),
            ("1.", 1.0),
            (".5", 0.5),
            ("-.5", -0.5),
            ("+1.0", 1.0),
            ("1E+3", 1000.0),
            ("1.e3", 1000.0),
            ("1.0f", 1.0),
            ("1fF", 1.0),
            ("1_000.5", 1000.5),
            ("0_1", 1.0),
            ("+01.5", 1.5),
            ("６", 6.0),
            ("inf", f64::INFINITY),
            ("-INFINITY", f64::NEG_INFINITY),
            ("inff", f64::INFINITY),
            ("infinityff", f64::INFINITY),
        ] {
            assert_eq!(float(text).unwrap().value, value, "{text}");
        }
        for text in [
            ".", "-", "--1", "1e", "1e+", "f", "1d", "1.0L", "0x10", "01", "00", "-01", "1__0", "_1",
            "infFf", "", "1_", "1_.5", "1._5",
        ] {
            assert!(float(text).is_err(), "{text}");
        }
        assert!(float("1e999").unwrap().is_overflow);
        assert!(float("nanff").unwrap().value.is_nan());
    }
}
