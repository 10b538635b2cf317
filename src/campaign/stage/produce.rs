//! Produces inputs from a specialized grammar and has them judged: one half of a row of Table I.

use std::sync::Arc;

use crate::base::budget::Interrupt;
use crate::base::stream::Stream;
use crate::oracle::Verdict;
use crate::pattern::Expression;
use crate::produce::{Equalizer, distinct, producer};
use crate::store::{Escape, Produce, Record, Side};
use crate::transform::Transformer;
use crate::validate::{Answer, AutomatonValidator, Unanswered, Validator};

use super::super::bench::Bench;
use super::super::config::Settings;
use super::{Done, StageError, judge, limits, specialize, verdicts};

/// Produces inputs that satisfy the expression (F) or its negation (not F), until so many distinct
/// ones were resolved as the settings ask for.
///
/// Where the base grammar is ambiguous, an input can have another derivation tree than the one it was
/// produced from, which may betray it; so every input is validated again, and of F only those are
/// kept whose every parse satisfies the expression, of not F those of which none does.
pub fn produce(
    bench: &Bench,
    expression: &Arc<Expression>,
    (transformer, name): (&dyn Transformer, &str),
    side: Side,
    settings: &Settings,
    mut stream: Stream,
    interrupt: &Interrupt,
) -> Done {
    let special = specialize::side(&bench.grammar, expression, transformer, side)?;
    let limits = limits(settings, interrupt);
    let producer = producer(name, &special, bench.parser.lexis(), &settings.producer, &limits)?;
    let validator = AutomatonValidator::new(Arc::clone(&bench.parser), Arc::clone(expression), limits)?;
    let keep = match side {
        Side::F => Answer::Every,
        Side::NotF => Answer::None,
    };
    let producer = Equalizer::around(producer, &bench.parser, expression, side == Side::F);
    let mut judge = judge(bench, settings.timeout_as, interrupt);
    let produced = distinct(
        &*producer,
        special.start(),
        &mut stream,
        settings.inputs,
        |input: &[u8]| -> Result<bool, StageError> {
            match validator.validate(input) {
                Err(Unanswered::Exceeded(exceeded)) => return Err(exceeded.into()),
                answer if answer != Ok(keep) => return Ok(false),
                _ => {}
            }
            Ok(judge.judge_surely(input)? != Verdict::Unresolved)
        },
    )?;
    let executions = judge.executions();
    let log = judge.into_log();
    let mut record = Produce {
        side,
        producer: name.to_owned(),
        wanted: settings.inputs as u64,
        inputs: executions,
        produced: produced.produced as u64,
        verdicts: verdicts(&log, settings.timeout_as),
        escapes: Vec::new(),
    };
    for (input, judgement) in log {
        let escapes = match settings.timeout_as.count(judgement.verdict) {
            Verdict::Fail => side == Side::NotF,
            Verdict::Pass => side == Side::F,
            Verdict::Unresolved | Verdict::Timeout => false,
        };
        if escapes {
            record.escapes.push(Escape::new(input, &judgement));
        }
    }
    Ok((Record::Produce(record), executions))
}
