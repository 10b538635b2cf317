//! Tests of the page as a whole: what is in it, that all of it is escaped, that nothing is loaded, and that its colours
//! can be read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::oracle::Verdict;
use crate::stage::{Record, Results, Task, sample};
use crate::store::sample::{ended, execution};
use crate::store::{Escape, Event, Input, Judged};

use crate::report::provenance::{self, Provenance};

use super::html::{SCRIPT, STYLE, page};
use super::trend::Trend;
use super::*;

/// What a program under test, a config and an error may say.
const HOSTILE: &str = "</script><img src=x onerror=alert(1)>\"'&amp;<b>]]>--><!--";

/// A campaign in which all that comes from outside is this text.
fn hostile() -> (tempfile::TempDir, Store) {
    let (folder, mut store) = crate::store::sample::store();
    for event in sample::begin() {
        store.apply(&event).unwrap();
    }
    let judged = |verdict| Judged { input: Input::from(HOSTILE), verdict, cut: None };
    let escape = Escape { input: Input::from(HOSTILE), verdict: Verdict::Pass, evidence: HOSTILE.into() };
    for task in sample::tasks() {
        let mut record = sample::record(&task);
        match &mut record {
            Record::Reduce(record) => {
                let record = Arc::make_mut(record);
                (record.input, record.output) = (Input::from(HOSTILE), Input::from(HOSTILE));
                record.judged = [judged(Verdict::Fail)].into();
            }
            Record::Generalize(record) => {
                let record = Arc::make_mut(record);
                record.expression = HOSTILE.into();
                record.abstract_input.as_mut().unwrap().compact = HOSTILE.into();
            }
            Record::Specialize(record) => Arc::make_mut(record).grammar_file = HOSTILE.into(),
            Record::Produce(record) => {
                let record = Arc::make_mut(record);
                record.escapes = vec![escape.clone()];
                record.judged = [judged(Verdict::Pass), judged(Verdict::Fail)].into();
            }
            _ => {}
        }
        store.apply(&execution(task.about().bug, HOSTILE, Verdict::Pass)).unwrap();
        let is_failed = matches!(&task, Task::Recognize(_));
        let result = if is_failed { Err(HOSTILE.to_owned()) } else { Ok(record.stored()) };
        store.apply(&Event::Warning { task: Some(task.name()), text: HOSTILE.into() }).unwrap();
        store.apply(&ended(&task.name(), result)).unwrap();
    }
    store.commit().unwrap();
    (folder, store)
}

/// The sample campaign.
fn plain() -> (tempfile::TempDir, Store) {
    let (folder, mut store) = crate::store::sample::store();
    for event in sample::begin().iter().chain(sample::ends().iter().flatten()) {
        store.apply(event).unwrap();
    }
    store.commit().unwrap();
    (folder, store)
}

fn text_of(store: &Store, surroundings: Surroundings) -> String {
    let mut results = Results::read(store).unwrap();
    results.campaign.config = format!("title = '''{HOSTILE}'''\n");
    page(&Report::read(&Tables::of(&results), store, surroundings).unwrap())
}

/// What a run was made with, in which all that comes from outside is `text`.
fn provenance(text: &str) -> Provenance {
    let value = serde_json::json!({
        "format": provenance::FORMAT,
        "grambench": { "version": text, "revision": text, "digest": text },
        "config": { "path": text, "title": text, "digest": text, "text": text },
        "seed": 1,
        "repetitions": 1,
        "subjects": [],
        "depends_on": [],
        "machine": { "host": text, "kernel": text, "processor": text, "cores": 2 },
        "sittings": [{
            "arguments": ["run", text], "jobs": 2, "begin": "2026-11-22T03:00:00Z", "end": null,
            "load_at_begin": 0.5, "load_at_end": null, "state": "unfinished",
            "tasks": { "planned": 3, "done": 0, "failed": 0 }
        }]
    });
    serde_json::from_value(value).unwrap()
}

/// Runs before one, in a folder, each with the tables of the sample campaign and begun a day after the one before.
fn earlier_runs(tables: &Tables<'_>, folder: &Path, runs: u32) -> Trend {
    for day in 1..=runs {
        let mut made_with = provenance("x");
        made_with.sittings[0].begin = format!("2026-11-{day:02}T03:00:00Z").parse().unwrap();
        made_with.sittings[0].state = provenance::State::Complete;
        let run = folder.join(format!("run-{day}"));
        tables.write(&run).unwrap();
        made_with.write(&run).unwrap();
    }
    let this = folder.join(format!("run-{runs}"));
    Trend::read(&this, &Provenance::read(&this).unwrap().unwrap())
}

#[test]
fn totals_of_earlier_runs_of_the_same_campaign_are_beside_those_of_this_one() {
    let (_folder, store) = plain();
    let results = Results::read(&store).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let tables = Tables::of(&results);
    let trend = earlier_runs(&tables, folder.path(), 3);
    let names = |trend: &Trend| trend.runs.iter().map(|run| run.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&trend), ["run-1", "run-2", "run-3"]);
    let charts = trend.charts(&tables);
    assert!(charts.len() > 5, "{charts:?}");
    for chart in &charts {
        // The same results, whatever they are.
        assert_eq!(chart.points.iter().map(|(place, _)| *place).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(chart.points.iter().all(|(_, value)| *value == chart.points[0].1), "{chart:?}");
    }
    let page = text_of(&store, Surroundings { trend: trend.clone(), ..Surroundings::default() });
    let (_, text) = parsed(&page);
    assert!(text.contains("2026-11-01") && page.contains("id=\"trend\""), "{text}");

    // What is of another campaign, has not ended, or is unreadable is none of these.
    let first = folder.path().join("run-1");
    let mut other = Provenance::read(&first).unwrap().unwrap();
    other.sittings[0].state = provenance::State::Interrupted;
    other.write(&first).unwrap();
    fs::write(folder.path().join("run-2").join(Provenance::FILE_NAME), "{").unwrap();
    let this = folder.path().join("run-3");
    let made_with = Provenance::read(&this).unwrap().unwrap();
    assert_eq!(Trend::read(&this, &made_with), Trend::default());
}

/// A tag with its attributes, as a browser reads it.
#[derive(Debug)]
struct Tag {
    name: String,
    is_end: bool,
    attributes: BTreeMap<String, String>,
}

fn unescaped(text: &str) -> String {
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")]
        .iter()
        .fold(text.to_owned(), |text, (name, character)| text.replace(name, character))
}

/// The tags of a page, and the text between them. Knows what templates write: attributes in double quotes, and nothing in
/// `style` and `script` but their text.
fn parsed(page: &str) -> (Vec<Tag>, String) {
    let (mut tags, mut text, mut rest) = (Vec::new(), String::new(), page);
    while let Some(begin) = rest.find('<') {
        text += &unescaped(&rest[..begin]);
        let tag = &rest[begin + 1..];
        let mut quoted = false;
        let end = tag.find(|c: char| {
            quoted ^= c == '"';
            c == '>' && !quoted
        });
        let end = end.unwrap_or_else(|| panic!("a tag does not end: {:.80}", tag));
        let mut attributes = BTreeMap::new();
        let name: String = tag[..end].chars().take_while(|c| !c.is_whitespace()).collect();
        let mut inner = tag[name.len()..end].trim_start();
        while !inner.is_empty() {
            let Some((key, value)) = inner.split_once("=\"") else {
                attributes.insert(inner.to_owned(), String::new());
                break;
            };
            let (value, after) = value.split_once('"').unwrap();
            attributes.insert(key.to_owned(), unescaped(value));
            inner = after.trim_start();
        }
        rest = &tag[end + 1..];
        if ["style", "script"].contains(&&*name) {
            rest = &rest[rest.find(&format!("</{name}>")).unwrap()..];
        }
        let is_end = name.starts_with('/');
        tags.push(Tag { name: name.trim_start_matches('/').to_owned(), is_end, attributes });
    }
    (tags, text + &unescaped(rest))
}

const VOID: [&str; 2] = ["!DOCTYPE", "meta"];

#[test]
fn tags_are_closed_ids_are_there_once_and_links_lead_somewhere() {
    for (_folder, store) in [plain(), hostile()] {
        let page = text_of(&store, Surroundings::default());
        let (tags, _) = parsed(&page);
        let mut open: Vec<&str> = Vec::new();
        for tag in tags.iter().filter(|tag| !VOID.contains(&&*tag.name)) {
            match tag.is_end {
                true => assert_eq!(open.pop(), Some(&*tag.name)),
                false => open.push(&tag.name),
            }
        }
        assert_eq!(open, [""; 0]);
        let mut ids = BTreeSet::new();
        for id in tags.iter().filter_map(|tag| tag.attributes.get("id")) {
            assert!(ids.insert(&**id), "{id} is there twice");
        }
        let files: BTreeSet<&str> = crate::stage::tables::all().iter().map(|table| table.file).collect();
        let links: Vec<&str> = tags.iter().filter_map(|tag| Some(&**tag.attributes.get("href")?)).collect();
        assert!(links.iter().filter(|link| link.starts_with('#')).count() > 10, "{links:?}");
        for link in links {
            let is_there = match link.strip_prefix('#') {
                Some(id) => ids.contains(id),
                None => files.contains(link),
            };
            assert!(is_there, "{link} leads nowhere");
        }
        let labels = tags.iter().filter_map(|tag| tag.attributes.get("aria-labelledby"));
        labels.for_each(|label| assert!(ids.contains(&**label), "{label}"));
    }
}

#[test]
fn what_comes_from_outside_is_text() {
    let (_folder, store) = hostile();
    let surroundings = Surroundings { provenance: Some(provenance(HOSTILE)), ..Surroundings::default() };
    let page = text_of(&store, surroundings);
    let (tags, text) = parsed(&page);
    let names: BTreeSet<&str> = tags.iter().map(|tag| &*tag.name).collect();
    for name in ["img", "b", "iframe", "link", "object"] {
        assert!(!names.contains(name), "{name}");
    }
    let handler = tags.iter().flat_map(|tag| tag.attributes.keys()).find(|key| key.starts_with("on"));
    assert_eq!(handler, None);
    assert_eq!(page.matches("<script").count(), 1);
    // All of it is there, in an input, an expression, a warning, an error, the title, and what is known of the machine.
    assert!(text.matches(HOSTILE).count() > 20, "{}", text.matches(HOSTILE).count());
    assert!(text.contains(&format!("{HOSTILE} – grambench")) && text.contains(&format!("kernel{HOSTILE}")));
}

#[test]
fn nothing_is_loaded() {
    let (_folder, store) = plain();
    let (tags, _) = parsed(&text_of(&store, Surroundings::default()));
    for tag in &tags {
        for key in ["src", "srcset", "data", "action", "poster", "style"] {
            assert!(!tag.attributes.contains_key(key), "{tag:?}");
        }
        assert!(!["link", "base", "iframe", "use", "image"].contains(&&*tag.name), "{tag:?}");
    }
    for text in [STYLE, SCRIPT] {
        for word in ["url(", "@import", "http", "//www", "fetch(", "XMLHttpRequest", "import("] {
            assert!(!text.contains(word), "{word}");
        }
    }
}

#[test]
fn charts_say_in_words_what_they_show() {
    let (_folder, store) = plain();
    let page = text_of(&store, Surroundings::default());
    let charts: Vec<&str> =
        page.split("<svg").skip(1).map(|rest| rest.split("</svg>").next().unwrap()).collect();
    assert!(charts.len() > 20, "{}", charts.len());
    for chart in charts {
        let (tag, inner) = chart.split_once('>').unwrap();
        let speaks =
            tag.contains("role=\"img\"") && inner.starts_with("<title>") && !inner.starts_with("<title></");
        assert!(speaks || tag.contains("aria-hidden=\"true\""), "{chart}");
    }
}

#[test]
fn the_page_says_what_the_tables_say() {
    let (_folder, store) = plain();
    let (_, text) = parsed(&text_of(&store, Surroundings::default()));
    // A share with its interval and the paper's figure, an input that escaped with what was seen, why there is no result,
    // and the command that shows an input again.
    for wanted in [
        "89.7 %, interval 84.9 to 93.1, paper 89.7 %",
        "95/96",
        "unfit: its input `find . -mtime 2` passes (exit 0), though it should fail",
        "the oracle is broken: no such file",
        "grambench inputs \"$RUN\" 'find-07b941b1/1/perses/ddset/automaton/produce limit F' | sed -n Np | cut -f 3 | \
         grambench parse --escaped --grammar subjects/find/find.ebnf",
        "no sandbox: the kernel has no Landlock",
    ] {
        assert!(text.contains(wanted), "{wanted} is missing in {text}");
    }
}

/// The page without the part that is about times.
fn without_times(page: &str) -> String {
    let begin = page.find("<div id=\"times\">").unwrap();
    let end = page[begin..].find("</section>").unwrap();
    format!("{}{}", &page[..begin], &page[begin + end..])
}

#[test]
fn the_page_is_the_same_for_the_same_results_but_for_times() {
    let (_folder, store) = plain();
    let once = text_of(&store, Surroundings::default());
    assert_eq!(once, text_of(&store, Surroundings::default()));
    let (_other, mut other) = crate::store::sample::store();
    for event in sample::begin().into_iter().chain(sample::ends().into_iter().rev().flatten()) {
        let event = match event {
            Event::TaskEnded { name, result, executions, .. } => {
                let wall = std::time::Duration::from_secs(77);
                Event::TaskEnded { name, result, wall, executions, runs: 5, judged_again: 0 }
            }
            event => event,
        };
        other.apply(&event).unwrap();
    }
    other.commit().unwrap();
    let again = text_of(&other, Surroundings::default());
    assert_ne!(once, again);
    assert_eq!(without_times(&once), without_times(&again));
}

#[test]
fn the_tables_are_there_as_markdown_and_latex() {
    let (_folder, store) = plain();
    let results = Results::read(&store).unwrap();
    insta::assert_snapshot!("report.md", markdown::tables(&Tables::of(&results)));
    insta::assert_snapshot!("report.tex", latex::tables(&Tables::of(&results)));
}

/// The colours of a scheme by their names: those in the first block after `begin`.
fn colours(begin: &str) -> BTreeMap<&'static str, [f64; 3]> {
    let block = STYLE.split_once(begin).unwrap().1.split_once('}').unwrap().0;
    let colour = |text: &str| {
        let digits: String = match text.len() {
            3 => text.chars().flat_map(|c| [c, c]).collect(),
            _ => text.to_owned(),
        };
        let number = u32::from_str_radix(&digits, 16).unwrap();
        [16, 8, 0].map(|shift| f64::from((number >> shift) & 0xff) / 255.0)
    };
    let pairs = block.split(';').filter_map(|line| line.trim().split_once(": #"));
    pairs.map(|(name, text)| (name, colour(text))).collect()
}

/// The contrast of two colours, as the Web Content Accessibility Guidelines 2.1 define it.
fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let luminance = |colour: [f64; 3]| {
        let linear = |part: f64| {
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue] = colour.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn all_text_can_be_read_in_every_scheme() {
    assert!((contrast([0.0; 3], [1.0; 3]) - 21.0).abs() < 1e-9);
    for begin in [":root {", "dark) {\n  :root {", "@media print {\n  :root {"] {
        let colours = colours(begin);
        for text in ["--text", "--quiet", "--accent", "--better", "--worse", "--paper"] {
            for ground in ["--ground", "--panel", "--sunken"] {
                let contrast = contrast(colours[text], colours[ground]);
                assert!(contrast >= 4.5, "{begin} {text} on {ground}: {contrast:.2}");
            }
        }
        let contrast = contrast(colours["--mark-text"], colours["--mark"]);
        assert!(contrast >= 4.5, "{begin} placeholders: {contrast:.2}");
    }
}
