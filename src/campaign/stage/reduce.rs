//! Makes the failing input of a bug smaller.

use crate::base::budget::{Interrupt, StopReason};
use crate::reduce::{Failing, Syntax, reducer};
use crate::store::{Record, Reduce};

use super::super::bench::Bench;
use super::super::config::Settings;
use super::{Done, StageError, judge, judged, make_sure};

/// Reduces the bug's failing input with the reducer called `name`.
pub fn reduce(bench: &Bench, name: &str, settings: &Settings, interrupt: &Interrupt) -> Done {
    let reducer =
        reducer(name).ok_or_else(|| StageError::failed(format!("there is no reducer called `{name}`")))?;
    let input = bench.failing();
    let tree = bench.parse(input).map_err(StageError::failed)?;
    let parse = |text: &[u8]| bench.parser.first_tree(text);
    let syntax = Syntax { grammar: &bench.grammar, tree: &tree, parse: &parse };
    let mut judge = judge(bench, settings.timeout_as, interrupt);
    let reduced = reducer.reduce(Failing { text: input, syntax: Some(syntax) }, &mut judge)?;
    if reduced.stop == StopReason::Interrupted {
        return Err(StageError::Interrupted);
    }
    make_sure(&mut judge, &reduced.text)?;
    let executions = judge.executions();
    let record = Reduce {
        reducer: name.to_owned(),
        input: input.into(),
        output: reduced.text.into(),
        judged: judged(judge.into_log()),
        executions,
        stop: reduced.stop,
    };
    Ok((Record::Reduce(record), executions))
}
