//! What counts as a regression: the table `[compare]` of a config. Results do not depend on it.

use std::path::Path;
use std::sync::Arc;

use toml::Spanned;

use crate::base::diagnostic::{Diagnostics, Source};
use crate::base::keys::{Document, Keys};

/// What counts as a regression.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareSettings {
    /// The probability of a false alarm, over all that is tested in a comparison.
    pub alpha: f64,
    /// By this factor executions may rise.
    pub executions: f64,
    /// By this factor what is made may grow: reduced inputs, grammars.
    pub sizes: f64,
    /// By this factor the time of a stage may rise, over repetitions; `None` if that is never a regression.
    pub times: Option<f64>,
    /// By this factor either may rise where runs have other seeds and too few repetitions to test it.
    pub other_seeds: f64,
    /// Inputs that are made from a few others count as at most this number, where there are too few repetitions to say.
    pub clusters: u64,
    /// Whether an expression that is another one is a regression.
    pub patterns: Patterns,
}

/// What another expression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patterns {
    /// Something to look at.
    Shown,
    /// A regression.
    Regression,
}

impl Default for CompareSettings {
    fn default() -> Self {
        Self {
            alpha: 0.05,
            executions: 1.1,
            sizes: 1.1,
            times: None,
            other_seeds: 1.5,
            clusters: 6,
            patterns: Patterns::Shown,
        }
    }
}

impl CompareSettings {
    /// Takes its keys out of the top level of a config. Errors are reported to the document.
    pub fn read(keys: &mut Keys<'_>) -> Self {
        let (defaults, mut keys) = (Self::default(), keys.table("compare"));
        let patterns = [("shown", Patterns::Shown), ("regression", Patterns::Regression)];
        let read = Self {
            alpha: number(&mut keys, "alpha", defaults.alpha, "above 0 and below 1", |alpha| {
                alpha > 0.0 && alpha < 1.0
            }),
            executions: factor(&mut keys, "executions", defaults.executions),
            sizes: factor(&mut keys, "sizes", defaults.sizes),
            // Without it, no rise is too much.
            times: Some(factor(&mut keys, "times", f64::INFINITY)).filter(|factor| factor.is_finite()),
            other_seeds: factor(&mut keys, "other_seeds", defaults.other_seeds),
            clusters: keys.positive("clusters", defaults.clusters),
            patterns: keys.one_of("patterns", &patterns, defaults.patterns),
        };
        keys.end();
        read
    }

    /// Reads them out of a config, of which the rest is not looked at.
    ///
    /// # Errors
    /// What is wrong with them, or that the config is no TOML.
    pub fn of_config(source: &Arc<Source>) -> Result<Self, Diagnostics> {
        let document = Document::new(source, Path::new(""));
        let mut keys = document.keys()?;
        let read = Self::read(&mut keys);
        document.finish(read)
    }
}

fn factor(keys: &mut Keys<'_>, key: &'static str, default: f64) -> f64 {
    number(keys, key, default, "at least 1: it is a factor", |factor| factor >= 1.0 && factor.is_finite())
}

fn number(
    keys: &mut Keys<'_>,
    key: &'static str,
    default: f64,
    wanted: &str,
    is_right: impl Fn(f64) -> bool,
) -> f64 {
    let document = keys.document();
    let Some(number) = keys.take::<f64>(key).map(|number: Spanned<f64>| (number.span(), number.into_inner()))
    else {
        return default;
    };
    if !is_right(number.1) {
        document.wrong_at(number.0, format!("this must be {wanted}"));
    }
    number.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_keys_are_left_alone_and_wrong_ones_are_errors() {
        let read = |text: &str| CompareSettings::of_config(&Source::new("config.toml", text));
        assert_eq!(read("seed = 3\n").unwrap(), CompareSettings::default());
        let found =
            read("[compare]\nalpha = 0.01\nsizes = 2\npatterns = \"regression\"\ntimes = 1.3\n").unwrap();
        assert_eq!((found.alpha, found.sizes, found.patterns), (0.01, 2.0, Patterns::Regression));
        assert_eq!(found.times, Some(1.3));
        let error = |text: &str| read(text).unwrap_err().to_string();
        assert!(error("compare.alfa = 0.1").contains("did you mean `alpha`?"));
        assert!(error("compare.alpha = 1.5").contains("above 0 and below 1"));
        assert!(error("compare.executions = 0.9").contains("at least 1"));
    }
}
