//! Words with and without quotation marks.
//!
//! Where a string may stand a bare word often may as well, and means the same to the program. To the grammar the two have nothing in common, so no random
//! input ever has the other one.

use crate::oracle::{Halt, Verdict};

use super::bare_text::bare_text;
use super::session::Learning;
use super::words::SHARE_OF_ONE;

/// The part of all executions, one in this number, that may be spent on all words.
const SHARE: u64 = 20;

const MARKS: [&[u8]; 3] = [b"\"", b"'", b"`"];

impl Learning<'_, '_, '_> {
    /// Tries each word that the hypothesis asks for without quotation marks and in others, where the grammar derives that, and learns from what fails.
    pub(super) fn try_quotation(&mut self) -> Result<(), Halt> {
        let most = self.judge.executions() + self.settings.executions / SHARE;
        for (_, input, node) in self.words() {
            let word = bare_text(self.example.grammar, &input.tree, node);
            for other in otherwise_quoted(&word) {
                if self.judge.executions() > most {
                    return Ok(());
                }
                let text = input.with(self.example, &[(node, other)]);
                let Some((Verdict::Fail, failing)) = self.ask(text)? else { continue };
                if !self.accepts(&failing) {
                    self.within(SHARE_OF_ONE, |session| session.positive(&failing))?;
                }
            }
        }
        Ok(())
    }
}

/// A word without quotation marks and in each kind of them, but for the way in which it is written.
fn otherwise_quoted(word: &[u8]) -> Vec<Vec<u8>> {
    let within = |mark: &&[u8]| word.strip_prefix(*mark)?.strip_suffix(*mark);
    let bare = MARKS.iter().find_map(within).unwrap_or(word);
    let quoted = MARKS.iter().map(|mark| [mark, bare, mark].concat());
    let mut words: Vec<Vec<u8>> = std::iter::once(bare.to_vec()).chain(quoted).collect();
    words.retain(|other| other != word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_written_in_all_ways_but_its_own() {
        let text = |word: &str| {
            otherwise_quoted(word.as_bytes())
                .into_iter()
                .map(|word| String::from_utf8(word).unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(text("'a'"), ["a", "\"a\"", "`a`"]);
        assert_eq!(text("a"), ["\"a\"", "'a'", "`a`"]);
        assert_eq!(text("'"), ["\"'\"", "'''", "`'`"]);
    }
}
