//! The words in the files of a program: what its executable, its archives and its scripts hold as text.
//!
//! A program has the words of its input language somewhere: in the tables of an executable, in the constant pools of classes, in a
//! script's source. As in the automatic dictionaries of fuzzers (`AUTODICTIONARY` of AFL++) they are taken from there. Words of one
//! kind stand together, since a compiler keeps the order of the source; so words are told by their distance from a word that is known to
//! matter. What stands near everything says nothing, so a word counts for less the more often it occurs (as in the weighting of terms by
//! Spärck Jones, "A statistical interpretation of term specificity", 1972). In the text of a script words of one kind are far from each other, but
//! are used alike ([`contexts`]).

mod contexts;
mod text;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::generalize::Dictionary;
use contexts::Contexts;
use text::Text;

/// The number of words on each side of an occurrence that are near it, and the number of occurrences that are looked at.
const REACH: usize = 40;
const MOST_OCCURRENCES: usize = 400;

/// The words in the files of a program, which are read when a word is asked for the first time.
#[derive(Debug)]
pub struct ProgramDictionary {
    files: Vec<PathBuf>,
    words: OnceLock<Words>,
}

/// What is in the files.
#[derive(Debug)]
struct Words {
    texts: Vec<Text>,
    contexts: Contexts,
}

impl ProgramDictionary {
    /// The words of these files. What cannot be read has none.
    pub fn new(mut files: Vec<PathBuf>) -> Self {
        files.sort();
        files.dedup();
        Self { files, words: OnceLock::new() }
    }

    fn words(&self) -> &Words {
        self.words.get_or_init(|| {
            let texts: Vec<Text> = self.files.iter().flat_map(|file| text::read(file)).collect();
            Words { contexts: Contexts::new(&texts), texts }
        })
    }
}

impl Dictionary for ProgramDictionary {
    fn similar(&self, word: &[u8], most: usize) -> Vec<Vec<u8>> {
        let words = self.words();
        let whole = words.similar(word, most);
        if !whole.is_empty() {
            return whole.into_iter().map(<[u8]>::to_vec).collect();
        }
        // A program knows an option without its dashes, and a keyword without its colon.
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric();
        let Some(begin) = word.iter().position(is_plain) else { return Vec::new() };
        let end = word.iter().rposition(is_plain).map_or(begin, |last| last + 1);
        let (before, inner, after) = (&word[..begin], &word[begin..end], &word[end..]);
        let with_both = |found: &[u8]| match found.starts_with(before) && found.ends_with(after) {
            true => found.to_vec(),
            false => [before, found, after].concat(),
        };
        words.similar(inner, most).into_iter().map(with_both).collect()
    }
}

impl Words {
    /// The words that stand near `word` and those that are used alike, in turn.
    fn similar(&self, word: &[u8], most: usize) -> Vec<&[u8]> {
        // One letter is a word of everything.
        if word.iter().filter(|byte| byte.is_ascii_alphabetic()).count() < 2 {
            return Vec::new();
        }
        let (near, alike) = (near(&self.texts, word), self.contexts.alike(word));
        let longer = near.len().max(alike.len());
        let in_turn = (0..longer).flat_map(|place| [near.get(place), alike.get(place)]).flatten().copied();
        let mut seen = HashSet::new();
        in_turn.filter(|&found| seen.insert(found)).take(most).collect()
    }
}

/// The words of all texts that stand near `word`, the nearest first.
fn near<'t>(texts: &'t [Text], word: &[u8]) -> Vec<&'t [u8]> {
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

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

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
        let near = dictionary.similar(b"mtime", 9);
        assert_eq!(texts(&near), ["ctime", "atime", "depth", "group", "error"]);
        assert!(dictionary.similar(b"a sentence of it", 3).is_empty());
        assert!(dictionary.similar(b"size", 3).is_empty());
        // As the input language has it.
        assert_eq!(texts(&dictionary.similar(b"-mtime", 2)), ["-ctime", "-atime"]);
        assert_eq!(texts(&dictionary.similar(b"--mtime=", 1)), ["--ctime="]);
    }

    #[test]
    fn words_come_from_scripts_and_from_archives_too() {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        archive.start_file("A.class", zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(b"\x01\0\x03let\x01\0\x04loop\x07").unwrap();
        let archive = archive.finish().unwrap().into_inner();
        let script = b"KEYWORDS = ['while', 'until']\nother = 1\n";
        let (_folder, dictionary) = dictionary(&[("words.jar", &archive), ("script.py", script)]);
        assert_eq!(texts(&dictionary.similar(b"let", 9)), ["loop"]);
        assert_eq!(texts(&dictionary.similar(b"until", 2)), ["other", "while"]);
    }

    #[test]
    fn words_between_the_same_neighbours_are_similar_however_far_they_are() {
        let used = |word: &str| format!("({word} [x 1] x) (print x) ").repeat(4);
        let far = "word ".repeat(60);
        let script = [used("let"), far.clone(), used("loop"), far, used("unless")].join("\n");
        let (_folder, dictionary) =
            dictionary(&[("script.clj", script.replace("unless [", "unless (").as_bytes())]);
        let similar = dictionary.similar(b"let", 40);
        let place = |word: &str| texts(&similar).iter().position(|&found| found == word);
        assert!(place("loop") < Some(2), "{:?}", texts(&similar));
        assert!(place("loop").is_some() && place("unless").is_none());
    }

    #[test]
    fn what_cannot_be_read_has_no_words() {
        let (folder, _) = dictionary(&[]);
        let dictionary = ProgramDictionary::new(vec![folder.path().join("missing"), folder.path().into()]);
        assert!(dictionary.similar(b"word", 9).is_empty());
    }
}
