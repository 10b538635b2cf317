//! What a table says of how two of it are compared: which rows are about the same, and what each column is. So a new
//! column is compared by what its own file says.

/// How two tables of a kind are compared.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// The columns that say what a row is about. Rows that agree in them are about the same, in several repetitions.
    pub key: &'static [&'static str],
    /// The column with the expression of which the row's shares and sizes are, if they are of one.
    pub given: Option<&'static str>,
    /// What is compared.
    pub columns: &'static [Compared],
    /// The columns that are not compared: they say what went in, or follow from others.
    pub others: &'static [&'static str],
}

/// What is compared.
#[derive(Clone, Copy, Debug)]
pub enum Compared {
    /// How many of how many: more is better.
    Share(ShareColumns),
    /// How much something costs: less is better.
    Executions(&'static str),
    /// How large something is: less is better.
    Size(&'static str),
    /// A count that is neither good nor bad.
    Count(&'static str),
    /// An answer; `yes` is better.
    Answer(&'static str),
    /// An expression, which is neither good nor bad unless the settings say so.
    Expression(&'static str),
    /// A text that is neither good nor bad.
    Text(&'static str),
}

/// The columns of a share.
#[derive(Clone, Copy, Debug)]
pub struct ShareColumns {
    /// What the columns of its percentage begin with.
    pub name: &'static str,
    /// How many.
    pub hits: &'static str,
    /// Of how many: the sum of these columns.
    pub of: &'static [&'static str],
    /// Which of its inputs hang together, as those that are made from a few others; the others are independent of each
    /// other.
    pub clustered: Option<Clustered>,
}

/// Rows whose inputs are made from a few others: a column, and what stands in it.
#[derive(Clone, Copy, Debug)]
pub struct Clustered {
    /// The column.
    pub column: &'static str,
    /// Its cells.
    pub cells: &'static [&'static str],
}

/// The columns of all tables that are not compared as figures: a row's version and error are looked at by themselves.
const COMMON: [&str; 5] = ["repetition", "version", "reintroduced", "seed", "error"];

impl Compared {
    /// The columns that it is made of.
    pub fn columns(&self) -> Vec<&'static str> {
        match *self {
            Self::Share(ShareColumns { hits, of, .. }) => of.iter().copied().chain([hits]).collect(),
            Self::Executions(column)
            | Self::Size(column)
            | Self::Count(column)
            | Self::Answer(column)
            | Self::Expression(column)
            | Self::Text(column) => vec![column],
        }
    }

    /// What it is called.
    pub fn name(&self) -> &'static str {
        match *self {
            Self::Share(ShareColumns { name, .. }) => name,
            Self::Executions(column)
            | Self::Size(column)
            | Self::Count(column)
            | Self::Answer(column)
            | Self::Expression(column)
            | Self::Text(column) => column,
        }
    }
}

impl Comparison {
    /// The columns that must be there.
    pub fn needs(&self) -> Vec<&'static str> {
        let compared = self.columns.iter().flat_map(Compared::columns);
        self.key.iter().copied().chain(self.given).chain(compared).collect()
    }

    /// Whether something is said of a column.
    pub fn knows(&self, column: &str) -> bool {
        let is_of_share = |compared: &Compared| match compared {
            Compared::Share(share) => {
                let rest = column.strip_prefix(share.name);
                matches!(rest, Some("_pct" | "_low_pct" | "_high_pct"))
            }
            _ => false,
        };
        self.needs().contains(&column)
            || self.others.contains(&column)
            || COMMON.contains(&column)
            || column.starts_with("paper_")
            || self.columns.iter().any(is_of_share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_known_if_something_is_said_of_it() {
        const FAIL: ShareColumns =
            ShareColumns { name: "fail", hits: "failed", of: &["made"], clustered: None };
        let comparison = Comparison {
            key: &["bug"],
            given: Some("expression"),
            columns: &[Compared::Share(FAIL), Compared::Size("rules")],
            others: &["transformer"],
        };
        let known = ["bug", "expression", "failed", "made", "rules", "transformer", "seed", "paper_fail_pct"];
        for column in known.into_iter().chain(["fail_pct", "fail_low_pct", "fail_high_pct"]) {
            assert!(comparison.knows(column), "{column}");
        }
        for column in ["", "fail", "fail_p", "pass_pct", "rules_pct", "bugs"] {
            assert!(!comparison.knows(column), "{column}");
        }
    }
}
