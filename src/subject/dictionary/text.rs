//! What the files of a program hold as text.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;

/// Files that are larger, in bytes, have too many words to tell anything, and so have archives from here on.
const LARGEST_FILE: u64 = 32 << 20;
const LARGEST_ARCHIVE: u64 = 128 << 20;

/// The length in bytes of the longest word.
const LONGEST: usize = 64;

/// What separates words in a source text, but for white space.
const DELIMITERS: &[u8] = b"()[]{}<>,;\"'`=|&";

/// What a file holds as text: its words in their order, and in a source text the delimiters between them.
#[derive(Debug)]
pub(super) struct Text {
    bytes: Vec<u8>,
    tokens: Vec<(usize, usize)>,
    /// The places of the words among the tokens.
    words: Vec<usize>,
    is_source: bool,
}

impl Text {
    /// The words in a file's content. In a source text they are what stands between white space and delimiters; elsewhere each run of
    /// printable characters is one.
    pub(super) fn new(content: &[u8]) -> Self {
        let is_source = !content.contains(&0);
        let is_in_word = |byte: u8| match is_source {
            true => byte.is_ascii_graphic() && !DELIMITERS.contains(&byte),
            false => byte == b' ' || byte.is_ascii_graphic(),
        };
        let mut text = Self { bytes: Vec::new(), tokens: Vec::new(), words: Vec::new(), is_source };
        for run in content.chunk_by(|&left, &right| is_in_word(left) && is_in_word(right)) {
            // A sentence is no word.
            if run.len() <= LONGEST && run.iter().all(|&byte| is_in_word(byte) && byte != b' ') {
                text.words.push(text.tokens.len());
                text.push(run);
            } else if is_source && is_delimiter(run) {
                text.push(run);
            }
        }
        text
    }

    fn push(&mut self, token: &[u8]) {
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(token);
        self.tokens.push((begin, self.bytes.len()));
    }

    /// The words and the delimiters of a source text; none of another file.
    pub(super) fn tokens(&self) -> impl Iterator<Item = &[u8]> {
        let tokens = if self.is_source { self.tokens.as_slice() } else { &[] };
        tokens.iter().map(|&(begin, end)| &self.bytes[begin..end])
    }

    pub(super) fn words(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.words.len()).filter_map(|place| self.word(place))
    }

    pub(super) fn word(&self, place: usize) -> Option<&[u8]> {
        let (begin, end) = self.tokens[*self.words.get(place)?];
        Some(&self.bytes[begin..end])
    }
}

/// Whether a token of a source text is a delimiter.
pub(super) fn is_delimiter(token: &[u8]) -> bool {
    token.iter().all(|byte| DELIMITERS.contains(byte))
}

/// The texts of a file: one, or those of the files in an archive, such as the classes of a program in Java.
pub(super) fn read(path: &Path) -> Vec<Text> {
    let content = File::open(path).and_then(|file| content(file, LARGEST_FILE));
    let Ok(Some(content)) = content else { return Vec::new() };
    let Ok(mut archive) = zip::ZipArchive::new(Cursor::new(&content)) else {
        return vec![Text::new(&content)];
    };
    let mut left = LARGEST_ARCHIVE;
    let mut texts = Vec::new();
    for index in 0..archive.len() {
        let Ok(file) = archive.by_index(index) else { continue };
        let Ok(Some(content)) = self::content(file, left) else { continue };
        left -= content.len() as u64;
        texts.push(Text::new(&content));
    }
    texts
}

/// All that can be read, unless it is longer than `most` bytes.
fn content(file: impl Read, most: u64) -> std::io::Result<Option<Vec<u8>>> {
    let mut content = Vec::new();
    file.take(most + 1).read_to_end(&mut content)?;
    Ok(Some(content).filter(|content| content.len() as u64 <= most))
}
