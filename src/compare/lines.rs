//! Lines that fit a screen.

/// `line` in lines of at most `width` characters, all but the first indented by `indent`. It is broken where a space is, which then
/// ends nothing; what is longer than a line, such as an expression without spaces, goes on in the next.
pub(super) fn broken(line: &str, indent: usize, width: usize) -> String {
    let is_control = |c: char| c.is_control() || c == '\u{2028}' || c == '\u{2029}';
    let mut rest: Vec<char> = line.chars().map(|c| if is_control(c) { ' ' } else { c }).collect();
    let mut lines = String::new();
    let mut begin = 0;
    while begin + rest.len() > width {
        let room = width - begin;
        // Spaces at the beginning are the line's own indentation.
        let first = rest.iter().position(|&c| c != ' ').unwrap_or(rest.len());
        let space = (first..=room).rev().find(|&place| rest.get(place) == Some(&' '));
        let end = space.unwrap_or(room);
        push(&mut lines, begin, &rest[..end]);
        let next = (end..rest.len()).find(|&place| rest[place] != ' ').unwrap_or(rest.len());
        rest.drain(..next);
        begin = indent;
    }
    if begin == 0 || !rest.is_empty() {
        push(&mut lines, begin, &rest);
    }
    lines
}

fn push(lines: &mut String, begin: usize, text: &[char]) {
    let text: String = text.iter().collect();
    *lines += &format!("{:begin$}{}\n", "", text.trim_end());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_is_broken_at_spaces_and_otherwise_where_it_has_to_be() {
        assert_eq!(broken("short", 2, 10), "short\n");
        assert_eq!(broken("", 2, 10), "\n");
        assert_eq!(broken("  - one two three", 4, 10), "  - one\n    two\n    three\n");
        assert_eq!(broken("  abcdefghijklmno", 4, 10), "  abcdefgh\n    ijklmn\n    o\n");
        assert_eq!(broken("a\tb\nc", 4, 10), "a b c\n");
    }

    proptest! {
        #[test]
        fn every_line_fits_and_nothing_but_spaces_is_lost(line in "[ a-e\u{e9}]{0,60}", width in 8..20_usize) {
            let lines = broken(&line, 3, width);
            prop_assert!(lines.lines().all(|line| line.chars().count() <= width), "{lines:?}");
            let solid = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(solid(&lines), solid(&line));
        }
    }
}
