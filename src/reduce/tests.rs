//! Reductions that judge ahead of need, against those that do not: the same result of the same questions, for every reducer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::prelude::*;

use super::sample::{grammar, json, random_tree};
use super::{Failing, REDUCERS, Syntax, reduce_confirmed};
use crate::base::budget::{Budget, StopReason};
use crate::base::random_stream::RandomStream;
use crate::grammar::Grammar;
use crate::oracle::{
    Ahead, Judge, Judgement, Oracle, OracleError, PassFigures, Rate, Speculation, TimeoutAs, Verdict,
};
use crate::parse::Parser;
use crate::tree::Tree;

/// Fails on a share of all inputs, and on `whole`. What an input comes to depends on it, and, where that is flaky, on the number of times that
/// it was judged.
struct Hashed {
    whole: Vec<u8>,
    salt: u8,
    /// Of 256 inputs.
    failing: u8,
    /// Of 256 runs on an input.
    flaky: u8,
    delay: Duration,
    runs: Mutex<HashMap<Vec<u8>, u8>>,
}

impl Hashed {
    fn new(whole: &[u8], salt: u8, failing: u8, flaky: u8) -> Self {
        let (whole, runs) = (whole.to_vec(), Mutex::default());
        Self { whole, salt, failing, flaky, delay: Duration::from_micros(30), runs }
    }
}

impl Oracle for Hashed {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        let run = {
            let mut runs = self.runs.lock().unwrap();
            let run = runs.entry(input.to_vec()).or_default();
            *run = run.wrapping_add(1);
            *run
        };
        let drawn = |more: &[u8]| *blake3::hash(&[input, &[self.salt], more].concat()).as_bytes();
        let of_input = drawn(&[]);
        std::thread::sleep(self.delay * u32::from(of_input[2] % 4));
        let fails = input == self.whole || of_input[0] < self.failing;
        let verdict = match (fails, drawn(&[run])[0] < self.flaky) {
            (true, false) | (false, true) => Verdict::Fail,
            (false, false) if of_input[1] < 50 => Verdict::Unresolved,
            _ => Verdict::Pass,
        };
        // Two ways to fail, so that some failures are others.
        Ok(Judgement::new(verdict, if of_input[3] < 200 || input == self.whole { "one" } else { "two" }))
    }
}

/// All that a reduction comes to: the result, why it ended, each question with what was seen, and what it took beside.
type Outcome = (Vec<u8>, StopReason, Vec<(Box<[u8]>, Judgement)>, u64, (u64, u64));

/// A reduction with `jobs` executions at once, confirmed where `confirms`.
fn reduced(
    name: &str,
    (grammar, tree): (&Grammar, &Tree),
    oracle: Hashed,
    budget: Budget,
    jobs: usize,
    confirms: bool,
) -> (Outcome, Ahead) {
    let oracle: Arc<dyn Oracle> = Arc::new(oracle);
    let text = tree.text(grammar);
    let parser = Parser::new(Arc::new(grammar.clone()));
    let parse = |text: &[u8]| parser.first_tree(text);
    let derives = |text: &[u8]| parser.recognizes(text);
    let failing =
        Failing { text: &text, syntax: Some(Syntax { grammar, tree, parse: &parse, derives: &derives }) };
    let rate = Rate::measured(&oracle, TimeoutAs::Pass, &text).unwrap();
    let speculation = (jobs > 1).then(|| Speculation::new(Arc::clone(&oracle), TimeoutAs::Pass, jobs));
    let asked: &dyn Oracle = speculation.as_ref().map_or(&oracle, |speculation| speculation);
    let mut judge = Judge::new(asked).with_budget(budget).seeking_one_failure();
    if let Some(speculation) = &speculation {
        judge = judge.speculating(speculation);
    }
    let reducer = REDUCERS.parse(name, &[]).unwrap().make;
    let reduced = if confirms && rate.failed > 0 {
        judge = judge.confirming(&text, rate);
        reduce_confirmed(&*reducer, failing, &mut judge).unwrap().0
    } else {
        reducer.reduce(failing, &mut judge).unwrap()
    };
    let (again, confirmations) = (judge.asked_again(), judge.confirmations());
    let outcome = (reduced.text, reduced.stop, judge.into_log(), again, confirmations);
    (outcome, speculation.map_or(Ahead::default(), |speculation| speculation.ahead()))
}

/// The names of all reducers, with one that is composed.
fn reducers() -> impl Strategy<Value = String> {
    let composed =
        "{ name = \"mine\", passes = [\"perses\", \"identifiers\", \"windows\"], minimizer = \"probdd\" }";
    let words = "{ name = \"ddmin\", units = \"tokens\", minimizer = \"cdd\" }";
    let names = REDUCERS.names().filter(|name| *name != "passes").map(str::to_owned);
    prop::sample::select(names.chain([composed.to_owned(), words.to_owned()]).collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn what_is_judged_ahead_changes_neither_the_result_nor_what_is_counted(
        name in reducers(),
        seed: u64,
        salt: u8,
        failing in prop::sample::select(vec![0u8, 10, 60, 130, 220]),
        flaky in prop::sample::select(vec![0u8, 0, 20]),
        limit in prop::option::of(1u64..60),
        confirms: bool,
    ) {
        let grammar = json();
        let tree = random_tree(&grammar, &mut RandomStream::derive(seed, "tree"), 5);
        let text = tree.text(&grammar);
        prop_assume!(text.len() < 200);
        let of = |jobs| {
            let budget = Budget { executions: Some(limit.unwrap_or(300)), ..Budget::default() };
            let oracle = Hashed::new(&text, salt, failing, if confirms { flaky } else { 0 });
            reduced(&name, (&grammar, &tree), oracle, budget, jobs, confirms)
        };
        let (alone, none) = of(1);
        prop_assert_eq!(none, Ahead::default());
        for jobs in [2, 4] {
            let (several, ahead) = of(jobs);
            prop_assert_eq!(&several, &alone, "{} with {} jobs", name, jobs);
            prop_assert!(ahead.used <= several.2.len() as u64);
        }
    }
}

/// What makes it worth while: most of what is asked was judged before, or was being judged.
#[test]
fn what_is_asked_was_mostly_judged_ahead() {
    let grammar = grammar(&["list = [ es ]", "es = e | e , es", "e = d | d e", "d = [0123456789]"]);
    let text = b"[17,4,803,5,22,9,31,7,6,50,2]";
    let tree = super::sample::parsed(&grammar, text);
    for name in REDUCERS.names().filter(|name| *name != "passes") {
        let oracle = Hashed { delay: Duration::from_micros(700), ..Hashed::new(text, 7, 8, 0) };
        let (outcome, ahead) = reduced(name, (&grammar, &tree), oracle, Budget::default(), 2, false);
        let asked = outcome.2.len() as u64;
        assert!(3 * ahead.used >= asked || asked < 12, "{name}: {ahead:?} of {asked}");
    }
}

/// Each execution but the first is in some pass, and each byte that is gone was removed by one; also where work began again.
#[test]
fn the_figures_of_passes_add_up() {
    let grammar = json();
    for (seed, flaky) in (0..8).flat_map(|seed| [(seed, 0), (seed, 20)]) {
        let tree = random_tree(&grammar, &mut RandomStream::derive(seed, "tree"), 5);
        let text = tree.text(&grammar);
        let parser = Parser::new(Arc::new(grammar.clone()));
        let parse = |text: &[u8]| parser.first_tree(text);
        let derives = |text: &[u8]| parser.recognizes(text);
        let failing = Failing {
            text: &text,
            syntax: Some(Syntax { grammar: &grammar, tree: &tree, parse: &parse, derives: &derives }),
        };
        for name in ["auto", "perses", "{ passes = [\"hdd\", \"tokens\", \"windows\"] }"] {
            let oracle = Hashed::new(&text, 3, 60, flaky);
            let rate = Rate::measured(&oracle, TimeoutAs::Pass, &text).unwrap();
            if rate.failed == 0 {
                continue;
            }
            let mut judge =
                Judge::new(&oracle).with_budget(Budget::of_executions(200)).confirming(&text, rate);
            let reducer = REDUCERS.parse(name, &[]).unwrap().make;
            let (reduced, _) = reduce_confirmed(&*reducer, failing, &mut judge).unwrap();
            let sum = |figure: fn(&PassFigures) -> u64| judge.passes().iter().map(figure).sum::<u64>();
            assert_eq!(sum(|pass| pass.executions) + 1, judge.executions(), "{name}");
            assert_eq!(sum(|pass| pass.bytes_removed) as usize, text.len() - reduced.text.len(), "{name}");
            assert!(judge.passes().iter().all(|pass| pass.accepted <= pass.executions && pass.turns > 0));
        }
    }
}
