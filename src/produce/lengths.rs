//! How long inputs are to be.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// A range of lengths in bytes. Written `30` or `0..40`; both ends belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Lengths {
    /// The shortest.
    pub least: usize,
    /// The longest, not below the shortest.
    pub most: usize,
}

impl Lengths {
    /// The longest length that can be asked for: what is counted grows with its square.
    pub const MOST: usize = 10_000;

    /// Whether a length is one of them.
    pub fn contains(&self, length: usize) -> bool {
        (self.least..=self.most).contains(&length)
    }
}

impl fmt::Display for Lengths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.least == self.most {
            write!(f, "{}", self.least)
        } else {
            write!(f, "{}..{}", self.least, self.most)
        }
    }
}

impl FromStr for Lengths {
    type Err = LengthError;

    fn from_str(text: &str) -> Result<Self, LengthError> {
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| LengthError::Form);
        let (least, most) = match text.split_once("..") {
            Some((least, most)) => (number(least)?, number(most.strip_prefix('=').unwrap_or(most))?),
            None => (number(text)?, number(text)?),
        };
        if least > most {
            return Err(LengthError::Order);
        }
        if most > Self::MOST {
            return Err(LengthError::Large);
        }
        Ok(Self { least, most })
    }
}

/// What is wrong with a range of lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LengthError {
    /// It is no number and no range.
    #[error("a length is a number, such as `30`, or a range, such as `0..40`")]
    Form,
    /// It is empty.
    #[error("the range is empty: its first number is greater than its last")]
    Order,
    /// It is out of reach.
    #[error("lengths above {} are out of reach", Lengths::MOST)]
    Large,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_numbers_or_ranges_with_both_ends() {
        let read = |text: &str| text.parse::<Lengths>();
        assert_eq!(read("30"), Ok(Lengths { least: 30, most: 30 }));
        assert_eq!(read("0..40"), Ok(Lengths { least: 0, most: 40 }));
        assert_eq!(read("0..=40"), read("0..40"));
        assert_eq!(read("3..40").map(|lengths| lengths.to_string()), Ok("3..40".to_owned()));
        assert_eq!(read("4..3"), Err(LengthError::Order));
        assert_eq!(read("0..10001"), Err(LengthError::Large));
        for wrong in ["", "..", "3..", "..4", "-1", "1-4", "1..2..3", "99999999999999999999999"] {
            assert_eq!(read(wrong), Err(LengthError::Form), "{wrong}");
        }
    }
}
