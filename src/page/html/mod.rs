//! The page: one file without anything to load, readable without its script.
//!
//! - [`document`]: the whole, its head, and how to read it;
//! - [`overview`]: the totals; [`tables`]: the tables; [`charts`]: reductions, grammars, checks; [`cost`]: executions and
//!   time; [`bugs`]: each bug with its inputs; [`troubles`]: what went wrong; [`origin`]: what it was made from.
//!
//! All text comes through the templates, which escape it.

mod bugs;
mod charts;
mod cost;
mod document;
mod figures;
mod origin;
mod overview;
mod tables;
mod troubles;

pub use document::page;

/// The style of the page.
pub const STYLE: &str = include_str!("style.css");
/// Its script, which makes commands easier to copy; nothing depends on it.
pub const SCRIPT: &str = include_str!("script.js");

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

/// The id of the part about the bug at `place`.
pub fn bug_id(place: usize) -> String {
    format!("bug-{}", place + 1)
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_are_in_groups() {
        let plain = |number| super::number(number).replace('\u{202f}', " ");
        assert_eq!([0, 12, 999, 1000, 1_234_567].map(plain), ["0", "12", "999", "1 000", "1 234 567"]);
    }
}
