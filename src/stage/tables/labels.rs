//! What the tables for the terminal have in common.

use std::collections::BTreeSet;

use crate::report::paper::{AccuracyTable, PaperShare};
use crate::report::statistics::Proportion;

use super::super::about::{About, PlugIns};

/// The label of a line that sums up.
const TOTAL: &str = "total";
/// The label of the line with the total as the paper prints it.
const TOTAL_IN_PRINT: &str = "total in print";

/// Where the transformer is in [`PlugIns::all`].
const TRANSFORMER: usize = 3;

/// How rows are distinguished on the terminal: by the bug, and by what differs between them.
pub struct Labels {
    repeated: bool,
    /// Which of the grammar and the kinds of plug-in differ.
    differ: [bool; 5],
}

impl Labels {
    /// The labels of these rows.
    pub fn of<'a>(rows: impl Iterator<Item = &'a About<'a>>) -> Self {
        let mut repeated = false;
        let mut names: [BTreeSet<&str>; 5] = Default::default();
        for about in rows {
            repeated |= about.repetition > 1;
            for (names, name) in names.iter_mut().zip(about.plug_ins.all()) {
                names.extend(name);
            }
        }
        Self { repeated, differ: names.map(|names| names.len() > 1) }
    }

    /// The same, for a table in which the transformer has a column.
    #[must_use]
    pub fn without_transformer(mut self) -> Self {
        self.differ[TRANSFORMER] = false;
        self
    }

    /// The label of a row.
    pub fn of_row(&self, about: &About<'_>) -> String {
        format!("{}{}", about.bug, self.but_for_the_bug(about))
    }

    /// The label of a row without its bug.
    pub fn but_for_the_bug(&self, about: &About<'_>) -> String {
        let repetition = if self.repeated { format!(" #{}", about.repetition) } else { String::new() };
        // In a row the grammar has its own name.
        let grammar = Some(about.grammar).filter(|grammar| !grammar.is_empty());
        let plug_ins = PlugIns { grammar, ..about.plug_ins };
        format!("{repetition}{}", self.of_plug_ins(plug_ins))
    }

    /// The label of a total.
    pub fn of_total(&self, plug_ins: PlugIns<'_>) -> String {
        format!("{TOTAL}{}", self.of_plug_ins(plug_ins))
    }

    fn of_plug_ins(&self, plug_ins: PlugIns<'_>) -> String {
        let names = plug_ins.all().into_iter().zip(self.differ);
        names
            .filter(|&(_, differ)| differ)
            .filter_map(|(name, _)| name)
            .map(|name| format!(" {name}"))
            .collect()
    }
}

/// Counts, percentage and interval.
pub fn share_cells(share: Option<Proportion>) -> [String; 3] {
    let text = |cell: Option<String>| cell.unwrap_or_default();
    [
        text(share.map(|share| format!("{}/{}", share.hits, share.of))),
        text(share.and_then(Proportion::percent).map(|percent| percent.to_string())),
        text(share.and_then(Proportion::interval).map(|(low, high)| format!("{low}-{high}"))),
    ]
}

/// The line with the printed total of `table`, whose figures begin after `first` columns.
pub fn printed_total(table: &AccuracyTable, first: usize) -> Vec<String> {
    let printed = table.printed_total();
    let mut cells = vec![TOTAL_IN_PRINT.to_owned()];
    cells.resize(first + 9, String::new());
    cells[first + 3] = printed.fail.percent.clone();
    cells[first + 7] = printed.pass.percent.clone();
    cells
}

/// Says where the printed total of the paper's `table` does not follow from its rows.
pub fn note_on_totals(name: &str, table: &AccuracyTable) -> String {
    let sentence = |(column, printed, sum): (usize, &PaperShare, PaperShare)| {
        format!(
            "Table {name} prints {} % of {} inputs as the total of column {column}; its rows come to {} % of {}.\n",
            printed.percent, printed.inputs, sum.percent, sum.inputs
        )
    };
    table.wrong_totals().into_iter().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_says_what_differs_and_nothing_else() {
        let row = |repetition, grammar, reducer| About {
            bug: "b",
            grammar,
            repetition,
            plug_ins: PlugIns { grammar: Some("chosen"), reducer: Some(reducer), ..PlugIns::default() },
            ..About::default()
        };
        let of = |rows: &[About<'_>]| {
            let labels = Labels::of(rows.iter());
            rows.iter().map(|about| labels.of_row(about)).collect::<Vec<_>>()
        };
        let one = row(1, "g", "perses");
        assert_eq!(of(&[one]), ["b"]);
        assert_eq!(of(&[one, row(2, "g", "perses")]), ["b #1", "b #2"]);
        assert_eq!(of(&[one, row(1, "g", "ddmin")]), ["b perses", "b ddmin"]);
        // Where grammars were chosen differently, a row has the name of its own, and a total what was chosen.
        let other = About { plug_ins: PlugIns { grammar: Some("other"), ..one.plug_ins }, ..one };
        assert_eq!(of(&[one, other]), ["b g", "b g"]);
        assert_eq!(of(&[About { grammar: "", ..one }, other]), ["b", "b g"]);
        assert_eq!(Labels::of([one, other].iter()).of_total(other.plug_ins), "total other");
    }
}
