//! Splitting a command line into words without a shell.
//!
//! Quotes and backslashes mean what they mean in a shell; nothing is expanded, so that a generated
//! line with `$x`, a backquote, `*` or `|` in it can do no harm. Words are separated by blanks, tabs and line ends.
//! Everything in single quotes is literal. In double quotes, a backslash keeps its next character from
//! ending or escaping anything if that is `"` or `\\`, and stands for itself otherwise. Outside quotes,
//! a backslash makes the next character literal.

use std::ops::Range;

/// Why a line has no words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct SplitError {
    /// What is wrong.
    pub what: &'static str,
    /// Where: from what was not ended to the end of the line, in bytes.
    pub span: Range<usize>,
}

/// The words of `line`.
///
/// # Errors
/// When a quote is not closed, or nothing follows a backslash.
pub fn split(line: &[u8]) -> Result<Vec<Vec<u8>>, SplitError> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut at = 0;
    let unended = |what, start| SplitError { what, span: start..line.len() };
    while let Some(&byte) = line.get(at) {
        let start = at;
        at += 1;
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => words.extend(word.take()),
            b'\'' => {
                let length = line[at..].iter().position(|&byte| byte == b'\'');
                let length = length.ok_or_else(|| unended("a single quote is not closed", start))?;
                word.get_or_insert_default().extend_from_slice(&line[at..at + length]);
                at += length + 1;
            }
            b'"' => {
                let word = word.get_or_insert_default();
                loop {
                    let escaped = |next: Option<&u8>| matches!(next, Some(b'"' | b'\\'));
                    match line.get(at) {
                        None => return Err(unended("a double quote is not closed", start)),
                        Some(b'"') => break,
                        Some(b'\\') if escaped(line.get(at + 1)) => {
                            word.push(line[at + 1]);
                            at += 2;
                        }
                        Some(&byte) => {
                            word.push(byte);
                            at += 1;
                        }
                    }
                }
                at += 1;
            }
            b'\\' => {
                let &next = line.get(at).ok_or_else(|| unended("nothing follows a backslash", start))?;
                word.get_or_insert_default().push(next);
                at += 1;
            }
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    Ok(words)
}

/// A line that splits into `words`.
pub fn join<W: AsRef<[u8]>>(words: &[W]) -> Vec<u8> {
    let quoted: Vec<Vec<u8>> = words.iter().map(|word| quote(word.as_ref())).collect();
    quoted.join(&b' ')
}

fn quote(word: &[u8]) -> Vec<u8> {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./,:=+@%".contains(byte);
    if !word.is_empty() && word.iter().all(is_plain) {
        return word.to_vec();
    }
    let mut quoted = vec![b'\''];
    for &byte in word {
        match byte {
            b'\'' => quoted.extend_from_slice(br"'\''"),
            _ => quoted.push(byte),
        }
    }
    quoted.push(b'\'');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(line: &str) -> Vec<String> {
        split(line.as_bytes()).unwrap().into_iter().map(|word| String::from_utf8(word).unwrap()).collect()
    }

    #[test]
    fn quotes_and_backslashes_are_those_of_a_shell() {
        assert_eq!(texts(r"find . -regex '.*'"), ["find", ".", "-regex", ".*"]);
        assert_eq!(texts(r#"a"b c"'d e'\ f"#), ["ab cd e f"]);
        assert_eq!(texts(r#""\"\\\n" '\'"#), [r#""\\n"#, r"\"]);
        assert_eq!(texts(r#"'' "" x"#), ["", "", "x"]);
        assert_eq!(texts(" \t\n"), [""; 0]);
    }

    #[test]
    fn nothing_is_expanded() {
        assert_eq!(texts("echo $x `ls` *.c | rm; #"), ["echo", "$x", "`ls`", "*.c", "|", "rm;", "#"]);
    }

    #[test]
    fn an_error_says_where_the_unended_part_begins() {
        for (line, start) in [("a 'b", 2), ("a \"b\\\"", 2), ("ab \\", 3)] {
            assert_eq!(split(line.as_bytes()).unwrap_err().span, start..line.len());
        }
    }

    proptest! {
        #[test]
        fn what_is_joined_splits_again(words: Vec<Vec<u8>>) {
            prop_assert_eq!(split(&join(&words)).unwrap(), words);
        }

        #[test]
        fn no_line_makes_it_panic(line: Vec<u8>) {
            let _ = split(&line);
        }
    }
}
