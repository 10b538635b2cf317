//! The tables of the sample campaign as snapshots, and what must hold of all tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;

use crate::reduce::REDUCERS;
use crate::report::paper;
use crate::stage::recognize::RecognizeRecord;
use crate::stage::settings::Variants;
use crate::stage::specialize::{Equality, SpecializeRecord};
use crate::stage::{
    ExpressionKey, InputSource, Record, Registered, Settings, SpecializeTask, StageRecord, Task, sample,
};
use crate::store::sample::ended;
use crate::store::{Event, Store};

use super::*;

/// The store after the sample campaign, its tasks ended in the order of `ends`.
fn store(ends: &[Vec<Event>]) -> (tempfile::TempDir, Store) {
    let (folder, mut store) = crate::store::sample::store();
    for event in sample::begin().iter().chain(ends.iter().flatten()) {
        store.apply(event).unwrap();
    }
    store.commit().unwrap();
    (folder, store)
}

fn read(store: &Store) -> Results {
    Results::read(store).unwrap()
}

/// The name and the text of every table of `store`, and the summary.
fn texts(folder: &Path, store: &Store) -> Vec<(String, String)> {
    let results = read(store);
    let tables = Tables::of(&results);
    let files = tables.write(&folder.join("tables")).unwrap();
    let mut texts: Vec<(String, String)> = files
        .iter()
        .map(|file| {
            (file.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(file).unwrap())
        })
        .collect();
    let summary = tables.summary(&files).replace(&folder.display().to_string(), "FOLDER");
    texts.push(("summary".into(), summary));
    texts
}

#[test]
fn the_tables_of_the_sample_campaign() {
    let (folder, store) = store(&sample::ends());
    for (name, text) in texts(folder.path(), &store) {
        insta::assert_snapshot!(name, text);
    }
}

#[test]
fn tables_are_rectangles_and_the_summary_is_narrow() {
    let (folder, store) = store(&sample::ends());
    for (name, text) in texts(folder.path(), &store) {
        if name == "summary" {
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        } else {
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            let columns = reader.headers().unwrap().len();
            assert!(reader.records().all(|record| record.unwrap().len() == columns), "{name}");
        }
    }
}

#[test]
fn a_campaign_that_was_not_begun_has_tables() {
    let (folder, mut store) = crate::store::sample::store();
    let results = read(&store);
    let tables = Tables::of(&results);
    let files = tables.write(folder.path()).unwrap();
    assert_eq!(tables.summary(&files).lines().count(), 4);
    store.apply(&sample::planned(&sample::tasks())).unwrap();
    Tables::of(&read(&store)).write(folder.path()).unwrap();
    let text = fs::read_to_string(folder.path().join("producing.csv")).unwrap();
    assert_eq!(text.matches(",not run\n").count(), 4, "{text}");
    let text = fs::read_to_string(folder.path().join("totals.csv")).unwrap();
    assert!(text.contains("\nproducing,,default,perses,ddset,automaton,limit,fail,4,4,0,0,0,"), "{text}");
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".part")), "{left:?}");
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_that_names_it() {
    let (folder, store) = store(&[]);
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = Tables::of(&read(&store)).write(&file.join("tables")).unwrap_err().to_string();
    assert!(error.contains("file/tables"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Tasks end in any order; some were begun, and their events seen, by runs that were killed.
    #[test]
    fn tables_depend_neither_on_the_order_of_completion_nor_on_interruptions(
        ends in Just(sample::ends()).prop_shuffle(),
        interrupted in proptest::collection::vec((any::<prop::sample::Index>(), 0usize..4), 0..4),
    ) {
        let expected = store(&sample::ends());
        let expected = texts(expected.0.path(), &expected.1);
        let begun = interrupted.into_iter().map(|(index, events)| {
            let mut events: Vec<Event> = index.get(&ends)[..].iter().take(events).cloned().collect();
            events.retain(|event| !matches!(event, Event::TaskEnded { .. }));
            events
        });
        let events: Vec<Vec<Event>> = begun.chain([sample::begin()]).chain(ends.iter().cloned()).collect();
        let (folder, store) = store(&events);
        prop_assert_eq!(texts(folder.path(), &store), expected);
    }
}

/// The rows of a table, by column.
fn rows(texts: &[(String, String)], table: &str) -> Vec<BTreeMap<String, String>> {
    let (_, text) = texts.iter().find(|(name, _)| name == table).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(Result::unwrap).collect()
}

#[test]
fn the_papers_figures_stand_beside_seen_inputs_only() {
    let (folder, store) = store(&sample::ends());
    for row in rows(&texts(folder.path(), &store), "recognizing.csv") {
        let known = paper::recognizing().row(&row["bug"]).is_some();
        assert_eq!(!row["paper_fail_pct"].is_empty(), known && row["source"] == "seen", "{row:?}");
    }
}

/// Two reducers, two repetitions each; and the bug whose expression is given by hand.
fn store_of_variants() -> (tempfile::TempDir, Store) {
    let (folder, mut store) = crate::store::sample::store();
    let mut settings = Settings { repetitions: 2, ..Settings::default() };
    settings.reduce.reducers =
        Variants(vec![REDUCERS.get("perses").unwrap(), REDUCERS.get("ddmin").unwrap()]);
    let tasks = sample::tasks_of(&sample::BUGS, &settings);
    store.apply(&sample::planned(&tasks)).unwrap();
    for task in tasks {
        store.apply(&ended(&task.name(), Ok(sample::stored(&task)))).unwrap();
    }
    (folder, store)
}

#[test]
fn each_combination_of_plug_ins_has_a_total_of_its_rows() {
    let (folder, store) = store_of_variants();
    let texts = texts(folder.path(), &store);
    assert_eq!(rows(&texts, "producing.csv").len(), 3 * 4 + 2);
    let totals = rows(&texts, "totals.csv");
    let of = |reducer: &str, figure: &str| {
        let is_it = |row: &&BTreeMap<String, String>| {
            row["table"] == "producing" && row["reducer"] == reducer && row["figure"] == figure
        };
        let found: Vec<_> = totals.iter().filter(is_it).collect();
        let [row] = found[..] else { panic!("{found:?}") };
        assert_eq!((&*row["rows"], &*row["rows_missing"]), ("8", "0"));
        let number = |column: &str| row[column].parse::<u64>().unwrap_or_default();
        [number("count"), number("of"), number("paper_of"), number("printed_of")]
    };
    for reducer in ["perses", "ddmin"] {
        assert_eq!(of(reducer, "fail"), [8 * 95, 8 * 96, 300, 701], "each bug of the paper once");
        assert_eq!(of(reducer, "pass"), [8 * 98, 8 * 99, 300, 682]);
        assert_eq!(of(reducer, "fail_of_all"), [8 * 95, 8 * 100, 0, 0]);
        assert_eq!((of(reducer, "pass_timeout")[0], of(reducer, "fail_unresolved")[0]), (8 * 2, 8 * 4));
    }
    let recognizing: Vec<_> = totals.iter().filter(|row| row["table"] == "recognizing").collect();
    assert_eq!(recognizing.len(), 2 * 5 * 11, "reducers, sources, figures");
    let (_, summary) = texts.last().unwrap();
    insta::assert_snapshot!(summary);
    assert!(summary.lines().all(|line| line.chars().count() <= 120), "{summary}");
}

/// A task of a campaign about an expression, and what `transformer` found.
fn specialized(transformer: &str, change: impl FnOnce(&mut SpecializeRecord)) -> (Task, Event) {
    let expression = ExpressionKey::OfConfig("empty key".into());
    let task = SpecializeTask { expression, transformer: transformer.into() }.into_task();
    let mut record = sample::specialized();
    change(&mut record);
    let end = ended(&task.name(), Ok(Record::Specialize(record.into()).stored()));
    (task, end)
}

#[test]
fn half_a_specialization_is_a_row_with_its_error() {
    let (folder, mut store) = crate::store::sample::store();
    let (tasks, ends): (Vec<Task>, Vec<Event>) = [
        specialized("automaton", |_| {}),
        specialized("mine", |record| {
            record.negated = Err("too large".into());
            let counts = record.counts.as_mut().unwrap();
            counts.negated = None;
            counts.complement = None;
            counts.reference = Some(Equality::DiffersAt(13));
        }),
        specialized("yours", |record| {
            record.specialized = Err("no".into());
            record.negated = Err("no again".into());
            record.counts = Err("<s> derives just itself".into());
            assert!(record.failure().is_some());
        }),
    ]
    .into_iter()
    .unzip();
    store.apply(&sample::planned(&tasks)).unwrap();
    for end in ends {
        store.apply(&end).unwrap();
    }
    let texts = texts(folder.path(), &store);
    let of = |name: &str| texts.iter().find(|(known, _)| known == name).unwrap().1.clone();
    insta::assert_snapshot!(["transformers.csv", "errors.csv", "summary"].map(of).join("\n"));
}

/// What is stored when each task of the sample campaign found what `change` makes of its record.
fn texts_with(change: impl Fn(&mut Record)) -> Vec<(String, String)> {
    let (folder, mut store) = crate::store::sample::store();
    let tasks = sample::tasks();
    store.apply(&sample::planned(&tasks)).unwrap();
    for task in &tasks {
        let mut record = sample::record(task);
        change(&mut record);
        store.apply(&ended(&task.name(), Ok(record.stored()))).unwrap();
    }
    texts(folder.path(), &store)
}

/// Most subjects have no corpus: nobody wants to read so of each. A source that gave nothing although it should
/// have, is reported.
#[test]
fn a_source_without_inputs_is_a_row_and_no_line_on_the_terminal() {
    let lines = |change: fn(&mut RecognizeRecord)| {
        let texts = texts_with(|record| {
            if let Record::Recognize(record) = record
                && record.source == InputSource::Corpus
            {
                change(Arc::make_mut(record));
            }
        });
        let corpus = rows(&texts, "recognizing.csv").iter().filter(|row| row["source"] == "corpus").count();
        assert!(corpus > 0);
        let (_, summary) = texts.last().unwrap();
        summary.lines().filter(|line| line.contains(" corpus ")).count()
    };
    let whole = lines(|_| {});
    assert!(whole > 0);
    let none = |record: &mut RecognizeRecord| {
        (record.fail_accepted, record.fail_total, record.pass_rejected, record.pass_total) = (0, 0, 0, 0);
        (record.unresolved, record.unresolved_output, record.timeout, record.unknown) = (0, 0, 0, 0);
        (record.duplicates, record.unparsed, record.executions) = (0, 0, 0);
        record.mistakes.clear();
    };
    assert_eq!(lines(none), 0);
    assert_eq!(lines(|record| record.fail_total += 1), whole);
}
