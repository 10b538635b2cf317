//! Makes instances of an abstract input and has them judged: a row of Table 2 of *Abstracting
//! Failure-Inducing Inputs*.
//!
//! An instance is the abstract input with something at random in the place of each placeholder, the
//! same in all places that vary only together.

use std::collections::HashSet;

use crate::base::budget::Interrupt;
use crate::base::stream::Stream;
use crate::generalize::random_instance;
use crate::oracle::Verdict;
use crate::produce::producer;
use crate::store::{Escape, Generalize, Instantiate, Record};

use super::super::bench::Bench;
use super::super::config::Settings;
use super::{Done, StageError, judge, verdicts};

/// After so many instances in a row that are not new there are taken to be no more.
const MOST_IN_VAIN: usize = 2_000;

/// Judges distinct instances of what a generalization found, as many as the settings ask for or as
/// there are. What is no input of the grammar, since two words became one, is no instance.
pub fn instantiate(
    bench: &Bench,
    generalized: &Generalize,
    settings: &Settings,
    mut stream: Stream,
    interrupt: &Interrupt,
) -> Done {
    let producer = producer("limit", &bench.grammar, &settings.producer).map_err(StageError::failed)?;
    let mut judge = judge(bench, settings.timeout_as, interrupt);
    let mut seen: HashSet<Vec<u8>> = HashSet::new();
    let (mut instances, mut in_vain) = (0, 0);
    while instances < settings.instances && in_vain < MOST_IN_VAIN {
        let instance = random_instance(
            &bench.grammar,
            bench.parser.lexis(),
            &generalized.whole,
            &*producer,
            &mut stream,
        )?;
        if seen.contains(&instance) || !bench.parser.recognizes(&instance) {
            in_vain += 1;
            continue;
        }
        judge.judge_surely(&instance)?;
        seen.insert(instance);
        (instances, in_vain) = (instances + 1, 0);
    }
    let executions = judge.executions();
    let log = judge.into_log();
    let mut record = Instantiate {
        wanted: settings.instances as u64,
        instances: instances as u64,
        verdicts: verdicts(&log, settings.timeout_as),
        escapes: Vec::new(),
    };
    for (input, judgement) in log {
        if settings.timeout_as.count(judgement.verdict) == Verdict::Pass {
            record.escapes.push(Escape::new(input, &judgement));
        }
    }
    Ok((Record::Instantiate(record), executions))
}
