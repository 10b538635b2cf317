//! Durations and sizes as users write them: `5s`, `500 ms`, `2 GiB`.

use std::str::FromStr;
use std::time::Duration;

/// Units of time, in milliseconds.
const TIMES: [(&str, u64); 4] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)];
/// Units of size, in bytes.
const SIZES: [(&str, u64); 4] = [("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];

/// Units of the size of a text, in bytes.
const TEXT_SIZES: [(&str, u64); 5] =
    [("B", 1), ("kB", 1000), ("MB", 1_000_000), ("KiB", 1 << 10), ("MiB", 1 << 20)];

/// The size of a text as it is written, such as `20kB`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextSize {
    /// The number of bytes, which is not 0.
    pub bytes: u64,
    /// The number and the unit, without space between.
    written: String,
}

impl TextSize {
    /// What a bug is called whose failing input has this size.
    pub fn name(&self, bug: &str) -> String {
        format!("{bug}@{}", self.written)
    }
}

impl FromStr for TextSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bytes = quantity(text, &TEXT_SIZES).filter(|&bytes| bytes > 0);
        let bytes = bytes
            .ok_or("the size of an input is a whole number and B, kB, MB, KiB or MiB, such as `20kB`")?;
        Ok(Self { bytes, written: text.split_whitespace().collect() })
    }
}

/// Reads a duration of more than nothing.
///
/// # Errors
/// What would be right.
pub fn duration(text: &str) -> Result<Duration, String> {
    let milliseconds = quantity(text, &TIMES)
        .filter(|&milliseconds| milliseconds > 0)
        .ok_or("a duration is a whole number and ms, s, m or h, such as `5s`")?;
    Ok(Duration::from_millis(milliseconds))
}

/// Reads a size.
///
/// # Errors
/// What would be right.
pub fn size(text: &str) -> Result<u64, String> {
    quantity(text, &SIZES)
        .ok_or_else(|| "a size is a whole number and B, KiB, MiB or GiB, such as `2 GiB`".into())
}

fn quantity(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let &(_, factor) = units.iter().find(|&&(name, _)| name == unit.trim_start())?;
    number.parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_a_number_and_a_unit() {
        assert_eq!(duration("5s"), Ok(Duration::from_secs(5)));
        assert_eq!(duration("500 ms"), Ok(Duration::from_millis(500)));
        assert_eq!(size("2 GiB"), Ok(2 << 30));
        assert_eq!(size("0B"), Ok(0));
        for wrong in
            ["", "5", "s", "0s", "-1s", "1.5s", "5 sec", "99999999999999999999s", "18446744073709551615h"]
        {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        assert!(size("2 GB").is_err());
        let inflated = |text: &str| text.parse::<TextSize>().map(|size| (size.bytes, size.name("bug")));
        assert_eq!(inflated("20 kB"), Ok((20_000, "bug@20kB".to_owned())));
        assert_eq!(inflated("4MB"), Ok((4_000_000, "bug@4MB".to_owned())));
        assert!(["0kB", "20k", "20 KB", ""].iter().all(|wrong| inflated(wrong).is_err()));
    }
}
