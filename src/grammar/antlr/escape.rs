//! Escapes in literals and sets, and the Unicode properties that sets may name.
//!
//! The properties are those of Unicode that `regex_syntax` knows, by their short and long names.

use regex_syntax::hir::{Class, HirKind, Literal};

use super::super::class::CharClass;

/// What an escape stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Escape {
    Character(char),
    /// Half of a surrogate pair, which is no character.
    Surrogate(u32),
    /// `\p{...}`
    Class(CharClass),
}

/// An escape that means nothing: how many bytes it takes up, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EscapeError {
    pub length: usize,
    pub help: String,
}

const HELP: &str =
    "the escapes are \\n \\r \\t \\b \\f \\\\ \\' \\uXXXX \\u{X}, and in sets \\] \\- \\p{Property}";

/// Reads the escape at the beginning of `text`, which begins with a backslash; says how many bytes long
/// it is.
pub(super) fn escape(text: &str, in_set: bool) -> Result<(Escape, usize), EscapeError> {
    let error = |length: usize, help: &str| Err(EscapeError { length, help: help.to_owned() });
    let Some(letter) = text[1..].chars().next().filter(|&c| c != '\n' && c != '\r') else {
        return error(1, "write `\\\\` for a backslash");
    };
    let simple = |c| Ok((Escape::Character(c), 1 + letter.len_utf8()));
    match letter {
        'n' => simple('\n'),
        'r' => simple('\r'),
        't' => simple('\t'),
        'b' => simple('\u{8}'),
        'f' => simple('\u{c}'),
        '\\' | '\'' | '"' => simple(letter),
        ']' | '-' | '[' | '^' if in_set => simple(letter),
        'u' => {
            let (digits, length) = match text[2..].strip_prefix('{') {
                Some(rest) => match rest.find('}') {
                    Some(end) => (&rest[..end], 4 + end),
                    None => return error(2, "this `\\u{` has no closing `}`"),
                },
                None => {
                    let digits = text[2..].bytes().take(4).take_while(u8::is_ascii_hexdigit).count();
                    if digits < 4 {
                        return error(2 + digits, "`\\u` takes four hexadecimal digits, or `\\u{...}`");
                    }
                    (&text[2..6], 6)
                }
            };
            let is_number = (1..=6).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
            match u32::from_str_radix(digits, 16).ok().filter(|_| is_number) {
                Some(half @ 0xd800..=0xdfff) => Ok((Escape::Surrogate(half), length)),
                Some(number) => match char::from_u32(number) {
                    Some(c) => Ok((Escape::Character(c), length)),
                    None => error(length, "no character has this number"),
                },
                None => error(length, "between the braces stand one to six hexadecimal digits"),
            }
        }
        'p' | 'P' if in_set => {
            let name = text[2..].strip_prefix('{').and_then(|rest| rest.find('}').map(|end| &rest[..end]));
            let Some(name) = name else {
                return error(2, "a property stands in braces, as in `\\p{Lu}`");
            };
            match property(name) {
                Some(class) => {
                    let class = if letter == 'P' { class.complement() } else { class };
                    Ok((Escape::Class(class), name.len() + 4))
                }
                None => Err(EscapeError {
                    length: name.len() + 4,
                    help: "a property is a category (L, Lu, Mn, Nd), a script (Greek, Script=Greek) or a quality of \
                           characters (Alphabetic, White_Space, ID_Start)"
                        .to_owned(),
                }),
            }
        }
        _ => error(1 + letter.len_utf8(), HELP),
    }
}

/// The characters of a property, a category or a script, as `regex_syntax` knows them. `=` may stand between the kind of a
/// property and its value: `General_Category=Lu`, `Script=Greek`.
fn property(name: &str) -> Option<CharClass> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_- =".contains(c);
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    // Not of Unicode, but of ANTLR: which way an emoji is shown where nothing else is said.
    if let Some(value) = name.strip_prefix("EmojiPresentation=") {
        let (emoji, shown) = (property("Emoji")?, property("Emoji_Presentation")?);
        return match value {
            "EmojiDefault" => Some(emoji.intersection(&shown)),
            "TextDefault" => Some(emoji.difference(&shown)),
            "Text" => Some(emoji.complement()),
            _ => None,
        };
    }
    let found = regex_syntax::Parser::new().parse(&format!("\\p{{{name}}}")).ok()?;
    match found.into_kind() {
        HirKind::Class(Class::Unicode(class)) => {
            Some(CharClass::new(class.iter().map(|range| (range.start(), range.end()))))
        }
        // A class of one character, and of none.
        HirKind::Literal(Literal(bytes)) => Some(CharClass::of(std::str::from_utf8(&bytes).ok()?.chars())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn character(text: &str) -> Option<char> {
        match escape(text, true) {
            Ok((Escape::Character(c), length)) if length == text.len() => Some(c),
            _ => None,
        }
    }

    #[test]
    fn escapes_stand_for_characters() {
        assert_eq!(character("\\n"), Some('\n'));
        assert_eq!(character("\\u00e9"), Some('é'));
        assert_eq!(character("\\u{1F600}"), Some('\u{1f600}'));
        assert_eq!(character("\\]"), Some(']'));
        for wrong in ["\\", "\\q", "\\u12", "\\u{}", "\\u{110000}", "\\p", "\\p{Klingon}", "\\u{1"] {
            assert!(escape(wrong, true).is_err(), "{wrong}");
        }
        assert!(escape("\\]", false).is_err());
        assert!(escape("\\p{L}", false).is_err());
    }

    #[test]
    fn properties_are_classes() {
        let class = |name: &str| property(name).expect(name);
        assert!(class("Lu").contains('Ä') && !class("Lu").contains('ä'));
        assert!(class("General_Category=Ll").contains('ä'));
        assert!(class("Letter").contains('ß') && !class("L").contains('1'));
        assert!(class("Nd").contains('7') && class("Nd").contains('\u{669}') && !class("Nd").contains('½'));
        assert!(class("ID_Continue").contains('_'));
        assert!(
            class("Mn").contains('\u{301}') && class("M").contains('\u{903}') && class("Nl").contains('Ⅷ')
        );
        assert!(class("P").contains('«') && class("S").contains('€') && !class("L").contains('Ⅷ'));
        assert!(class("Script=Greek").contains('λ') && class("Zl").contains('\u{2028}'));
        let emoji =
            ["EmojiDefault", "TextDefault", "Text"].map(|value| class(&format!("EmojiPresentation={value}")));
        for (c, expected) in [('😀', 0), ('©', 1), ('a', 2)] {
            assert!((0..3).all(|place| emoji[place].contains(c) == (place == expected)), "{c}");
        }
        assert!(property("EmojiPresentation=Klingon").is_none());
        assert!(property("Klingon").is_none() && property("L}|.").is_none() && property("").is_none());
    }
}
