//! Which values of a field make sense, as the comment in the .proto file says: a line `@enforced (0, 1]` or
//! `@advised {6, 7, 8}`. Intervals are written as in mathematics; `inf` is no bound. Whether a finding is due is for
//! others to say.

use std::fmt;

/// Which values of a field make sense.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// The values.
    pub values: Values,
    /// Who minds others.
    pub enforcement: Enforcement,
}

/// Who minds a value that makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enforcement {
    /// AMCT raises: always for a field of the root, else as soon as a layer uses the block.
    Amct,
    /// AMCT is not known to; the documentation or the meaning of the field rules it out.
    Nobody,
}

/// A set of numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// These alone.
    OneOf(Vec<i64>),
    /// All between two bounds.
    Between(Bound, Bound),
}

/// An end of an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// The number belongs to it.
    Closed(f64),
    /// It does not.
    Open(f64),
    /// There is none.
    None,
}

impl Limits {
    /// The limits that a comment states.
    pub fn of_comment(comment: &str) -> Option<Self> {
        comment.lines().find_map(|line| {
            let (keyword, values) = line.trim().strip_prefix('@')?.split_once(' ')?;
            let enforcement = match keyword {
                "enforced" => Enforcement::Amct,
                "advised" => Enforcement::Nobody,
                _ => return None,
            };
            Some(Self { values: Values::parse(values.trim())?, enforcement })
        })
    }
}

/// True for a line of a comment that is not meant for readers.
pub(super) fn is_annotation(line: &str) -> bool {
    line.trim_start().starts_with('@')
}

impl Values {
    fn parse(text: &str) -> Option<Self> {
        if let Some(inner) = text.strip_prefix('{') {
            let values = inner.strip_suffix('}')?.split(',').map(|value| value.trim().parse().ok());
            return values.collect::<Option<_>>().map(Self::OneOf);
        }
        let low_is_closed = text.starts_with('[');
        let high_is_closed = text.ends_with(']');
        let (low, high) = text.strip_prefix(['[', '('])?.strip_suffix([']', ')'])?.split_once(',')?;
        let bound = |text: &str, is_closed| match text.trim() {
            "inf" | "-inf" => Some(Bound::None),
            number if is_closed => number.parse().ok().map(Bound::Closed),
            number => number.parse().ok().map(Bound::Open),
        };
        Some(Self::Between(bound(low, low_is_closed)?, bound(high, high_is_closed)?))
    }

    /// Whether a number belongs to the set. NaN does: AMCT refuses what is beyond a bound, and NaN never is.
    pub fn contains(&self, value: f64) -> bool {
        match self {
            Self::OneOf(values) => values.iter().any(|&one| one as f64 == value) || value.is_nan(),
            Self::Between(low, high) => {
                let is_below = match *low {
                    Bound::Closed(low) => value < low,
                    Bound::Open(low) => value <= low,
                    Bound::None => false,
                };
                let is_above = match *high {
                    Bound::Closed(high) => value > high,
                    Bound::Open(high) => value >= high,
                    Bound::None => false,
                };
                !is_below && !is_above
            }
        }
    }
}

/// As short as it can be read in any language: `> 0`, `>= 1`, `(0, 1]`, `6, 7, 8`.
impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneOf(values) => {
                f.write_str(&values.iter().map(i64::to_string).collect::<Vec<_>>().join(", "))
            }
            Self::Between(Bound::Open(low), Bound::None) => write!(f, "> {low}"),
            Self::Between(Bound::Closed(low), Bound::None) => write!(f, ">= {low}"),
            Self::Between(Bound::None, Bound::Open(high)) => write!(f, "< {high}"),
            Self::Between(Bound::None, Bound::Closed(high)) => write!(f, "<= {high}"),
            Self::Between(low, high) => {
                match low {
                    Bound::Closed(low) => write!(f, "[{low}, ")?,
                    Bound::Open(low) => write!(f, "({low}, ")?,
                    Bound::None => f.write_str("(-inf, ")?,
                }
                match high {
                    Bound::Closed(high) => write!(f, "{high}]"),
                    Bound::Open(high) => write!(f, "{high})"),
                    Bound::None => f.write_str("inf)"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(comment: &str, expected: Expect) {
        let shown = Limits::of_comment(comment).map(|limits| {
            let inside = [-1.0, 0.0, 0.5, 1.0, 2.0, f64::INFINITY].map(|value| limits.values.contains(value));
            format!("{} ({:?}): {inside:?}", limits.values, limits.enforcement)
        });
        expected.assert_eq(&shown.unwrap_or_default());
    }

    #[test]
    fn limits_are_intervals_or_sets() {
        check(
            "What it means.\n\n@enforced (0, 1]\n",
            expect!["(0, 1] (Amct): [false, false, true, true, false, false]"],
        );
        check("@enforced (0, inf)", expect!["> 0 (Amct): [false, false, true, true, true, true]"]);
        check("@enforced (-inf, 0)", expect!["< 0 (Amct): [true, false, false, false, false, false]"]);
        check("@advised [0.5, inf)", expect![">= 0.5 (Nobody): [false, false, true, true, true, true]"]);
        check("@advised {-1, 2}", expect!["-1, 2 (Nobody): [true, false, false, false, true, false]"]);
    }

    #[test]
    fn what_is_no_annotation_states_no_limits() {
        for comment in ["", "enforced (0, 1)", "@since 3", "@enforced", "@enforced (0; 1)", "@enforced {a}"] {
            check(comment, expect![""]);
        }
    }
}
