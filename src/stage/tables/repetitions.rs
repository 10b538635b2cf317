//! The figures of each bug over its repetitions: the pooled figure, as if all were one, beside what is said of the single
//! ones. Pooled inputs come from a few patterns, so the interval of a pooled share tells of inputs; that of the mean tells of
//! repetitions.

use serde::Serialize;

use crate::report::csv::{Csv, ShareCells};
use crate::report::figure::Value;
use crate::report::sample::Sample;
use crate::report::statistics::Percent;

use super::super::results::Results;
use super::{Figures, Make, StageTable, totals};

/// The table.
pub const TABLE: StageTable = StageTable {
    file: "repetitions.csv",
    title: "The figures of each bug over its repetitions",
    make: Make::OfFigures(table),
    screen: None,
    figures: None,
    compared: None,
};

/// A row of the table: a figure of a bug and a combination of plug-ins.
#[derive(Default, Serialize)]
struct Row<'a> {
    table: &'a str,
    subject: &'a str,
    bug: &'a str,
    grammar: &'a str,
    source: Option<&'a str>,
    reducer: Option<&'a str>,
    generalizer: Option<&'a str>,
    transformer: Option<&'a str>,
    producer: Option<&'a str>,
    figure: &'a str,
    unit: &'a str,
    repetitions: usize,
    repetitions_missing: usize,
    pooled_count: Option<u64>,
    pooled_of: Option<u64>,
    pooled_pct: Option<Percent>,
    pooled_low_pct: Option<Percent>,
    pooled_high_pct: Option<Percent>,
    mean: Option<String>,
    median: Option<String>,
    deviation: Option<String>,
    low: Option<String>,
    high: Option<String>,
    seed: u64,
}

/// A row for each figure of each bug that is repeated; none where nothing is.
fn table(results: &Results, figures: &[Figures<'_>]) -> Csv {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for Figures { table, rows: measured, .. } in figures {
        for (about, source, repetitions) in totals::pooled(measured) {
            // One alone has nothing to be said of.
            if repetitions.len() < 2 {
                continue;
            }
            let columns = repetitions.first().map_or(0, |row| row.figures.len());
            let of_column = |column: usize| repetitions.iter().map(move |row| row.figures[column]);
            rows.extend((0..columns).map(|column| {
                let first = repetitions[0].figures[column];
                let values: Vec<Value> = of_column(column).map(|figure| figure.value).collect();
                let pooled = first.value.sum(values.iter().copied());
                let share = ShareCells::from(pooled.share());
                let numbers: Vec<f64> = values.iter().filter_map(|&value| number(value)).collect();
                let missing = values.len() - numbers.len();
                let sample = Sample::of(numbers);
                let text = |number: Option<f64>| number.map(|number| format!("{number:.3}"));
                let interval = sample.and_then(|sample| sample.interval);
                Row {
                    table: table.name(),
                    subject: about.subject,
                    bug: about.bug,
                    grammar: about.grammar,
                    source,
                    reducer: about.plug_ins.reducer,
                    generalizer: about.plug_ins.generalizer,
                    transformer: about.plug_ins.transformer,
                    producer: about.plug_ins.producer,
                    figure: first.name,
                    unit: if matches!(first.value, Value::Share(_)) { "percent" } else { "count" },
                    repetitions: values.len(),
                    repetitions_missing: missing,
                    pooled_count: pooled.count(),
                    pooled_of: share.of,
                    pooled_pct: share.percent,
                    pooled_low_pct: share.low,
                    pooled_high_pct: share.high,
                    mean: text(sample.map(|sample| sample.mean)),
                    median: text(sample.map(|sample| sample.median)),
                    deviation: text(sample.and_then(|sample| sample.deviation)),
                    low: text(interval.map(|(low, _)| low)),
                    high: text(interval.map(|(_, high)| high)),
                    seed: results.seed(),
                }
            }));
        }
    }
    Csv::of(rows)
}

/// A figure as a number: a count, or a share in percent. A share of nothing is none.
fn number(value: Value) -> Option<f64> {
    match value {
        Value::Count(count) => count.map(|count| count as f64),
        Value::Share(share) => {
            let share = share.filter(|share| share.of > 0)?;
            Some(100.0 * share.hits as f64 / share.of as f64)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::statistics::Proportion;

    #[test]
    fn a_share_is_a_percentage_and_one_of_nothing_is_no_number() {
        let share = |hits, of| number(Value::Share(Some(Proportion { hits, of })));
        assert_eq!(number(Value::Count(Some(7))), Some(7.0));
        assert_eq!(number(Value::Count(None)), None);
        assert_eq!([share(1, 4), share(4, 4), share(0, 3)], [Some(25.0), Some(100.0), Some(0.0)]);
        assert_eq!([share(0, 0), number(Value::Share(None))], [None; 2]);
    }
}
