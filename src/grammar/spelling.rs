//! How names and literals are spelled in the project's notation, in both directions.
//!
//! Shared by all that reads or writes the notation: grammars, and patterns with them.

use std::fmt::Write as _;

use super::model::{Grammar, Name, RuleId, Symbol};

/// Why a text is no name. Fits "a name cannot ...".
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// There is nothing between the brackets.
    #[error("be empty")]
    Empty,
    /// A name has no space at its ends: the first space separates the condition.
    #[error("begin or end with a space")]
    Space,
    /// A character that is needed elsewhere.
    #[error("hold `<`, `>`, a double quote or a line break")]
    Character,
}

/// The name that is written as `text` between angle brackets: the base name up to the first space,
/// and the condition after it.
///
/// # Errors
/// When no name is written like that.
pub fn name(text: &str) -> Result<Name, NameError> {
    if text.is_empty() {
        return Err(NameError::Empty);
    }
    if text.starts_with(' ') || text.ends_with(' ') {
        return Err(NameError::Space);
    }
    if text.contains(['<', '>', '"', '\n']) {
        return Err(NameError::Character);
    }
    Ok(match text.split_once(' ') {
        Some((base, condition)) => Name::specialized(base, condition),
        None => Name::base(text),
    })
}

/// What an escape stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    /// One byte, whatever it is part of.
    Byte(u8),
    /// One character, as UTF-8.
    Character(char),
}

/// An escape that means nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EscapeError {
    /// How many bytes of the text it takes up.
    pub length: usize,
    /// What would be right.
    pub help: &'static str,
}

/// Reads the escape at the beginning of `text`, which begins with a backslash; says how many bytes
/// long it is. Characters in `special` stand for themselves when escaped.
///
/// # Errors
/// When it is no escape.
pub fn escape(text: &str, special: &str) -> Result<(Escape, usize), EscapeError> {
    let mut rest = text.chars();
    rest.next();
    let Some(letter) = rest.next().filter(|&c| c != '\n') else {
        return Err(EscapeError { length: 1, help: "write `\\\\` for a backslash" });
    };
    let simple = |c| Ok((Escape::Character(c), 1 + letter.len_utf8()));
    match letter {
        'n' => simple('\n'),
        't' => simple('\t'),
        'r' => simple('\r'),
        '0' => simple('\0'),
        '\\' | '"' | '\'' => simple(letter),
        'x' => {
            let digits = rest.as_str().bytes().take(2).take_while(u8::is_ascii_hexdigit).count();
            match u8::from_str_radix(&rest.as_str()[..digits], 16) {
                Ok(byte) if digits == 2 => Ok((Escape::Byte(byte), 4)),
                _ => Err(EscapeError {
                    length: 2 + digits,
                    help: "`\\x` takes two hexadecimal digits, as in `\\x7f`",
                }),
            }
        }
        'u' => {
            let digits = rest.as_str().strip_prefix('{').and_then(|rest| rest.split_once('}'));
            let character = digits
                .filter(|(digits, _)| digits.len() <= 8 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
                .and_then(|(digits, _)| {
                    Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, digits.len()))
                });
            match character {
                Some((character, digits)) => Ok((Escape::Character(character), 4 + digits)),
                None => Err(EscapeError {
                    length: 2,
                    help: "`\\u` takes the number of a character in braces, as in `\\u{e9}`",
                }),
            }
        }
        _ if special.contains(letter) => simple(letter),
        _ => Err(EscapeError {
            length: 1 + letter.len_utf8(),
            help: "the escapes are \\n \\t \\r \\0 \\\\ \\\" \\' \\xHH \\u{H}; a backslash is `\\\\`",
        }),
    }
}

/// A rule in the project's notation.
pub fn rule(grammar: &Grammar, id: RuleId) -> String {
    let rule = grammar.rule(id);
    let mut text = format!("{} ::=", grammar.name(rule.lhs));
    for &symbol in &rule.symbols {
        text.push(' ');
        text += &match symbol {
            Symbol::Literal(bytes) => literal(grammar.literal(bytes)),
            Symbol::Class(class) => grammar.class(class).to_string(),
            Symbol::Nonterminal(nonterminal) => grammar.name(nonterminal).to_string(),
        };
    }
    text
}

/// These bytes as a literal, with its quotes: double ones unless single ones save escapes.
pub fn literal(bytes: &[u8]) -> String {
    let quote = if bytes.contains(&b'"') && !bytes.contains(&b'\'') { '\'' } else { '"' };
    let mut text = String::from(quote);
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' => text.push_str("\\n"),
                '\t' => text.push_str("\\t"),
                '\r' => text.push_str("\\r"),
                '\0' => text.push_str("\\0"),
                '\\' => text.push_str("\\\\"),
                c if c == quote => {
                    text.push('\\');
                    text.push(c);
                }
                c if c.is_ascii_graphic() || c == ' ' || c.is_alphanumeric() => text.push(c),
                c if c.is_ascii() => push(&mut text, format_args!("\\x{:02x}", u32::from(c))),
                c => push(&mut text, format_args!("\\u{{{:x}}}", u32::from(c))),
            }
        }
        for byte in chunk.invalid() {
            push(&mut text, format_args!("\\x{byte:02x}"));
        }
    }
    text.push(quote);
    text
}

/// A character as it is shown in a message.
pub(super) fn shown(c: char) -> String {
    if matches!(c, '"' | '\'') { c.to_string() } else { c.escape_debug().to_string() }
}

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("writing to a string does not fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_split_at_its_first_space() {
        assert_eq!(name("item"), Ok(Name::base("item")));
        assert_eq!(name("item E & !N"), Ok(Name::specialized("item", "E & !N")));
        assert_eq!(name(""), Err(NameError::Empty));
        assert_eq!(name(" item"), Err(NameError::Space));
        assert_eq!(name("item "), Err(NameError::Space));
        assert_eq!(name("it\"em"), Err(NameError::Character));
    }

    #[test]
    fn a_literal_is_written_as_a_person_would() {
        assert_eq!(literal(b""), "\"\"");
        assert_eq!(literal(b"it's\n"), "\"it's\\n\"");
        assert_eq!(literal(b"say \"x\""), "'say \"x\"'");
        assert_eq!(literal(b"'\"\\"), "\"'\\\"\\\\\"");
        assert_eq!(literal("é\u{200b}\u{7}".as_bytes()), "\"é\\u{200b}\\x07\"");
        assert_eq!(literal(b"a\xff\xc3"), "\"a\\xff\\xc3\"");
    }

    #[test]
    fn an_escape_says_how_long_it_is() {
        assert_eq!(escape("\\n..", ""), Ok((Escape::Character('\n'), 2)));
        assert_eq!(escape("\\x7fab", ""), Ok((Escape::Byte(0x7f), 4)));
        assert_eq!(escape("\\u{e9}x", ""), Ok((Escape::Character('é'), 6)));
        assert_eq!(escape("\\]", "]"), Ok((Escape::Character(']'), 2)));
        for (wrong, length) in [
            ("\\", 1),
            ("\\]", 2),
            ("\\é", 3),
            ("\\x7", 3),
            ("\\xé", 2),
            ("\\u{d800}", 2),
            ("\\u{}", 2),
            ("\\u", 2),
        ] {
            assert_eq!(escape(wrong, "").expect_err(wrong).length, length, "{wrong}");
        }
    }
}
