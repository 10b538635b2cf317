//! Validates inputs whose verdicts are known: a row of Table II.
//!
//! The papers take the inputs met while reducing and generalizing. Beside them stand held-out inputs,
//! which no stage before has met: random ones of the base grammar, and mutations of the failing input
//! (a subtree swapped for a random one), which fail far more often than random ones do.

use std::collections::HashSet;
use std::sync::Arc;

use crate::base::budget::Interrupt;
use crate::base::stream::Stream;
use crate::oracle::Verdict;
use crate::pattern::Expression;
use crate::produce::{Producer, distinct, producer};
use crate::store::{Judged, Mistake, Recognize, Record, Source};
use crate::tree::NodeId;
use crate::validate::{Answer, AutomatonValidator, Unanswered, Validator};

use super::super::bench::Bench;
use super::super::config::Settings;
use super::{Done, StageError, judge, judged, limits};

/// After so many mutations in a row that are not new, there are taken to be no more.
const MOST_REPETITIONS: usize = 2_000;

/// Validates the inputs that earlier tasks judged.
pub fn seen(
    bench: &Bench,
    expression: &Arc<Expression>,
    earlier: &[&[Judged]],
    settings: &Settings,
    interrupt: &Interrupt,
) -> Done {
    let mut known: HashSet<&[u8]> = HashSet::new();
    let all = earlier.iter().flat_map(|judged| judged.iter());
    let inputs: Vec<Judged> = all.filter(|judged| known.insert(judged.input.bytes())).cloned().collect();
    Ok((recognize(bench, expression, Source::Seen, &inputs, settings, interrupt)?, 0))
}

/// Makes inputs that no earlier task has met, has them judged, and validates them.
pub fn held_out(
    bench: &Bench,
    expression: &Arc<Expression>,
    settings: &Settings,
    mut stream: Stream,
    interrupt: &Interrupt,
) -> Done {
    let producer = producer(
        "limit",
        &bench.grammar,
        bench.parser.lexis(),
        &settings.producer,
        &limits(settings, interrupt),
    )?;
    let mut inputs = distinct(
        &*producer,
        expression.start,
        &mut stream,
        settings.held_out_random,
        |_: &[u8]| -> Result<bool, StageError> { Ok(true) },
    )?
    .inputs;
    let mut known: HashSet<Box<[u8]>> = inputs.iter().cloned().collect();
    known.insert(bench.failing().into());
    let mut repetitions = 0;
    let wanted = inputs.len() + settings.held_out_mutations;
    let mutations = Mutations::of(bench)?;
    while inputs.len() < wanted && repetitions < MOST_REPETITIONS {
        let input: Box<[u8]> = mutations.draw(&*producer, &mut stream)?.into();
        if known.insert(input.clone()) {
            repetitions = 0;
            inputs.push(input);
        } else {
            repetitions += 1;
        }
    }
    let mut judge = judge(bench, settings.timeout_as, interrupt);
    for input in &inputs {
        judge.judge(input)?;
    }
    let executions = judge.executions();
    let inputs = judged(judge.into_log());
    Ok((recognize(bench, expression, Source::HeldOut, &inputs, settings, interrupt)?, executions))
}

/// The failing input's nodes, and where their texts are.
struct Mutations<'a> {
    text: &'a [u8],
    nodes: Vec<(crate::grammar::NonterminalId, (usize, usize))>,
}

impl<'a> Mutations<'a> {
    fn of(bench: &'a Bench) -> Result<Self, StageError> {
        let text = bench.failing();
        let tree = bench.parse(text).map_err(StageError::failed)?;
        let spans = tree.spans(&bench.grammar);
        let place = |node: NodeId| Some((tree.nonterminal(&bench.grammar, node)?, spans[node]));
        Ok(Self { text, nodes: tree.preorder(tree.root()).filter_map(place).collect() })
    }

    /// The failing input with one subtree swapped for a random one.
    fn draw(&self, producer: &dyn Producer, stream: &mut Stream) -> Result<Vec<u8>, StageError> {
        let &(nonterminal, (start, end)) = stream.pick(&self.nodes);
        let mut text = self.text[..start].to_vec();
        producer.produce(nonterminal, stream, &mut text)?;
        text.extend_from_slice(&self.text[end..]);
        Ok(text)
    }
}

fn recognize(
    bench: &Bench,
    expression: &Arc<Expression>,
    source: Source,
    inputs: &[Judged],
    settings: &Settings,
    interrupt: &Interrupt,
) -> Result<Record, StageError> {
    let limits = limits(settings, interrupt);
    let validator = AutomatonValidator::new(Arc::clone(&bench.parser), Arc::clone(expression), limits)?;
    let mut record = Recognize {
        source,
        fail_accepted: 0,
        fail_total: 0,
        pass_rejected: 0,
        pass_total: 0,
        unresolved: 0,
        mistakes: Vec::new(),
    };
    for Judged { input, verdict } in inputs {
        let answer = match validator.validate(input.bytes()) {
            Ok(answer) => Some(answer),
            // What does not parse is not of any specialized grammar.
            Err(Unanswered::Syntax(_)) => None,
            Err(Unanswered::Exceeded(exceeded)) => return Err(exceeded.into()),
            Err(reason @ Unanswered::TooAmbiguous { .. }) => return Err(StageError::failed(reason)),
        };
        let accepted = answer.is_some_and(|answer| answer != Answer::None);
        let is_mistake = match settings.timeout_as.count(*verdict) {
            Verdict::Fail => {
                record.fail_total += 1;
                record.fail_accepted += u64::from(accepted);
                !accepted
            }
            Verdict::Pass => {
                record.pass_total += 1;
                record.pass_rejected += u64::from(!accepted);
                accepted
            }
            Verdict::Unresolved | Verdict::Timeout => {
                record.unresolved += 1;
                false
            }
        };
        if is_mistake {
            let answer = answer.map_or("unparsed", Answer::as_str).to_owned();
            record.mistakes.push(Mistake { input: input.clone(), verdict: *verdict, answer });
        }
    }
    Ok(Record::Recognize(record))
}
