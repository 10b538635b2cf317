//! The words in the files of a program: what its executable, its archives and its scripts hold as text.
//!
//! A program has the words of its input language somewhere: in the tables of an executable, in the constant pools of classes, in a
//! script's source. As in the automatic dictionaries of fuzzers (`AUTODICTIONARY` of AFL++) they are taken from there. Words of one
//! kind stand together, since a compiler keeps the order of the source; so words are told by their distance from a word that is known to
//! matter. What stands near everything says nothing, so a word counts for less the more often it occurs (as in the weighting of terms by
//! Spärck Jones, "A statistical interpretation of term specificity", 1972).

use std::collections::HashMap;
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::generalize::Dictionary;

/// Files that are larger, in bytes, have too many words to tell anything, and so have archives from here on.
const LARGEST_FILE: u64 = 32 << 20;
const LARGEST_ARCHIVE: u64 = 128 << 20;

/// The length in bytes of the longest word.
const LONGEST: usize = 64;

/// The number of words on each side of an occurrence that are near it, and the number of occurrences that are looked at.
const REACH: usize = 40;
const MOST_OCCURRENCES: usize = 400;

/// The words in the files of a program, which are read when a word is asked for the first time.
#[derive(Debug)]
pub struct ProgramDictionary {
    files: Vec<PathBuf>,
    texts: OnceLock<Vec<Text>>,
}

impl ProgramDictionary {
    /// The words of these files. What cannot be read has none.
    pub fn new(mut files: Vec<PathBuf>) -> Self {
        files.sort();
        files.dedup();
        Self { files, texts: OnceLock::new() }
    }

    fn texts(&self) -> &[Text] {
        self.texts.get_or_init(|| self.files.iter().flat_map(|file| read(file)).collect())
    }
}

impl Dictionary for ProgramDictionary {
    fn near(&self, word: &[u8], most: usize) -> Vec<Vec<u8>> {
        let texts = self.texts();
        let whole = near(texts, word);
        if !whole.is_empty() {
            return first(whole, most).map(<[u8]>::to_vec).collect();
        }
        // A program knows an option without its dashes, and a keyword without its colon.
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric();
        let Some(begin) = word.iter().position(is_plain) else { return Vec::new() };
        let end = word.iter().rposition(is_plain).map_or(begin, |last| last + 1);
        let (before, inner, after) = (&word[..begin], &word[begin..end], &word[end..]);
        first(near(texts, inner), most)
            .map(|found| match found.starts_with(before) && found.ends_with(after) {
                true => found.to_vec(),
                false => [before, found, after].concat(),
            })
            .collect()
    }
}

fn first(words: Vec<&[u8]>, most: usize) -> impl Iterator<Item = &[u8]> {
    words.into_iter().take(most)
}

/// The words of all texts that stand near `word`, the nearest first.
fn near<'t>(texts: &'t [Text], word: &[u8]) -> Vec<&'t [u8]> {
    // One letter is a word of everything.
    if word.iter().filter(|byte| byte.is_ascii_alphabetic()).count() < 2 {
        return Vec::new();
    }
    let mut nearness: HashMap<&[u8], f64> = HashMap::new();
    let mut occurrences = 0;
    for text in texts {
        for (place, _) in text.words().enumerate().filter(|(_, found)| *found == word) {
            occurrences += 1;
            if occurrences > MOST_OCCURRENCES {
                break;
            }
            for distance in 1..=REACH {
                let places = [place.checked_sub(distance), Some(place + distance)];
                for found in places.into_iter().flatten().filter_map(|place| text.word(place)) {
                    if found != word {
                        *nearness.entry(found).or_default() += 1.0 / distance as f64;
                    }
                }
            }
        }
    }
    let mut numbers: HashMap<&[u8], u32> = nearness.keys().map(|&word| (word, 0)).collect();
    for found in texts.iter().flat_map(Text::words) {
        if let Some(number) = numbers.get_mut(found) {
            *number += 1;
        }
    }
    let weight = |found: &[u8]| nearness[found] / f64::from(numbers[found]).sqrt();
    let mut words: Vec<(f64, &[u8])> = nearness.keys().map(|&found| (weight(found), found)).collect();
    words.sort_by(|(left, first), (right, second)| right.total_cmp(left).then_with(|| first.cmp(second)));
    words.into_iter().map(|(_, found)| found).collect()
}

/// What a file holds as text: its words in their order.
#[derive(Debug)]
struct Text {
    bytes: Vec<u8>,
    words: Vec<(usize, usize)>,
}

impl Text {
    /// The words in a file's content. In a text they are what stands between white space and punctuation; elsewhere each run of
    /// printable characters is one.
    fn new(content: &[u8]) -> Self {
        let is_text = !content.contains(&0);
        let is_in_word = |byte: &u8| match is_text {
            true => byte.is_ascii_graphic() && !b"()[]{}<>,;\"'`=|&".contains(byte),
            false => *byte == b' ' || byte.is_ascii_graphic(),
        };
        let mut text = Self { bytes: Vec::new(), words: Vec::new() };
        for word in content.split(|byte| !is_in_word(byte)) {
            // A sentence is no word.
            if !word.is_empty() && word.len() <= LONGEST && !word.contains(&b' ') {
                let begin = text.bytes.len();
                text.bytes.extend_from_slice(word);
                text.words.push((begin, text.bytes.len()));
            }
        }
        text
    }

    fn words(&self) -> impl Iterator<Item = &[u8]> {
        self.words.iter().map(|&(begin, end)| &self.bytes[begin..end])
    }

    fn word(&self, place: usize) -> Option<&[u8]> {
        self.words.get(place).map(|&(begin, end)| &self.bytes[begin..end])
    }
}

/// The texts of a file: one, or those of the files in an archive, such as the classes of a program in Java.
fn read(path: &Path) -> Vec<Text> {
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn dictionary(files: &[(&str, &[u8])]) -> (tempfile::TempDir, ProgramDictionary) {
        let folder = tempfile::tempdir().unwrap();
        let paths = files.iter().map(|(name, content)| {
            let path = folder.path().join(name);
            std::fs::write(&path, content).unwrap();
            path
        });
        let dictionary = ProgramDictionary::new(paths.collect());
        (folder, dictionary)
    }

    fn texts(words: &[Vec<u8>]) -> Vec<&str> {
        words.iter().map(|word| std::str::from_utf8(word).unwrap()).collect()
    }

    #[test]
    fn what_stands_nearest_comes_first_unless_it_stands_everywhere() {
        let table = "depth\0atime\0error\0mtime\0ctime\0error\0group\0a sentence of it\0";
        let table = ["error\0".repeat(200).as_str(), table].concat();
        let (_folder, dictionary) = dictionary(&[("program", table.as_bytes())]);
        let near = dictionary.near(b"mtime", 9);
        assert_eq!(texts(&near), ["ctime", "atime", "depth", "group", "error"]);
        assert!(dictionary.near(b"a sentence of it", 3).is_empty());
        assert!(dictionary.near(b"size", 3).is_empty());
        // As the input language has it.
        assert_eq!(texts(&dictionary.near(b"-mtime", 2)), ["-ctime", "-atime"]);
        assert_eq!(texts(&dictionary.near(b"--mtime=", 1)), ["--ctime="]);
    }

    #[test]
    fn words_come_from_scripts_and_from_archives_too() {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        archive.start_file("A.class", zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(b"\x01\0\x03let\x01\0\x04loop\x07").unwrap();
        let archive = archive.finish().unwrap().into_inner();
        let script = b"KEYWORDS = ['while', 'until']\nother = 1\n";
        let (_folder, dictionary) = dictionary(&[("words.jar", &archive), ("script.py", script)]);
        assert_eq!(texts(&dictionary.near(b"let", 9)), ["loop"]);
        assert_eq!(texts(&dictionary.near(b"until", 2)), ["other", "while"]);
    }

    #[test]
    fn what_cannot_be_read_has_no_words() {
        let (folder, _) = dictionary(&[]);
        let dictionary = ProgramDictionary::new(vec![folder.path().join("missing"), folder.path().into()]);
        assert!(dictionary.near(b"word", 9).is_empty());
    }
}
