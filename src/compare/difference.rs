//! What is found out about one figure of one row.

use serde::Serialize;

/// What became of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It got worse, and that is no accident, or more than the settings allow.
    Worse,
    /// It got better in the same sense.
    Better,
    /// It is another one, which is neither good nor bad, or may be an accident.
    Changed,
    /// There was something, and there is nothing.
    Missing,
    /// There was nothing, and there is something.
    New,
    /// Nothing has changed.
    Same,
}

impl Outcome {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Worse => "worse",
            Self::Better => "better",
            Self::Changed => "changed",
            Self::Missing => "missing",
            Self::New => "new",
            Self::Same => "same",
        }
    }
}

/// What is found out about one figure of one row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// What became of it.
    pub outcome: Outcome,
    /// The table, without `.csv`.
    pub table: &'static str,
    /// What the row is about.
    pub row: String,
    /// The figure.
    pub figure: &'static str,
    /// What it was.
    pub before: String,
    /// What it is.
    pub after: String,
    /// The p-value of a change for the worse, if it was tested.
    pub p: Option<f64>,
    /// The same, adjusted for the number of tests.
    pub p_adjusted: Option<f64>,
    /// The effect size A₁₂ of a test by ranks.
    pub a12: Option<f64>,
    /// After by before, of amounts.
    pub ratio: Option<f64>,
    /// The smallest drop of a share, in percentage points, that would be found with a probability of 80 %.
    pub smallest_drop: Option<f64>,
    /// What else there is to say.
    pub note: Option<String>,
}

impl Difference {
    /// Of a figure of which nothing else is known.
    pub fn new(outcome: Outcome, table: &'static str, row: &str, figure: &'static str) -> Self {
        Self {
            outcome,
            table,
            row: row.to_owned(),
            figure,
            before: String::new(),
            after: String::new(),
            p: None,
            p_adjusted: None,
            a12: None,
            ratio: None,
            smallest_drop: None,
            note: None,
        }
    }

    /// The same, which was `before` and is `after`.
    #[must_use]
    pub fn from_to(self, before: impl Into<String>, after: impl Into<String>) -> Self {
        Self { before: before.into(), after: after.into(), ..self }
    }

    /// The same with a note.
    #[must_use]
    pub fn noting(self, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..self }
    }
}
