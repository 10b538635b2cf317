//! Errors that a user can act on: what is wrong, where, and what would be right.
//!
//! A [`Diagnostic`] carries the source text, so that it can be shown anywhere without further
//! context. Its `Display` form is the plain text that the command line prints.

use std::fmt;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// A text with the name under which its user knows it: a file name, or an option.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    name: String,
    text: String,
}

impl Source {
    /// A source called `name`.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self { name: name.into(), text: text.into() })
    }

    /// A source of bytes. What is not UTF-8 is shown as replacement characters.
    pub fn from_bytes(name: impl Into<String>, bytes: &[u8]) -> Arc<Self> {
        Self::new(name, String::from_utf8_lossy(bytes))
    }

    /// A source of bytes that must be UTF-8, since what they mean depends on each character.
    ///
    /// # Errors
    /// Where they are not.
    pub fn from_utf8(name: impl Into<String>, bytes: &[u8]) -> Result<Arc<Self>, Diagnostic> {
        let source = Self::from_bytes(name, bytes);
        match std::str::from_utf8(bytes) {
            Ok(_) => Ok(source),
            Err(error) => {
                // What comes before is the same in both.
                let at = error.valid_up_to();
                let span = at..at + char::REPLACEMENT_CHARACTER.len_utf8();
                let message = format!("unexpected byte 0x{:02x}, which is not UTF-8", bytes[at]);
                Err(Diagnostic::error(message).at(&source, span, ""))
            }
        }
    }

    /// The name under which the user knows the text.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text itself.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The meaning stays defined; the user may have meant something else.
    Warning,
    /// There is no meaning.
    Error,
}

/// A place in a source, with a few words on what is there.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    source: Arc<Source>,
    span: Range<usize>,
    label: String,
}

/// One thing that is wrong in what a user wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    severity: Severity,
    message: String,
    places: Vec<Place>,
    help: Vec<String>,
    kind: Option<&'static str>,
}

impl Diagnostic {
    /// An error.
    pub fn error(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            places: Vec::new(),
            help: Vec::new(),
            kind: None,
        }
    }

    /// A warning.
    pub fn warning(message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(message) }
    }

    /// Points at `span` (in bytes) of `source`; `label` says what is there, and may be empty.
    #[must_use]
    pub fn at(mut self, source: &Arc<Source>, span: Range<usize>, label: impl Into<String>) -> Self {
        let text = source.text();
        let start = floor_char_boundary(text, span.start);
        let end = floor_char_boundary(text, span.end).max(start);
        self.places.push(Place { source: Arc::clone(source), span: start..end, label: label.into() });
        self
    }

    /// Adds a suggestion how to fix it, unless `help` is empty.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        let help = help.into();
        if !help.is_empty() {
            self.help.push(help);
        }
        self
    }

    /// Says of what kind it is, in the plural: of many of a kind that have the same help, the first is shown and the others are counted.
    #[must_use]
    pub fn of_kind(self, kind: &'static str) -> Self {
        Self { kind: Some(kind), ..self }
    }

    /// Whether one that shows `self` says what is to be said of `other` too.
    fn stands_for(&self, other: &Self) -> bool {
        self.kind.is_some() && self.kind == other.kind && self.help == other.help
    }

    /// Suggests the one of `names` that is nearest to `wrong`, if one is near.
    #[must_use]
    pub fn suggest<'a>(self, wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Self {
        match nearest(wrong, names) {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None => self,
        }
    }

    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// What is wrong, in a sentence without its place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The first place, as source name and byte offset. Takes no time, whereas a line has to be counted.
    pub fn offset(&self) -> Option<(&str, usize)> {
        let place = self.places.first()?;
        Some((&place.source.name, place.span.start))
    }

    /// The first place, as source name, line and column, both counted from 1.
    pub fn position(&self) -> Option<(&str, usize, usize)> {
        let place = self.places.first()?;
        let before = &place.source.text[..place.span.start];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        Some((&place.source.name, line, column))
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = Group::with_title(level.primary_title(self.message.as_str()));
        for (index, place) in self.places.iter().enumerate() {
            let kind = if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
            let mut annotation = kind.span(place.span.clone());
            if !place.label.is_empty() {
                annotation = annotation.label(place.label.as_str());
            }
            group = group.element(
                Snippet::source(place.source.text()).path(place.source.name()).annotation(annotation),
            );
        }
        for help in &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        f.write_str(&Renderer::plain().render(&[group]))
    }
}

impl std::error::Error for Diagnostic {}

/// One or more things that are wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.0.iter().enumerate() {
            if self.0[..index].iter().any(|earlier| earlier.stands_for(diagnostic)) {
                continue;
            }
            if index > 0 {
                f.write_str("\n\n")?;
            }
            let others = self.0[index + 1..].iter().filter(|later| diagnostic.stands_for(later)).count();
            match diagnostic.kind.filter(|_| others > 0) {
                Some(kind) => {
                    diagnostic.clone().help(format!("{kind}: this one and {others} more")).fmt(f)?
                }
                None => diagnostic.fmt(f)?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(vec![diagnostic])
    }
}

/// The one of `names` that `wrong` was probably meant to be.
pub fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let most = wrong.chars().count().div_ceil(3).max(1);
    names
        .into_iter()
        .map(|name| (strsim::osa_distance(&wrong.to_lowercase(), &name.to_lowercase()), name))
        // A name of which nothing is left is not near.
        .filter(|&(distance, name)| distance <= most && distance < name.chars().count())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// The help that names the file that `path`, which is not there, was probably meant to be.
pub fn help_for_missing(path: &Path) -> Option<String> {
    nearest_file(path).map(|near| format!("did you mean `{}`?", near.display()))
}

/// The file that `path`, which is not there, was probably meant to be.
pub fn nearest_file(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut names: Vec<String> =
        fs::read_dir(folder).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    let wrong = path.file_name()?.to_str()?;
    let near = nearest(wrong, names.iter().map(String::as_str))?;
    Some(path.with_file_name(near))
}

fn floor_char_boundary(text: &str, index: usize) -> usize {
    let mut index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_diagnostic_shows_the_place_and_the_way_out() {
        let source = Source::new("json.ebnf", "<json> ::= <elt>\n<item> ::= <strin> \": \" <elt>\n");
        let diagnostic = Diagnostic::error("there is no nonterminal `<strin>`")
            .at(&source, 28..35, "used here")
            .suggest("strin", ["elt", "string", "item"]);
        insta::assert_snapshot!(diagnostic.to_string());
        assert_eq!(diagnostic.position(), Some(("json.ebnf", 2, 12)));
    }

    #[test]
    fn of_many_of_a_kind_the_first_is_shown() {
        let missing =
            |name: &str, help: &str| Diagnostic::error(format!("no `{name}`")).help(help).of_kind("files");
        let other = || Diagnostic::error("wrong");
        let shown = Diagnostics(vec![missing("a", "get it"), other(), missing("b", "get it"), other()]);
        assert_eq!(
            shown.to_string(),
            "error: no `a`\n |\n = help: get it\n = help: files: this one and 1 more\n\nerror: wrong\n\nerror: wrong"
        );
        let shown = Diagnostics(vec![missing("a", "get it"), missing("b", "did you mean `c`?")]);
        assert!(shown.to_string().contains("no `b`"), "{shown}");
    }

    #[test]
    fn what_is_not_utf_8_is_reported_with_its_place() {
        assert_eq!(Source::from_utf8("text", "é\n".as_bytes()), Ok(Source::new("text", "é\n")));
        let error = Source::from_utf8("text", b"one\n\xc3\xa9 \xe9").unwrap_err();
        assert_eq!(error.message(), "unexpected byte 0xe9, which is not UTF-8");
        assert_eq!(error.position(), Some(("text", 2, 3)));
    }

    #[test]
    fn only_a_name_that_is_near_is_suggested() {
        assert_eq!(nearest("jbos", ["jobs", "seed"]), Some("jobs"));
        assert_eq!(nearest("timeout", ["jobs", "seed"]), None);
    }

    proptest! {
        #[test]
        fn any_span_of_any_text_can_be_shown(text: String, start: usize, length in 0usize..40) {
            let source = Source::new("text", text);
            let start = start % 100;
            let _ = Diagnostic::error("wrong").at(&source, start..start + length, "here").to_string();
        }
    }
}
