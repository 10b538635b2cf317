//! Command lines with placeholders.
//!
//! | placeholder | stands for |
//! |---|---|
//! | `{build}` | the folder of the prepared program |
//! | `{subject}` | the subject's folder |
//! | `{bug}` | the bug's name |
//! | `{file}` | a file that holds the input, in the scratch folder, which is the current folder |
//! | `{input}` | the input, as (a part of) one argument |
//! | `{words}` | the input's words, one argument each |
//! | `{arguments}` | those after the first: for inputs that begin with the program's own name |
//! | `{bug_arguments}` | the words that the bug's program needs besides, one argument each |
//!
//! `{{` and `}}` stand for a brace. A brace that begins no name, as in `{}`, stands for itself.

use std::ffi::{OsStr, OsString};
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use super::words::{self, SplitError};

/// The names of all placeholders.
pub const NAMES: [&str; 8] =
    ["build", "subject", "bug", "file", "input", "words", "arguments", "bug_arguments"];

/// What stands for something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub enum Placeholder {
    /// `{build}`
    Build,
    /// `{subject}`
    Subject,
    /// `{bug}`
    Bug,
    /// `{file}`
    File,
    /// `{input}`
    Input,
    /// `{words}`
    Words,
    /// `{arguments}`
    Arguments,
    /// `{bug_arguments}`
    BugArguments,
}

impl Placeholder {
    const ALL: [Self; 8] = [
        Self::Build,
        Self::Subject,
        Self::Bug,
        Self::File,
        Self::Input,
        Self::Words,
        Self::Arguments,
        Self::BugArguments,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    /// Whether it stands for several arguments.
    fn is_several(self) -> bool {
        matches!(self, Self::Words | Self::Arguments | Self::BugArguments)
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|placeholder| placeholder.name() == name)
    }
}

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
enum Piece {
    Text(Vec<u8>),
    Place(Placeholder),
}

/// A command line with placeholders: one or more words.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub struct Template {
    words: Vec<Vec<Piece>>,
}

/// What is wrong with a word of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError {
    /// The number of the word.
    pub word: usize,
    /// Where in it, in bytes.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// A name that is not one of a placeholder's.
    pub unknown: Option<String>,
}

impl Template {
    /// Reads the words of a command line.
    ///
    /// # Errors
    /// When there are none, a placeholder is unknown, or one is where it cannot be.
    pub fn parse<W: AsRef<OsStr>>(words: &[W]) -> Result<Self, TemplateError> {
        let template = Self::parse_arguments_after(words, 1)?;
        if template.words.first().is_none_or(Vec::is_empty) {
            let message = "there is no program to run".to_owned();
            return Err(TemplateError { word: 0, span: 0..0, message, unknown: None });
        }
        Ok(template)
    }

    /// Reads the words that follow the program in a command line.
    ///
    /// # Errors
    /// When a placeholder is unknown, or is where it cannot be.
    pub fn parse_arguments<W: AsRef<OsStr>>(words: &[W]) -> Result<Self, TemplateError> {
        Self::parse_arguments_after(words, 0)
    }

    /// Reads words of which the first ones, this many, name the program.
    fn parse_arguments_after<W: AsRef<OsStr>>(words: &[W], program: usize) -> Result<Self, TemplateError> {
        let parse = |(number, word): (usize, &W)| {
            let text = word.as_ref().as_bytes();
            let error = |(span, message, unknown)| TemplateError { word: number, span, message, unknown };
            let pieces = pieces(text).map_err(error)?;
            let whole = |message: String| Err(error((0..text.len(), message, None)));
            for piece in &pieces {
                let &Piece::Place(place) = piece else { continue };
                let name = place.name();
                if number < program
                    && !matches!(place, Placeholder::Build | Placeholder::Subject | Placeholder::Bug)
                {
                    return whole(format!("`{{{name}}}` cannot be part of the program's name"));
                }
                if place.is_several() && pieces.len() > 1 {
                    return whole(format!(
                        "`{{{name}}}` stands for several arguments, so nothing can stand beside it"
                    ));
                }
            }
            Ok(pieces)
        };
        let words: Vec<Vec<Piece>> = words.iter().enumerate().map(parse).collect::<Result<_, _>>()?;
        Ok(Self { words })
    }

    /// The placeholders in it.
    pub fn placeholders(&self) -> impl Iterator<Item = Placeholder> {
        self.words.iter().flatten().filter_map(|piece| match piece {
            &Piece::Place(place) => Some(place),
            Piece::Text(_) => None,
        })
    }

    /// Whether `placeholder` is in it.
    pub fn uses(&self, placeholder: Placeholder) -> bool {
        self.placeholders().any(|place| place == placeholder)
    }

    /// The files and folders of the subject's folder that it names, relative to that folder: what
    /// follows `{subject}` in a word, as far as it does not depend on the input. The folder itself is
    /// `.`.
    pub fn files_of_subject(&self, bug: &str) -> Vec<String> {
        let mut names = Vec::new();
        for word in &self.words {
            let Some(at) = word.iter().rposition(|piece| *piece == Piece::Place(Placeholder::Subject)) else {
                continue;
            };
            let mut name = Vec::new();
            for piece in &word[at + 1..] {
                match piece {
                    Piece::Text(text) => name.extend_from_slice(text),
                    Piece::Place(Placeholder::Bug) => name.extend_from_slice(bug.as_bytes()),
                    Piece::Place(_) => break,
                }
            }
            let name = String::from_utf8_lossy(&name);
            let name = name.trim_start_matches('/');
            names.push(if name.is_empty() { ".".to_owned() } else { name.to_owned() });
        }
        names
    }

    /// Puts in what does not depend on the input.
    ///
    /// # Panics
    /// When there is a placeholder for something that `places` does not have.
    pub fn bind(&self, places: &Places<'_>) -> Argv {
        let bind = |piece: &Piece| match piece {
            Piece::Text(_) => piece.clone(),
            Piece::Place(place) => {
                let known = match place {
                    Placeholder::Build => places.build.map(Path::as_os_str),
                    Placeholder::Subject => places.subject.map(Path::as_os_str),
                    Placeholder::Bug => places.bug.map(OsStr::new),
                    Placeholder::File => Some(OsStr::new(places.file)),
                    Placeholder::Input
                    | Placeholder::Words
                    | Placeholder::Arguments
                    | Placeholder::BugArguments => return piece.clone(),
                };
                let known = known.unwrap_or_else(|| panic!("`{{{}}}` stands for nothing here", place.name()));
                Piece::Text(known.as_bytes().to_vec())
            }
        };
        let mut words = Vec::with_capacity(self.words.len());
        for word in &self.words {
            if *word == [Piece::Place(Placeholder::BugArguments)] {
                let of_bug = places.bug_arguments.iter();
                words.extend(of_bug.map(|word| vec![Piece::Text(word.as_bytes().to_vec())]));
            } else {
                words.push(joined(word.iter().map(bind)));
            }
        }
        Argv { words }
    }
}

/// What placeholders stand for that do not depend on the input.
#[derive(Clone, Copy, Debug, Default)]
pub struct Places<'a> {
    /// The folder of the prepared program.
    pub build: Option<&'a Path>,
    /// The subject's folder.
    pub subject: Option<&'a Path>,
    /// The bug's name.
    pub bug: Option<&'a str>,
    /// The name of the file that holds the input.
    pub file: &'a str,
    /// The bug's own words.
    pub bug_arguments: &'a [String],
}

/// A command line in which only the input is missing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Argv {
    words: Vec<Vec<Piece>>,
}

impl Argv {
    /// The first word: the program.
    pub fn program(&self) -> OsString {
        let text = self.words[0].iter().flat_map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Place(_) => Vec::new(),
        });
        OsString::from_vec(text.collect())
    }

    /// The words that do not depend on the input.
    pub fn fixed(&self) -> impl Iterator<Item = &OsStr> {
        self.words.iter().filter_map(|word| match word.as_slice() {
            [Piece::Text(text)] => Some(OsStr::from_bytes(text)),
            _ => None,
        })
    }

    /// All words, with `input` put in.
    ///
    /// # Errors
    /// When the input's words are wanted and it cannot be split.
    pub fn expand(&self, input: &[u8]) -> Result<Vec<OsString>, SplitError> {
        let mut expanded = Vec::with_capacity(self.words.len());
        for word in &self.words {
            let several = match word.as_slice() {
                [Piece::Place(Placeholder::Words)] => Some(0),
                [Piece::Place(Placeholder::Arguments)] => Some(1),
                _ => None,
            };
            if let Some(skipped) = several {
                expanded.extend(words::split(input)?.into_iter().skip(skipped).map(OsString::from_vec));
                continue;
            }
            let mut text = Vec::new();
            for piece in word {
                text.extend_from_slice(match piece {
                    Piece::Text(text) => text,
                    Piece::Place(_) => input,
                });
            }
            expanded.push(OsString::from_vec(text));
        }
        Ok(expanded)
    }
}

/// The pieces, with texts that follow each other made one.
fn joined(pieces: impl Iterator<Item = Piece>) -> Vec<Piece> {
    let mut word: Vec<Piece> = Vec::new();
    for piece in pieces {
        match (word.last_mut(), piece) {
            (Some(Piece::Text(before)), Piece::Text(text)) => before.extend_from_slice(&text),
            (_, piece) => word.push(piece),
        }
    }
    word
}

type PieceError = (Range<usize>, String, Option<String>);

fn pieces(text: &[u8]) -> Result<Vec<Piece>, PieceError> {
    let mut pieces = Vec::new();
    let mut plain = Vec::new();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let rest = &text[at + 1..];
        let name = rest.iter().take_while(|&&byte| byte.is_ascii_lowercase() || byte == b'_').count();
        match byte {
            b'{' | b'}' if rest.first() == Some(&byte) => {
                plain.push(byte);
                at += 2;
            }
            b'{' if name > 0 && rest.get(name) == Some(&b'}') => {
                let end = at + name + 2;
                let name = String::from_utf8_lossy(&rest[..name]);
                let Some(place) = Placeholder::named(&name) else {
                    let message = format!("there is no placeholder `{{{name}}}`");
                    return Err((at..end, message, Some(name.into_owned())));
                };
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                }
                pieces.push(Piece::Place(place));
                at = end;
            }
            _ => {
                plain.push(byte);
                at += 1;
            }
        }
    }
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn expand(words: &[&str], input: &str) -> Vec<String> {
        let places = Places {
            build: Some(Path::new("/b")),
            subject: Some(Path::new("/s")),
            bug: Some("bug-1"),
            file: "input.js",
            bug_arguments: &["-O".to_owned(), "{bug}".to_owned()],
        };
        let argv = Template::parse(words).unwrap().bind(&places).expand(input.as_bytes()).unwrap();
        argv.into_iter().map(|word| word.into_string().unwrap()).collect()
    }

    #[test]
    fn placeholders_are_filled_in() {
        let line = ["{build}/{bug}/find", "--file={file}", "{subject}", "<{input}>"];
        assert_eq!(expand(&line, "a b"), ["/b/bug-1/find", "--file=input.js", "/s", "<a b>"]);
        assert_eq!(expand(&["find", "{arguments}", "."], "find 'x y' z"), ["find", "x y", "z", "."]);
        assert_eq!(expand(&["env", "{words}"], "x 'y z'"), ["env", "x", "y z"]);
        assert_eq!(expand(&["find", "{arguments}"], ""), ["find"]);
        assert_eq!(expand(&["js", "{bug_arguments}", "{file}"], ""), ["js", "-O", "{bug}", "input.js"]);
    }

    #[test]
    fn the_files_that_it_names_are_told() {
        let words =
            ["sh", "{subject}/{bug}/run.sh", "-I{subject}/lib", "{subject}", "{subject}/{file}", "{file}"];
        let files = Template::parse(&words).unwrap().files_of_subject("bug-1");
        assert_eq!(files, ["bug-1/run.sh", "lib", ".", "."]);
    }

    #[test]
    fn an_input_is_never_taken_for_a_placeholder() {
        assert_eq!(expand(&["echo", "{input}", "{words}"], "{bug}"), ["echo", "{bug}", "{bug}"]);
    }

    #[test]
    fn braces_can_be_written() {
        assert_eq!(
            expand(&["x", "{}", "{{bug}}", "{Bug}", "{ bug }", "}"], ""),
            ["x", "{}", "{bug}", "{Bug}", "{ bug }", "}"]
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        let error = |words: &[&str]| Template::parse(words).unwrap_err();
        let unknown = error(&["x", "a{flie}"]);
        assert_eq!((unknown.word, unknown.span, unknown.unknown.as_deref()), (1, 1..7, Some("flie")));
        assert_eq!(error(&[]).message, "there is no program to run");
        assert_eq!(error(&[""]).message, "there is no program to run");
        assert_eq!(error(&["{file}"]).message, "`{file}` cannot be part of the program's name");
        assert!(error(&["x", "-{words}"]).message.contains("several arguments"));
        assert!(error(&["{bug_arguments}"]).message.contains("program's name"));
        assert!(Template::parse_arguments(&["{file}"]).is_ok());
        let none: [&str; 0] = [];
        assert!(Template::parse_arguments(&none).is_ok());
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[{}a-z]*") {
            let _ = Template::parse(&[text]);
        }
    }
}
