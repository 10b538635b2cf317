//! Which bugs take part in a campaign.

use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;

use crate::base::diagnostic::{Diagnostic, Diagnostics, Source};

/// Which bugs take part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    source: Arc<Source>,
    patterns: Vec<(String, Range<usize>)>,
    /// Whether no bug takes part: a config with expressions that says nothing of bugs.
    is_none: bool,
}

impl Selection {
    /// The selection of the config `source`: `names`, or if it has none, all bugs; but no bug if it
    /// has expressions of its own.
    pub(super) fn new(
        source: &Arc<Source>,
        names: Option<Vec<Spanned<String>>>,
        has_expressions: bool,
    ) -> Self {
        let is_none = names.is_none() && has_expressions;
        let patterns = names.into_iter().flatten().map(|name| (name.get_ref().clone(), name.span()));
        Self { source: Arc::clone(source), patterns: patterns.collect(), is_none }
    }

    /// The patterns, as they are written.
    pub fn patterns(&self) -> Vec<&str> {
        self.patterns.iter().map(|(pattern, _)| pattern.as_str()).collect()
    }

    /// Whether no bug takes part, whatever bugs there are.
    pub fn is_none(&self) -> bool {
        self.is_none
    }

    /// Whether each bug that takes part is named, by its own name and not by a pattern, and all of them are among
    /// `known`.
    pub fn names_only<'a>(&self, known: impl Iterator<Item = &'a str> + Clone) -> bool {
        let is_known = |pattern: &str| known.clone().any(|name| name == pattern);
        !self.patterns.is_empty() && self.patterns.iter().all(|(pattern, _)| is_known(pattern))
    }

    /// The bugs among `all` that are selected, in the order of `all`; all of them when nothing is
    /// said.
    ///
    /// # Errors
    /// When a pattern selects nothing.
    pub fn of<'a>(&self, all: &[&'a str]) -> Result<Vec<&'a str>, Diagnostics> {
        let unknown: Vec<Diagnostic> = self
            .patterns
            .iter()
            .filter(|(pattern, _)| !all.iter().any(|name| matches_glob(pattern, name)))
            .map(|(pattern, span)| {
                Diagnostic::error(format!("there is no bug called `{pattern}`"))
                    .at(&self.source, span.clone(), "selects nothing")
                    .suggest(pattern, all.iter().copied())
            })
            .collect();
        if !unknown.is_empty() {
            return Err(Diagnostics(unknown));
        }
        let selected = |name: &&str| {
            (self.patterns.is_empty() && !self.is_none)
                || self.patterns.iter().any(|(pattern, _)| matches_glob(pattern, name))
        };
        Ok(all.iter().copied().filter(selected).collect())
    }
}

/// Whether `name` matches `pattern`, in which `*` stands for any characters.
pub fn matches_glob(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::Config;
    use super::*;

    fn read(text: &str) -> Selection {
        Config::read(&Source::new("quick.toml", text), Path::new("quick.toml")).unwrap().bugs
    }

    #[test]
    fn bugs_are_selected_by_name_and_by_glob() {
        let selection = read("bugs = [\"find-*\", \"middle\"]");
        let all = ["expr", "find-1", "find-2", "middle"];
        assert_eq!(selection.of(&all).unwrap(), ["find-1", "find-2", "middle"]);
        let error = read("bugs = [\"midle\"]").of(&all).unwrap_err().to_string();
        assert!(error.contains("did you mean `middle`?"), "{error}");
    }

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, name, matches) in [
            ("a*c", "abbc", true),
            ("a*c", "ac", true),
            ("a*c", "abcd", false),
            ("*b*", "abc", true),
            ("aba*aba", "aba", false),
            ("*", "", true),
            ("", "", true),
        ] {
            assert_eq!(matches_glob(pattern, name), matches, "{pattern} {name}");
        }
    }
}
