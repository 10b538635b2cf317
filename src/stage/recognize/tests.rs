//! Held-out inputs are new, of the grammar, and the same at every run.

use std::collections::HashSet;
use std::path::Path;

use crate::base::limits::Limits;
use crate::base::random_stream::RandomStream;
use crate::oracle::{Judge, Judgement, Oracle, OracleError, TimeoutAs, Verdict};
use crate::stage::StageRecord;
use crate::stage::target::{Syntax, Target};
use crate::store::Judged;
use crate::subject::builtin::Builtin;
use crate::subject::manifest::Manifest;

use super::draw::Material;
use super::held_out::{HeldOut, Search};
use super::{InputSource, RecognizeRecord, RecognizeSettings};

fn manifest(subject: &str) -> Manifest {
    Manifest::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects").join(subject))
        .expect("it is right")
}

/// A builtin bug, and what is done with it.
struct Setting {
    manifest: Manifest,
    settings: RecognizeSettings,
}

impl Setting {
    fn of(subject: &str) -> Self {
        Self { manifest: manifest(subject), settings: RecognizeSettings { inputs: 20, executions: 400 } }
    }

    fn held_out(&self, source: InputSource, oracle: Box<dyn Oracle>, met: &[Judged]) -> HeldOut {
        let bug = &self.manifest.bugs[0];
        let limits = Limits::default();
        let syntax = Syntax::read(self.manifest.default_grammar(), &limits).expect("the grammar is right");
        let target = Target { bug, inflated: None, syntax, oracle };
        let search = || {
            let judge = Judge::new(&*target.oracle);
            let met = met.iter().map(|judged| judged.input.bytes());
            Search::new(&self.settings, judge, RandomStream::derive(1, source.as_str()), bug, met)
        };
        let material = Material { target: &target, depth: 10, limits, timeout_as: TimeoutAs::default() };
        let held_out = match source {
            InputSource::Seen | InputSource::Random => material.random(search()),
            InputSource::Planted => material.planted(search(), &[]),
            InputSource::Neighbours => material.neighbours(search(), &[]),
            InputSource::Corpus => {
                let inputs = ["((1", "((2))", "(3)", "((2))"].map(|input| input.as_bytes().to_vec());
                material.corpus(search(), &inputs).map(|(held_out, unparsed)| {
                    assert_eq!(unparsed, 1);
                    held_out
                })
            }
        };
        held_out.expect("nothing stands in the way")
    }

    fn builtin(&self) -> Box<dyn Oracle> {
        Box::new(Builtin::named(&self.manifest.bugs[0].name).expect("it is builtin"))
    }
}

const DRAWN: [InputSource; 3] = [InputSource::Random, InputSource::Planted, InputSource::Neighbours];

fn count(held_out: &HeldOut, verdict: Verdict) -> usize {
    held_out.inputs.iter().filter(|judged| judged.verdict == verdict).count()
}

#[test]
fn enough_of_each_verdict_are_there_all_of_the_grammar_and_none_met_before() {
    // Of its random inputs every eighth or so fails.
    let setting = Setting::of("calculator");
    let bug = &setting.manifest.bugs[0];
    let parser = Syntax::read(setting.manifest.default_grammar(), &Limits::default())
        .expect("the grammar is right")
        .parser;
    for source in DRAWN {
        let all = setting.held_out(source, setting.builtin(), &[]);
        assert_eq!(all, setting.held_out(source, setting.builtin(), &[]), "{source:?} depends on more");
        assert!(count(&all, Verdict::Fail).min(count(&all, Verdict::Pass)) >= 20, "{source:?}: {all:?}");
        let texts: HashSet<&[u8]> = all.inputs.iter().map(|judged| judged.input.bytes()).collect();
        assert_eq!(texts.len(), all.inputs.len(), "{source:?}");
        assert!(texts.iter().all(|text| parser.recognizes(text).expect("no limit")), "{source:?}");
        assert!(!texts.contains(bug.input.as_slice()) && !texts.contains(bug.passing.as_slice()));
        // What a generalizer has executed is passed over.
        let met: Vec<Judged> = all.inputs.iter().step_by(2).cloned().collect();
        let rest = setting.held_out(source, setting.builtin(), &met);
        assert!(rest.duplicates >= all.duplicates.min(met.len() as u64), "{source:?}");
        assert!(rest.inputs.iter().all(|judged| !met.iter().any(|met| met.input == judged.input)));
    }
}

#[test]
fn the_budget_ends_a_search() {
    let mut setting = Setting::of("expr");
    setting.settings = RecognizeSettings { inputs: 1_000, executions: 30 };
    for source in DRAWN {
        let held_out = setting.held_out(source, setting.builtin(), &[]);
        assert_eq!(held_out.inputs.len(), 30, "{source:?}");
    }
}

#[test]
fn inputs_of_a_corpus_are_taken_where_they_parse() {
    let setting = Setting::of("expr");
    let held_out = setting.held_out(InputSource::Corpus, setting.builtin(), &[]);
    let found: Vec<(&[u8], Verdict)> =
        held_out.inputs.iter().map(|judged| (judged.input.bytes(), judged.verdict)).collect();
    assert_eq!(found, [(&b"((2))"[..], Verdict::Fail), (b"(3)", Verdict::Pass)]);
    assert_eq!((held_out.duplicates, held_out.executions), (1, 2));
}

/// Fails where a text occurs that random inputs hardly ever have.
struct Rare;

impl Oracle for Rare {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        let text = String::from_utf8_lossy(input);
        let verdict = if text.contains("2 * 3 / 4") { Verdict::Fail } else { Verdict::Pass };
        Ok(Judgement::new(verdict, ""))
    }
}

#[test]
fn where_random_inputs_do_not_fail_those_with_failing_parts_do_and_that_is_said() {
    let setting = Setting::of("expr");
    let random = setting.held_out(InputSource::Random, Box::new(Rare), &[]);
    assert_eq!((count(&random, Verdict::Fail), random.inputs.len()), (0, 400));
    let planted = setting.held_out(InputSource::Planted, Box::new(Rare), &[]);
    assert!(count(&planted, Verdict::Fail) >= 20, "{}", count(&planted, Verdict::Fail));
    let mut record =
        RecognizeRecord { executions: 400, pass_total: 400, ..RecognizeRecord::new(InputSource::Random) };
    assert!(record.warning().is_some_and(|warning| warning.contains("`planted`")));
    record.fail_total = 1;
    assert_eq!(record.warning(), None);
}

/// A failing input is one change away from many others: an element more in a list is among them.
#[test]
fn neighbours_have_insertions() {
    let setting = Setting::of("html");
    let held_out = setting.held_out(InputSource::Neighbours, setting.builtin(), &[]);
    let longer = |judged: &&Judged| judged.input.bytes().len() > setting.manifest.bugs[0].input.len();
    assert!(held_out.inputs.iter().filter(longer).count() * 4 > held_out.inputs.len());
}
