//! What became of the totals over earlier runs of the same campaign: those whose folders lie beside that of the run.
//!
//! Runs are of the same campaign if nothing that results depend on differs, but for the program, the seed, the number of
//! repetitions and the choice of bugs, as for comparing them. Their figures are those of their `totals.csv`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use jiff::Timestamp;
use serde::Deserialize;

use crate::report::figure::{Better, Value};
use crate::report::provenance::{Provenance, State};
use crate::report::statistics::Proportion;
use crate::stage::PlugIns;
use crate::stage::tables::labels::Labels;
use crate::stage::tables::{Figures, Tables, totals};

/// The number of earlier runs that are looked at, the newest.
const RUNS: usize = 60;

/// What a total is of: the table, the source of inputs, the plug-ins, and the figure.
type Key = Vec<Option<String>>;

/// A run with its totals.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The name of its folder.
    pub name: String,
    /// When it began.
    pub begin: Timestamp,
    /// The revision of the program.
    pub revision: Option<String>,
    /// The seed.
    pub seed: u64,
    /// The totals.
    totals: BTreeMap<Key, Sum>,
}

/// A total of an earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sum {
    /// Of how many rows.
    rows: usize,
    /// How many.
    count: u64,
    /// Of how many.
    of: Option<u64>,
}

/// Earlier runs, in the order in which they began, and this one as the last; none if there are no earlier ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trend {
    /// The runs.
    pub runs: Vec<Run>,
}

/// A figure over the runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Of which table.
    pub table: &'static str,
    /// Which figure.
    pub title: String,
    /// The runs that have it, by their places, with the figure.
    pub points: Vec<(usize, Value)>,
}

/// A row of `totals.csv`.
#[derive(Deserialize)]
struct Row {
    table: Option<String>,
    source: Option<String>,
    grammar: Option<String>,
    reducer: Option<String>,
    generalizer: Option<String>,
    transformer: Option<String>,
    producer: Option<String>,
    figure: Option<String>,
    rows: usize,
    rows_missing: usize,
    count: Option<u64>,
    of: Option<u64>,
}

fn key(table: &str, source: Option<&str>, plug_ins: PlugIns<'_>, figure: &str) -> Key {
    let mut key = vec![Some(table.to_owned()), source.map(str::to_owned)];
    key.extend(plug_ins.all().map(|name| name.map(str::to_owned)));
    key.push(Some(figure.to_owned()));
    key
}

impl Run {
    /// The run in `folder`, as far as it says when it began, and has totals.
    fn of(folder: &Path, provenance: &Provenance) -> Option<Self> {
        let begin = provenance.sittings.first()?.begin;
        let name = folder.canonicalize().ok()?.file_name()?.to_string_lossy().into_owned();
        let mut totals = BTreeMap::new();
        // An earlier version may have written something else: what it does not say, it does not say.
        if let Ok(mut reader) = csv::Reader::from_path(folder.join(totals::TABLE.file)) {
            for row in reader.deserialize::<Row>().flatten() {
                if let Some(count) = row.count {
                    let rows = row.rows.saturating_sub(row.rows_missing);
                    let sum = Sum { rows, count, of: row.of };
                    totals.insert(row.key(), sum);
                }
            }
        }
        let revision = provenance.grambench.revision.clone();
        Some(Self { name, begin, revision, seed: provenance.seed, totals })
    }
}

impl Row {
    fn key(self) -> Key {
        let Self { table, source, grammar, reducer, generalizer, transformer, producer, figure, .. } = self;
        vec![table, source, grammar, reducer, generalizer, transformer, producer, figure]
    }
}

impl Trend {
    /// The runs beside the folder `run` that are of the same campaign, and that were complete when it began.
    pub fn read(run: &Path, provenance: &Provenance) -> Self {
        let Some(this) = Run::of(run, provenance) else { return Self::default() };
        let Some(folders) = run.canonicalize().ok().and_then(|run| fs::read_dir(run.parent()?).ok()) else {
            return Self::default();
        };
        let earlier = |folder: &Path| {
            let other = Provenance::read(folder).ok()??;
            let is_complete = other.last()?.state == State::Complete;
            let is_before = other.sittings.first()?.begin < this.begin;
            let is_same = is_complete && is_before && provenance.differences(&other).changed.is_empty();
            is_same.then(|| Run::of(folder, &other))?
        };
        let mut runs: Vec<Run> = folders.flatten().filter_map(|entry| earlier(&entry.path())).collect();
        runs.sort_by(|one, other| (one.begin, &one.name).cmp(&(other.begin, &other.name)));
        runs.drain(..runs.len().saturating_sub(RUNS));
        if !runs.is_empty() {
            runs.push(this);
        }
        Self { runs }
    }

    /// A chart for each total that can be better or worse, and that an earlier run has too.
    pub fn charts(&self, tables: &Tables<'_>) -> Vec<Chart> {
        let Some((_, earlier)) = self.runs.split_last() else { return Vec::new() };
        let mut charts = Vec::new();
        for Figures { table, rows, totals } in &tables.figures {
            let names = Labels::of(rows.iter().map(|row| &row.about));
            for total in totals {
                for (column, sum) in total.figures.iter().enumerate() {
                    let shown = rows.first().and_then(|row| row.figures[column].shown);
                    let Some(shown) = shown.filter(|shown| shown.better != Better::Neither) else { continue };
                    let key = key(table.name(), total.source, total.plug_ins, sum.name);
                    let rows = total.rows - sum.missing;
                    let value = |run: &Run| value(sum.value, rows, *run.totals.get(&key)?);
                    let values = earlier.iter().map(value).enumerate();
                    let mut points: Vec<(usize, Value)> =
                        values.filter_map(|(place, value)| Some((place, value?))).collect();
                    if !points.is_empty() && says_anything(sum.value) {
                        points.push((earlier.len(), sum.value));
                        let of = names.of_total(total.plug_ins);
                        let of = of.trim_start_matches("total").trim();
                        let words = [shown.label, total.source.unwrap_or_default(), of];
                        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
                        charts.push(Chart { table: table.title, title: words.join(", "), points });
                    }
                }
            }
        }
        charts
    }
}

/// A figure of an earlier run, of the kind that `this` is, which is of this number of rows. A share is of inputs, however many; two
/// counts say something of each other only if they are of as many rows.
fn value(this: Value, rows: usize, earlier: Sum) -> Option<Value> {
    let Sum { count, of, .. } = earlier;
    let value = match (this, of) {
        (Value::Share(_), Some(of)) if count <= of => Value::Share(Some(Proportion::new(count, of))),
        (Value::Count(_), None) if rows == earlier.rows => Value::Count(Some(count)),
        _ => return None,
    };
    says_anything(value).then_some(value)
}

/// Whether there is a value, and not a share of nothing.
fn says_anything(value: Value) -> bool {
    value.is_known() && value.share().is_none_or(|share| share.of > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_earlier_figure_is_of_the_kind_of_this_one() {
        let share = Value::Share(Some(Proportion::new(1, 2)));
        let of = |this, rows, count, of| value(this, rows, Sum { rows: 7, count, of });
        assert_eq!(of(share, 5, 3, Some(4)), Some(Value::Share(Some(Proportion::new(3, 4)))));
        assert_eq!(of(share, 7, 3, None), None, "it was a count then");
        assert_eq!(of(share, 7, 0, Some(0)), None, "a share of nothing");
        assert_eq!(of(share, 7, 5, Some(4)), None);
        assert_eq!(of(Value::Count(None), 7, 3, None), Some(Value::Count(Some(3))));
        assert_eq!(of(Value::Count(None), 14, 3, None), None, "it has twice as many rows now");
    }
}
