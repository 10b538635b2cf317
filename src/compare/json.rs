//! A comparison for programs: one object, described in docs/compare.md.

use serde_json::{Value, json};

use super::comparison::Comparison;
use super::difference::Outcome;

/// The comparison as an object.
pub fn json(comparison: &Comparison) -> Value {
    json!({
        "before": comparison.before,
        "after": comparison.after,
        "regression": comparison.is_regression(),
        "worse": comparison.of(Outcome::Worse).count(),
        "better": comparison.of(Outcome::Better).count(),
        "tests": comparison.tests,
        "alpha": comparison.alpha,
        "notes": comparison.notes,
        "differences": comparison.differences,
    })
}
