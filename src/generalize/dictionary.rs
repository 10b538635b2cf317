//! Words that the program under test has in its own files.
//!
//! Fuzzers call such a list a dictionary: words that a program compares its input with, which no grammar names and random texts never
//! have. Where one word matters, others that stand near it in the program, or are used alike, are the first to try in its place.

/// The words of a program.
pub trait Dictionary {
    /// Words that are similar to `word` in the program's files, by where they stand, the most similar first, and no more than `most`. None when
    /// it does not stand there.
    fn similar(&self, word: &[u8], most: usize) -> Vec<Vec<u8>>;
}

/// The dictionary of a program without files, such as a builtin one.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoDictionary;

impl Dictionary for NoDictionary {
    fn similar(&self, _: &[u8], _: usize) -> Vec<Vec<u8>> {
        Vec::new()
    }
}
