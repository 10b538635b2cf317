//! The config file as it is written. Only the form is checked here; [`super::check`] does the rest.

use serde::Deserialize;
use toml::Spanned;

use super::super::{expressions, transformers};
use super::Names;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    pub title: Option<Spanned<String>>,
    pub seed: u64,
    pub repetitions: Option<Spanned<u32>>,
    pub subject_folder: Option<String>,
    pub bugs: Option<Vec<Spanned<String>>>,
    pub reducers: Option<Names>,
    pub generalizers: Option<Names>,
    pub transformers: Option<Names>,
    pub producers: Option<Names>,
    pub command_transformers: Vec<transformers::Entry>,
    pub expressions: Vec<expressions::Entry>,
    pub generalize: Generalize,
    pub instantiate: Instantiate,
    pub transform: Transform,
    pub produce: Produce,
    pub recognize: Recognize,
    pub oracle: Oracle,
    pub workers: Workers,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Generalize {
    pub checks: Option<Spanned<usize>>,
    pub characteristic: Option<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Instantiate {
    pub inputs: Option<Spanned<usize>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Transform {
    pub length: Option<usize>,
    pub states: Option<usize>,
    pub rules: Option<usize>,
    pub steps: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Produce {
    pub inputs: Option<Spanned<usize>>,
    pub depth: Option<u32>,
    pub length: Option<Spanned<String>>,
    pub paths: Option<Spanned<usize>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Recognize {
    pub random: Option<usize>,
    pub mutations: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Oracle {
    pub timeout_as: Option<Spanned<String>>,
    pub verdict: Option<Spanned<String>>,
    pub repeated: Option<Spanned<f64>>,
    pub flaky: Option<Spanned<f64>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Workers {
    #[serde(rename = "use")]
    pub are_used: Option<bool>,
    pub judged_again: Option<Spanned<f64>>,
}
