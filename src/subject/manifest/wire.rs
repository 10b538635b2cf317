//! `subject.toml` as it is written. Only the form is checked here; [`super::check`] does the rest.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use toml::Spanned;

use crate::oracle::Verdict;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub name: Spanned<String>,
    pub title: String,
    pub version: String,
    pub grammar: Option<Spanned<String>>,
    pub start: Option<Spanned<String>>,
    pub grammars: Option<Spanned<Vec<GrammarFile>>>,
    #[serde(default)]
    pub reintroduced: bool,
    pub origin: Option<String>,
    #[serde(default)]
    pub corpus: Vec<Spanned<String>>,
    pub prepare: Option<Prepare>,
    pub run: Spanned<Run>,
    pub worker: Option<Spanned<Worker>>,
    pub version_check: Option<VersionCheck>,
    #[serde(default)]
    pub bug: Vec<Spanned<Bug>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrammarFile {
    pub name: Spanned<String>,
    pub file: Spanned<String>,
    pub start: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prepare {
    pub script: Spanned<String>,
    #[serde(default)]
    pub inputs: Vec<Spanned<String>>,
    #[serde(default)]
    pub needs: Vec<String>,
    pub install: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    #[serde(default)]
    pub kind: Kind,
    pub argv: Option<Spanned<Vec<Spanned<String>>>>,
    pub input: Option<Spanned<Input>>,
    pub extension: Option<Spanned<String>>,
    pub timeout: Option<Spanned<String>>,
    pub wall: Option<Spanned<String>>,
    pub cpu: Option<Spanned<String>>,
    pub memory: Option<Spanned<String>>,
    pub output: Option<Spanned<String>>,
    pub file_size: Option<Spanned<String>>,
    pub processes: Option<Spanned<u32>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Worker {
    pub argv: Spanned<Vec<Spanned<String>>>,
    pub arguments: Spanned<Vec<Spanned<String>>>,
    pub restart_after: Option<Spanned<u32>>,
    pub timeout: Option<Spanned<String>>,
    pub start_timeout: Option<Spanned<String>>,
    pub memory: Option<Spanned<String>>,
    pub output: Option<Spanned<String>>,
    pub file_size: Option<Spanned<String>>,
    pub processes: Option<Spanned<u32>>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    #[default]
    Command,
    Builtin,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Input {
    File,
    Stdin,
    Argument,
    CommandLine,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionCheck {
    pub argv: Spanned<Vec<Spanned<String>>>,
    pub output: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bug {
    pub name: Spanned<String>,
    pub title: String,
    pub input: Option<Spanned<String>>,
    pub input_file: Option<Spanned<String>>,
    pub passing: Option<Spanned<String>>,
    pub passing_file: Option<Spanned<String>>,
    pub pattern: Option<String>,
    pub expression: Option<String>,
    pub inflate: Option<Spanned<String>>,
    pub arguments: Option<Spanned<Vec<String>>>,
    #[serde(default)]
    pub verdict: Vec<Spanned<Rule>>,
    #[serde(default)]
    pub paper_verdict: Vec<Spanned<Rule>>,
    #[serde(default)]
    pub check: Vec<Spanned<Check>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    pub exit: Option<i32>,
    pub signal: Option<Spanned<String>>,
    #[serde(default)]
    pub stdout: Texts,
    #[serde(default)]
    pub stderr: Texts,
    pub stdout_empty: Option<bool>,
    pub is: Is,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Is {
    Fail,
    Pass,
    Unresolved,
}

impl From<Is> for Verdict {
    fn from(is: Is) -> Self {
        match is {
            Is::Fail => Self::Fail,
            Is::Pass => Self::Pass,
            Is::Unresolved => Self::Unresolved,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    pub input: Option<Spanned<String>>,
    pub input_file: Option<Spanned<String>>,
    pub exit: Option<i32>,
    pub signal: Option<Spanned<String>>,
    #[serde(default)]
    pub stdout: Texts,
    #[serde(default)]
    pub stderr: Texts,
    pub stdout_empty: Option<bool>,
}

/// One text, or a list of them.
#[derive(Debug, Default)]
pub struct Texts(pub Vec<String>);

impl<'de> Deserialize<'de> for Texts {
    // By hand, since `untagged` would lose the place of an error.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrMore;

        impl<'de> Visitor<'de> for OneOrMore {
            type Value = Texts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a list of texts")
            }

            fn visit_str<E>(self, text: &str) -> Result<Texts, E> {
                Ok(Texts(vec![text.to_owned()]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Texts, A::Error> {
                let mut texts = Vec::new();
                while let Some(text) = list.next_element()? {
                    texts.push(text);
                }
                Ok(Texts(texts))
            }
        }

        deserializer.deserialize_any(OneOrMore)
    }
}
