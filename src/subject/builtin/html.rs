//! `html-markup`: the removal of markup that takes quotes outside of tags for quotes of attributes.

use crate::oracle::Judgement;

use super::judged;

/// Fails when the text without its markup still has angle brackets.
pub(super) fn markup(input: &[u8]) -> Judgement {
    let text = without_markup(input);
    judged(text.iter().any(|byte| b"<>".contains(byte)), "markup left")
}

/// Removes markup. The mistake: a double quote counts wherever it stands.
fn without_markup(input: &[u8]) -> Vec<u8> {
    let (mut in_tag, mut in_quotes) = (false, false);
    let mut text = Vec::new();
    for &byte in input {
        match byte {
            b'<' if !in_quotes => in_tag = true,
            b'>' if !in_quotes => in_tag = false,
            b'"' => in_quotes = !in_quotes,
            b'\'' if in_tag => in_quotes = !in_quotes,
            _ if !in_tag => text.push(byte),
            _ => {}
        }
    }
    text
}
