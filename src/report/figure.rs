//! Figures that can be summed up over several rows of a table: counts and shares, ours beside the papers'.
//!
//! A table says of each row which figures it has. All that is made of several rows, such as a total, is made of these,
//! so that it cannot disagree with them.

use super::paper::PaperShare;
use super::statistics::{Percent, Proportion};

/// A count or a share; `None` where there is none because the work was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// How many.
    Count(Option<u64>),
    /// How many, of how many.
    Share(Option<Proportion>),
}

impl Value {
    /// Whether there is one.
    pub fn is_known(self) -> bool {
        !matches!(self, Self::Count(None) | Self::Share(None))
    }

    /// What all of `values` come to, of which those that are not known are left out. `self` says what kind they are.
    #[must_use]
    pub fn sum(self, values: impl IntoIterator<Item = Self>) -> Self {
        let none = match self {
            Self::Count(_) => Self::Count(Some(0)),
            Self::Share(_) => Self::Share(Some(Proportion::default())),
        };
        values.into_iter().fold(none, |sum, value| match (sum, value) {
            (Self::Count(Some(sum)), Self::Count(Some(value))) => Self::Count(Some(sum + value)),
            (Self::Share(Some(sum)), Self::Share(Some(value))) => Self::Share(Some(sum + value)),
            (sum, _) => sum,
        })
    }

    /// How many, whatever the kind.
    pub fn count(self) -> Option<u64> {
        match self {
            Self::Count(count) => count,
            Self::Share(share) => share.map(|share| share.hits),
        }
    }

    /// The share, if it is one.
    pub fn share(self) -> Option<Proportion> {
        if let Self::Share(share) = self { share } else { None }
    }
}

/// Which way a figure of one run is better than that of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// The larger one.
    More,
    /// The smaller one.
    Less,
    /// Neither: it says what was there.
    Neither,
}

/// How a figure is shown to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// What it is called.
    pub label: &'static str,
    /// Which way it is better.
    pub better: Better,
    /// The percentage that the paper prints without saying of how many inputs.
    pub print: Option<Percent>,
}

/// A figure of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure {
    /// What its columns begin with, or are called.
    pub name: &'static str,
    /// How it is shown; `None` where it stands in the files alone.
    pub shown: Option<Shown>,
    /// What was measured.
    pub value: Value,
    /// What the paper has for the same bug.
    pub paper: Option<Value>,
    /// What the paper prints as the total over its bugs.
    pub printed: Option<&'static PaperShare>,
}

impl Figure {
    /// A count.
    pub fn count(name: &'static str, count: Option<u64>) -> Self {
        Self { name, shown: None, value: Value::Count(count), paper: None, printed: None }
    }

    /// A share.
    pub fn share(name: &'static str, share: Option<Proportion>) -> Self {
        Self { name, shown: None, value: Value::Share(share), paper: None, printed: None }
    }

    /// The same, shown to readers.
    #[must_use]
    pub fn called(self, label: &'static str, better: Better) -> Self {
        Self { shown: Some(Shown { label, better, print: None }), ..self }
    }

    /// The same, shown beside the whole percentage that the paper prints.
    #[must_use]
    pub fn beside_print(self, percent: Option<u64>) -> Self {
        let tenths = percent.and_then(|percent| u16::try_from(10 * percent).ok());
        let print = tenths.map(Percent::of_tenths);
        Self { shown: self.shown.map(|shown| Shown { print, ..shown }), ..self }
    }

    /// The same, with the count that the paper has.
    #[must_use]
    pub fn beside_count(self, paper: Option<u64>) -> Self {
        Self { paper: paper.map(|count| Value::Count(Some(count))), ..self }
    }

    /// The same, with the share that the paper has, and its printed total.
    #[must_use]
    pub fn beside_share(self, paper: Option<&PaperShare>, printed: &'static PaperShare) -> Self {
        let share = paper.map(|paper| Value::Share(Some(paper.share())));
        Self { paper: share, printed: paper.map(|_| printed), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_leaves_out_what_is_not_known() {
        let counts = [Some(2), None, Some(3)].map(Value::Count);
        assert_eq!(counts[1].sum(counts), Value::Count(Some(5)));
        assert_eq!(counts[0].sum([]), Value::Count(Some(0)));
        let shares = [Some(Proportion::new(1, 2)), None, Some(Proportion::new(3, 3))].map(Value::Share);
        assert_eq!(shares[1].sum(shares).share(), Some(Proportion::new(4, 5)));
        assert_eq!(shares[0].sum(shares).count(), Some(4));
        assert!(!counts[1].is_known() && !shares[1].is_known() && counts[0].is_known());
    }
}
