//! From a config as it is written to one that can be relied on: its single values.

use std::sync::Arc;

use toml::Spanned;

use crate::base::diagnostic::{Diagnostic, Source};
use crate::base::share::Share;
use crate::produce::{self, Lengths};

use super::Names;

/// So often is everything done at most: each repetition is some tasks for each bug, all of which are planned
/// before the first one begins.
const MOST_REPETITIONS: u32 = 10_000;

/// Collects what is wrong, so that all of it is told at once.
pub(super) struct Checker<'s> {
    pub(super) source: &'s Arc<Source>,
    pub(super) errors: Vec<Diagnostic>,
}

impl Checker<'_> {
    /// A title is the name of a folder too.
    pub(super) fn title(&mut self, title: Option<Spanned<String>>) -> Option<String> {
        let title = title?;
        let text = title.get_ref();
        if text.is_empty() || text.starts_with('.') || text.contains(['/', '\0']) {
            self.errors.push(
                Diagnostic::error(format!("`{}` is no title", text.escape_default()))
                    .at(self.source, title.span(), "")
                    .help("results are put into a folder of that name: it has no `/` and begins with no dot"),
            );
        }
        Some(title.into_inner())
    }

    pub(super) fn positive<N: Copy + PartialEq + From<u8>>(
        &mut self,
        number: Option<&Spanned<N>>,
        default: N,
    ) -> N {
        match number {
            Some(number) if *number.get_ref() == N::from(0) => {
                self.errors.push(Diagnostic::error("this must be at least 1").at(
                    self.source,
                    number.span(),
                    "",
                ));
                default
            }
            Some(number) => *number.get_ref(),
            None => default,
        }
    }

    /// How often everything is done.
    pub(super) fn repetitions(&mut self, number: Option<&Spanned<u32>>) -> u32 {
        if let Some(number) = number.filter(|number| *number.get_ref() > MOST_REPETITIONS) {
            let message = format!("at most {MOST_REPETITIONS} repetitions are possible");
            self.errors.push(Diagnostic::error(message).at(self.source, number.span(), ""));
            return 1;
        }
        self.positive(number, 1)
    }

    pub(super) fn share(&mut self, share: Option<&Spanned<f64>>, default: Share) -> Share {
        let Some(share) = share else { return default };
        Share::of(*share.get_ref()).unwrap_or_else(|wrong| {
            self.errors.push(Diagnostic::error(wrong).at(self.source, share.span(), ""));
            default
        })
    }

    pub(super) fn lengths(&mut self, text: Option<&Spanned<String>>, default: Lengths) -> Lengths {
        let Some(text) = text else { return default };
        text.get_ref().parse().unwrap_or_else(|error: produce::LengthError| {
            let place = Diagnostic::error(error.to_string()).at(self.source, text.span(), "");
            self.errors.push(place);
            default
        })
    }

    pub(super) fn paths(&mut self, symbols: Option<&Spanned<usize>>, default: usize) -> usize {
        let Some(symbols) = symbols else { return default };
        let possible = produce::Settings::PATHS;
        if !possible.contains(symbols.get_ref()) {
            let (least, most) = (possible.start(), possible.end());
            let message = format!("a path to cover has {least} to {most} symbols");
            self.errors.push(Diagnostic::error(message).at(self.source, symbols.span(), ""));
        }
        *symbols.get_ref()
    }

    pub(super) fn one_of<T: Copy>(
        &mut self,
        word: Option<&Spanned<String>>,
        words: &[(&str, T)],
        default: T,
    ) -> T {
        let Some(word) = word else { return default };
        if let Some((_, value)) = words.iter().find(|(known, _)| known == word.get_ref()) {
            return *value;
        }
        let known: Vec<&str> = words.iter().map(|(known, _)| *known).collect();
        self.errors.push(
            Diagnostic::error(format!("`{}` is not known here", word.get_ref()))
                .at(self.source, word.span(), "")
                .suggest(word.get_ref(), known.iter().copied())
                .help(format!("possible are: {}", known.join(", "))),
        );
        default
    }

    pub(super) fn plug_ins(
        &mut self,
        kind: &str,
        names: Option<Names>,
        known: &[&str],
        default: &[&str],
    ) -> Vec<String> {
        let Some(names) = names else { return default.iter().map(|&name| name.to_owned()).collect() };
        let mut found: Vec<String> = Vec::new();
        if names.get_ref().is_empty() {
            self.errors.push(
                Diagnostic::error(format!("the campaign has no {kind}"))
                    .at(self.source, names.span(), "")
                    .help(format!(
                        "leave the list out for `{}`; there are: {}",
                        default.join("`, `"),
                        known.join(", ")
                    )),
            );
        }
        for name in names.into_inner() {
            let (word, span) = (name.get_ref(), name.span());
            let error = if !known.contains(&word.as_str()) {
                Diagnostic::error(format!("there is no {kind} called `{word}`"))
                    .at(self.source, span, "")
                    .suggest(word, known.iter().copied())
                    .help(format!("there are: {}", known.join(", ")))
            } else if found.contains(word) {
                Diagnostic::error(format!("the {kind} `{word}` is named twice")).at(self.source, span, "")
            } else {
                found.push(word.clone());
                continue;
            };
            self.errors.push(error);
        }
        found
    }
}
