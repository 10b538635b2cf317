//! Escapes in literals and sets, and the Unicode properties that sets may name.
//!
//! The properties are those that the standard library knows, by their short and long names. Where it
//! knows a property only nearly, it is taken for it: `\p{L}` is what is alphabetic, `\p{P}` and `\p{S}` are
//! the punctuation and the symbols of ASCII.

use super::super::class::CharClass;

/// What an escape stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Escape {
    Character(char),
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
            match u32::from_str_radix(digits, 16).ok().filter(|_| is_number).map(char::from_u32) {
                Some(Some(c)) => Ok((Escape::Character(c), length)),
                Some(None) => error(
                    length,
                    "no character has this number; write one beyond U+FFFF as `\\u{10000}`, not as two halves",
                ),
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
                    help: format!("the properties known here are {}", PROPERTIES.join(", ")),
                }),
            }
        }
        _ => error(1 + letter.len_utf8(), HELP),
    }
}

const PROPERTIES: [&str; 17] = [
    "L",
    "Lu",
    "Ll",
    "N",
    "Nd",
    "P",
    "S",
    "Z",
    "Zs",
    "Cc",
    "Alphabetic",
    "Uppercase",
    "Lowercase",
    "White_Space",
    "ID_Start",
    "ID_Continue",
    "ASCII",
];

/// The characters of a property. `General_Category=` may stand before a category.
fn property(name: &str) -> Option<CharClass> {
    let name = name.replace(['-', ' '], "_");
    let name = ["General_Category=", "gc="]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(&name)
        .to_ascii_lowercase();
    Some(match name.as_str() {
        "l" | "letter" | "alphabetic" | "alpha" => all(char::is_alphabetic),
        "lu" | "uppercase_letter" | "uppercase" => all(char::is_uppercase),
        "ll" | "lowercase_letter" | "lowercase" => all(char::is_lowercase),
        "n" | "number" => all(char::is_numeric),
        "nd" | "decimal_number" | "digit" => digits(),
        "p" | "punctuation" => all(|c| c.is_ascii_punctuation() && !"$+<=>^`|~".contains(c)),
        "s" | "symbol" => all(|c| "$+<=>^`|~".contains(c)),
        "z" | "separator" => all(|c| c.is_whitespace() && !c.is_control()),
        "zs" | "space_separator" => {
            all(|c| c.is_whitespace() && !c.is_control() && c != '\u{2028}' && c != '\u{2029}')
        }
        "cc" | "control" => all(char::is_control),
        "white_space" | "whitespace" | "space" => all(char::is_whitespace),
        "id_start" | "xid_start" | "ids" | "xids" => all(char::is_alphabetic),
        "id_continue" | "xid_continue" | "idc" | "xidc" => {
            all(char::is_alphabetic).union(&digits()).union(&CharClass::of(['_']))
        }
        "ascii" => CharClass::new([('\0', '\x7f')]),
        "any" => CharClass::any(),
        _ => return None,
    })
}

fn all(is_member: impl Fn(char) -> bool) -> CharClass {
    let mut ranges: Vec<(char, char)> = Vec::new();
    let mut open = None;
    for c in '\0'..=char::MAX {
        match (is_member(c), open) {
            (true, None) => open = Some((c, c)),
            (true, Some((low, _))) => open = Some((low, c)),
            (false, Some(range)) => {
                ranges.push(range);
                open = None;
            }
            (false, None) => {}
        }
    }
    ranges.extend(open);
    CharClass::new(ranges)
}

/// The decimal digits: tens of characters, by their zeros.
fn digits() -> CharClass {
    const ZEROS: [u32; 40] = [
        0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6,
        0xe50, 0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0,
        0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10, 0x104a0, 0x11066,
        0x110f0,
    ];
    CharClass::new(
        ZEROS.into_iter().filter_map(|zero| Some((char::from_u32(zero)?, char::from_u32(zero + 9)?))),
    )
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
        for wrong in ["\\", "\\q", "\\u12", "\\u{}", "\\u{110000}", "\\ud800", "\\p", "\\p{Klingon}", "\\u{1"]
        {
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
        for name in PROPERTIES {
            assert!(!class(name).is_empty(), "{name}");
        }
    }
}
