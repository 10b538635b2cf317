//! Numbers and times as a reader wants them.

use std::time::Duration;

/// A number in groups of three digits, which a line does not break.
pub fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 2);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// `one` or `many`, with their number.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", number(count as u64), if count == 1 { one } else { many })
}

/// A time as a person says it.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        ..1.0 => format!("{:.0} ms", 1000.0 * seconds),
        ..100.0 => format!("{seconds:.1} s"),
        ..6000.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_groups() {
        let plain = |count| number(count).replace('\u{202f}', " ");
        assert_eq!([0, 12, 999, 1000, 1_234_567].map(plain), ["0", "12", "999", "1 000", "1 234 567"]);
        assert_eq!((counted(1, "bug", "bugs"), counted(2, "bug", "bugs")), ("1 bug".into(), "2 bugs".into()));
    }

    #[test]
    fn times_have_the_unit_that_fits() {
        let text = |seconds| duration(Duration::from_secs_f64(seconds));
        assert_eq!([0.0123, 2.0, 600.0, 36_000.0].map(text), ["12 ms", "2.0 s", "10 min", "10.0 h"]);
    }
}
