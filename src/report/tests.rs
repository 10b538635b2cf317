//! The tables of the sample campaign as snapshots, and what must hold of all tables.

use std::fs;

use proptest::prelude::*;

use crate::store::sample;
use crate::store::{Equality, Event, PlannedTask, Record, Source, Specialize, Stage, Store, Variant};

use super::*;

/// The store after the sample campaign, its tasks ended in the order of `ends`.
fn store(ends: &[Vec<Event>]) -> (tempfile::TempDir, Store) {
    let (folder, mut store) = sample::store();
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
    let files = write_all(&read(store), &folder.join("tables")).unwrap();
    let mut texts: Vec<(String, String)> = files
        .iter()
        .map(|file| {
            (file.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(file).unwrap())
        })
        .collect();
    let summary = summary(&read(store), &files).replace(&folder.display().to_string(), "FOLDER");
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
            assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
        } else {
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            let columns = reader.headers().unwrap().len();
            assert!(reader.records().all(|record| record.unwrap().len() == columns), "{name}");
        }
    }
}

#[test]
fn a_campaign_that_was_not_begun_has_tables() {
    let (folder, mut store) = sample::store();
    let files = write_all(&read(&store), folder.path()).unwrap();
    assert_eq!(summary(&read(&store), &files).lines().count(), 3);
    store.apply(&Event::Planned { tasks: sample::plan().into(), finished: Vec::new() }).unwrap();
    write_all(&read(&store), folder.path()).unwrap();
    let text = fs::read_to_string(folder.path().join("producing.csv")).unwrap();
    assert_eq!(text.matches(",not run\n").count(), 4, "{text}");
    assert!(text.contains(",4 of 4 rows without figures\n"), "{text}");
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".part")), "{left:?}");
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_that_names_it() {
    let (folder, store) = store(&[]);
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = write_all(&read(&store), &file.join("tables")).unwrap_err().to_string();
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

#[test]
fn the_papers_figures_stand_beside_seen_inputs_only() {
    let (_folder, store) = store(&sample::ends());
    let results = Results::read(&store).unwrap();
    for row in recognizing::rows(&results) {
        let known = paper::recognizing().row(row.key.bug).is_some();
        assert_eq!(row.paper.is_some(), known && row.source == Source::Seen);
    }
}

/// Two reducers, two repetitions each; and the bug whose expression is given by hand.
fn store_of_variants() -> (tempfile::TempDir, Store) {
    let (folder, mut store) = sample::store();
    let mut tasks = Vec::new();
    for planned in sample::plan() {
        let reducers: &[&str] = if planned.subject == "json" { &["none"] } else { &["perses", "ddmin"] };
        for (&reducer, repetition) in reducers.iter().flat_map(|reducer| [(reducer, 1), (reducer, 2)]) {
            let mut task = planned.clone();
            let rename = |name: &str| format!("{name}/{reducer}/{repetition}");
            task.name = rename(&task.name);
            task.needs = task.needs.iter().map(|name| rename(name)).collect();
            task.variant.reducer = task.variant.reducer.map(|_| reducer.to_owned());
            task.repetition = repetition;
            tasks.push(task);
        }
    }
    store.apply(&Event::Planned { tasks: tasks.clone().into(), finished: Vec::new() }).unwrap();
    for task in tasks {
        let result = Ok(Box::new(sample::record(task.stage)));
        let wall = std::time::Duration::ZERO;
        store
            .apply(&Event::TaskEnded {
                name: task.name,
                result,
                wall,
                executions: 1,
                runs: 1,
                judged_again: 0,
            })
            .unwrap();
    }
    (folder, store)
}

#[test]
fn each_combination_of_plug_ins_has_a_total_of_its_rows() {
    let (folder, store) = store_of_variants();
    let results = Results::read(&store).unwrap();
    let rows = producing::rows(&results);
    assert_eq!(rows.len(), 3 * 4 + 2);
    let totals = producing::totals(&rows);
    let reducers: Vec<_> = totals.iter().map(|total| total.variant.reducer.as_deref()).collect();
    assert_eq!(reducers, [Some("perses"), Some("ddmin")]);
    for total in totals {
        assert_eq!((total.fail.share.hits, total.fail.share.of), (8 * 95, 8 * 96));
        assert_eq!((total.pass.timeout, total.fail.unresolved), (8 * 2, 8 * 4));
        assert_eq!(total.paper.map(|paper| paper.pass.inputs), Some(300), "each bug once");
        assert_eq!(total.error, "");
    }
    assert_eq!(recognizing::totals(&recognizing::rows(&results)).len(), 4);
    let (_, summary) = texts(folder.path(), &store).pop().unwrap();
    insta::assert_snapshot!(summary);
    assert!(summary.lines().all(|line| line.chars().count() <= 120), "{summary}");
}

/// A task of a campaign about an expression, and what `transformer` found.
fn specialized(transformer: &str, change: impl FnOnce(&mut Specialize)) -> [Event; 2] {
    let name = format!("expressions/empty key/specialize {transformer}");
    let task = PlannedTask {
        name: name.clone(),
        stage: Stage::Specialize,
        subject: String::new(),
        bug: None,
        expression: Some("empty key".into()),
        repetition: 1,
        variant: Variant { transformer: Some(transformer.into()), ..Variant::default() },
        version: String::new(),
        reintroduced: false,
        needs: Vec::new(),
    };
    let Record::Specialize(mut record) = sample::record(Stage::Specialize) else { unreachable!() };
    record.transformer = transformer.into();
    change(&mut record);
    let result = Ok(Box::new(Record::Specialize(record)));
    let end = Event::TaskEnded {
        name,
        result,
        wall: std::time::Duration::ZERO,
        executions: 0,
        runs: 0,
        judged_again: 0,
    };
    [Event::Planned { tasks: [task].into(), finished: Vec::new() }, end]
}

#[test]
fn half_a_specialization_is_a_row_with_its_error() {
    let (folder, mut store) = sample::store();
    let pairs = [
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
        }),
    ];
    let mut tasks = Vec::new();
    for [planned, end] in pairs {
        let Event::Planned { tasks: more, .. } = planned else { unreachable!() };
        tasks.extend(more.iter().cloned());
        store.apply(&Event::Planned { tasks: tasks.clone().into(), finished: Vec::new() }).unwrap();
        store.apply(&end).unwrap();
    }
    let texts = texts(folder.path(), &store);
    let of = |name: &str| texts.iter().find(|(known, _)| known == name).unwrap().1.clone();
    insta::assert_snapshot!(["transformers.csv", "errors.csv", "summary"].map(of).join("\n"));
}
