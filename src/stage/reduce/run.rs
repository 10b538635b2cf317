//! What a reduction does.

use crate::oracle::{Judgement, Verdict};
use crate::reduce::{Failing, Minimality, Syntax, TreeSize};
use crate::tree::Tree;

use super::super::context::{Context, confirm_failure, judged};
use super::super::error::StageError;
use super::{InputSize, OneMinimal, Other, ReduceRecord, ReduceTask};

/// Reduces the bug's failing input.
pub(super) fn reduce(task: &ReduceTask, context: &Context<'_>) -> Result<(ReduceRecord, u64), StageError> {
    let target = context.target(&task.repetition)?;
    let reducer = context.settings.reduce.reducers.get(&task.reducer)?;
    let input = target.failing();
    let tree = target.parse(input)?;
    let parse = |text: &[u8]| target.parser().first_tree(text);
    let derives = |text: &[u8]| target.parser().recognizes(text);
    let syntax = Syntax { grammar: target.grammar(), tree: &tree, parse: &parse, derives: &derives };
    let mut judge = context.judge(&target);
    if !context.settings.reduce.any_failure {
        judge = judge.seeking_one_failure();
    }
    let reduced = reducer.reduce(Failing { text: input, syntax: Some(syntax) }, &mut judge)?;
    confirm_failure(&mut judge, &reduced.text)?;
    let size = |tree: Option<&Tree>| match tree.map(|tree| TreeSize::of(target.grammar(), tree)) {
        Some(TreeSize { tokens, nodes }) => {
            InputSize { tokens: Some(tokens as u64), nodes: Some(nodes as u64) }
        }
        None => InputSize::default(),
    };
    let mut one_minimal = OneMinimal::default();
    if context.settings.reduce.minimality {
        // A session of its own: what is asked here is no part of the reduction.
        let mut judge = context.judge(&target).seeking_what(&judge);
        let syntax = reduced.tree.as_ref().map(|tree| Syntax { tree, ..syntax });
        let Minimality { byte, token, subtree } = Minimality::of(&reduced.text, syntax, &mut judge)?;
        one_minimal = OneMinimal { bytes: byte, tokens: token, subtrees: subtree };
    }
    let (executions, asked_again) = (judge.executions(), judge.asked_again());
    let others = judge.other_failures().into_iter().map(Other::from).collect();
    let log = judge.into_log();
    let seen = |text: &[u8]| {
        log.iter().find(|(input, _)| **input == *text).map(|(_, judgement)| &judgement.evidence)
    };
    let is_unresolved = |(_, judgement): &&(Box<[u8]>, Judgement)| {
        context.timeout_as().count(judgement.verdict) == Verdict::Unresolved
    };
    let record = ReduceRecord {
        asked_again,
        unresolved: log.iter().filter(is_unresolved).count() as u64,
        input_size: size(Some(&tree)),
        output_size: size(reduced.tree.as_ref()),
        one_minimal,
        same_failure: seen(input) == seen(&reduced.text),
        others,
        input: input.into(),
        output: reduced.text.into(),
        judged: judged(&log),
        executions,
        stop: reduced.stop,
    };
    Ok((record, executions))
}
