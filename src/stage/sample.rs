//! A small campaign, made up, for the tests of the tables: what `crate::store::sample` has, with tasks and records.

use std::sync::Arc;

use crate::base::budget::StopReason;
use crate::grammar::{GrammarBuilder, Name};
use crate::oracle::{TimeoutAs, Verdict};
use crate::pattern::{Expression, Pattern};
use crate::store::sample::{ended, execution, judged};
use crate::store::{Escape, Event, Input, PlannedTask, Stored, Verdicts};
use crate::tree::TreeBuilder;

use super::check::{CheckRecord, Fact};
use super::example::ExampleRecord;
use super::generalize::{AbstractText, GeneralizeRecord};
use super::inflate::InflateRecord;
use super::instantiate::InstantiateRecord;
use super::produce::{Parses, ProduceRecord};
use super::recognize::{InputOrigin, Mistake, RecognizeRecord};
use super::reduce::{InputSize, OneMinimal, Other, ReduceRecord};
use super::specialize::{DerivationCounts, Equality, Size, SpecializeRecord};
use super::*;

/// The tasks of these subjects and bugs; one of `json` has its expression given by hand.
pub(crate) fn tasks_of(bugs: &[(&str, &str)], settings: &Settings) -> Vec<Task> {
    fn grow(step: PlanStep<'_>, settings: &Settings, tasks: &mut Vec<Task>) {
        for task in Task::next(&step, settings) {
            tasks.push(task.clone());
            grow(PlanStep::Task(&task), settings, tasks);
        }
    }
    let mut tasks = Vec::new();
    for &(subject, name) in bugs {
        let bug = Arc::new(BugKey {
            subject: subject.into(),
            name: name.into(),
            version: if subject == "find" { "4.9.0" } else { "1" }.into(),
            reintroduced: subject == "find",
            grammar: GrammarKey { name: "manual".into(), is_default: true },
            inflate: None,
        });
        for number in 1..=settings.repetitions {
            let repetition = Arc::new(Repetition { bug: Arc::clone(&bug), number });
            match subject {
                "json" => grow(PlanStep::Expression(&ExpressionKey::OfBug(repetition)), settings, &mut tasks),
                _ => grow(PlanStep::Repetition(&repetition), settings, &mut tasks),
            }
        }
    }
    tasks
}

/// The bugs of the sample.
pub(crate) const BUGS: [(&str, &str); 4] =
    [("find", "find-07b941b1"), ("find", "find-c8491c11"), ("find", "find-dbcb10e9"), ("json", "json-check")];

/// Two bugs of find, one of which fails in the middle, one that is unfit, and one that needs no
/// generalization and was not begun.
pub(crate) fn tasks() -> Vec<Task> {
    tasks_of(&BUGS, &Settings::default())
}

/// The plan of these tasks.
pub(crate) fn planned(tasks: &[Task]) -> Event {
    let planned: Vec<PlannedTask> = tasks.iter().map(|task| task.planned(task.name())).collect();
    Event::Planned { tasks: planned.into(), left_out: 0, finished: Vec::new() }
}

/// What comes before the tasks.
pub(crate) fn begin() -> Vec<Event> {
    let begin = crate::store::sample::begin().into_iter();
    begin.map(|event| if let Event::Planned { .. } = event { planned(&tasks()) } else { event }).collect()
}

/// The ends of the tasks, in the order of the plan. Executions and warnings stand before the end.
pub(crate) fn ends() -> Vec<Vec<Event>> {
    let end = |task: Task| {
        let (name, bug) = (task.name(), task.about().bug);
        let is_late = !matches!(task, Task::Reduce(_) | Task::Generalize(_) | Task::Instantiate(_));
        let result = match (bug, &task) {
            ("find-dbcb10e9" | "json-check", _) => return None,
            ("find-c8491c11", Task::Specialize(_)) => Err("the oracle is broken: no such file".to_owned()),
            ("find-c8491c11", _) if is_late => return None,
            _ => Ok(stored(&task)),
        };
        let is_not_f = matches!(&task, Task::Produce(task) if task.side == Side::NotF);
        let warning = is_not_f.then(|| Event::Warning {
            task: Some(name.clone()),
            text: "only 99 of 100 distinct inputs came in 10000 draws".into(),
        });
        let mut events = vec![
            Event::TaskBegun { name: name.clone() },
            execution(bug, &format!("find . -{}", task.stage()), Verdict::Fail),
            execution(bug, "find .", Verdict::Pass),
        ];
        events.extend(warning);
        events.push(ended(&name, result));
        Some(events)
    };
    tasks().into_iter().filter_map(end).collect()
}

/// What a task may have found, as it is stored.
pub(crate) fn stored(task: &Task) -> Stored {
    record(task).stored()
}

/// What a task may have found.
pub(crate) fn record(task: &Task) -> Record {
    match task {
        Task::Check(_) => Record::Check(Arc::new(CheckRecord {
            findings: vec![Fact { bug: None, text: "`find .`: exit 0".into(), holds: true }],
            inputs: [1, 0],
            judged: judged(),
            grammar: "<command> ::= \"find\" (\" \" <word>)*\n<word> ::= [!-~]+\n".into(),
        })),
        Task::Inflate(_) => Record::Inflate(Arc::new(InflateRecord {
            input: Input::from("find . -regex '.*'"),
            executions: 7,
        })),
        Task::Reduce(_) => Record::Reduce(Arc::new(ReduceRecord {
            input: Input::from("find . -regex '.*'"),
            output: Input::from(b"find -regex \xff\\"),
            judged: judged(),
            executions: 213,
            asked_again: 17,
            unresolved: 20,
            input_size: InputSize { tokens: Some(9), nodes: Some(40) },
            output_size: InputSize { tokens: Some(5), nodes: Some(21) },
            one_minimal: OneMinimal { bytes: Some(false), tokens: Some(true), subtrees: None },
            same_failure: true,
            others: vec![Other {
                evidence: "SIGABRT".into(),
                verdict: Verdict::Pass,
                inputs: 2,
                smallest: Input::from("find -x"),
            }],
            stop: StopReason::Done,
        })),
        Task::Generalize(_) => Record::Generalize(Arc::new(generalized(pattern()))),
        Task::Instantiate(_) => Record::Instantiate(Arc::new(InstantiateRecord {
            wanted: 100,
            instances: 90,
            verdicts: Verdicts {
                fail: 80,
                pass: 1,
                unresolved: 8,
                unresolved_output: 3,
                timeout: 1,
                timeout_wall: 1,
                timeout_as: TimeoutAs::Pass,
            },
            escapes: vec![Escape {
                input: Input::from("find . -regex ''"),
                verdict: Verdict::Pass,
                evidence: "exit 0".into(),
            }],
            judged: judged(),
        })),
        Task::Specialize(_) => Record::Specialize(Arc::new(specialized())),
        Task::Produce(task) => Record::Produce(Arc::new(produced(task.side))),
        Task::Recognize(task) => Record::Recognize(Arc::new(RecognizeRecord {
            source: task.source,
            fail_accepted: 191,
            fail_total: 213,
            pass_rejected: 7,
            pass_total: 7,
            unresolved: 12,
            unresolved_output: 2,
            timeout: 1,
            timeout_wall: 0,
            unknown: 1,
            duplicates: 3,
            unparsed: 0,
            executions: if task.source == InputSource::Seen { 0 } else { 233 },
            mistakes: vec![Mistake {
                input: Input::from("find . -iregex x"),
                verdict: Verdict::Fail,
                answer: "rejected".into(),
            }],
            sources: vec![(InputOrigin::HeldOut(InputSource::Random), 1)],
            judged: judged(),
        })),
        Task::Example(_) => Record::Example(Arc::new(ExampleRecord { bytes: 7 })),
    }
}

/// A generalization to a pattern.
pub(crate) fn generalized(pattern: Pattern) -> GeneralizeRecord {
    GeneralizeRecord {
        pattern_text: "<test> is \"-regex <regex>\"".into(),
        expression: "<command A> where <test A> is \"-regex <regex>\"".into(),
        model: Expression::contains(pattern.characteristic(), "F", pattern.clone()),
        abstract_input: Some(AbstractText {
            text: "find <path> -regex <regex>".into(),
            compact: "find . -regex <regex>".into(),
            pattern,
            visible_nonterminals: 2,
            invisible_nonterminals: 4,
            shared: vec![3, 2],
            remaining_chars: 13,
        }),
        holds_for_input: true,
        judged: judged(),
        executions: 213,
        phases: vec![("abstraction".into(), 200), ("isolation".into(), 10), ("characteristic".into(), 3)],
        stop: StopReason::Budget,
    }
}

/// A specialization of which all is well.
pub(crate) fn specialized() -> SpecializeRecord {
    SpecializeRecord {
        grammar_file: "find.ebnf".into(),
        formula: "A".into(),
        expression: "<command A> where <test A> is \"-regex <regex>\"".into(),
        base: Size { nonterminals: 50, rules: 200 },
        is_unambiguous: false,
        specialized: Ok(Size { nonterminals: 60, rules: 260 }),
        negated: Ok(Size { nonterminals: 55, rules: 220 }),
        counts: Ok(DerivationCounts {
            shortest: Some(3),
            longest: 20,
            base: "100000000000000000000".into(),
            specialized: Some("1".into()),
            negated: Some("99999999999999999999".into()),
            complement: Some(Equality::Equal),
            reference: Some(Equality::Equal),
        }),
    }
}

fn produced(side: Side) -> ProduceRecord {
    ProduceRecord {
        side,
        wanted: 100,
        parses_wanted: Parses::Every,
        parses: Parses::Every,
        inputs: if side == Side::F { 100 } else { 99 },
        produced: 140,
        verdicts: Verdicts {
            fail: if side == Side::F { 95 } else { 1 },
            pass: if side == Side::F { 1 } else { 96 },
            unresolved: if side == Side::F { 4 } else { 0 },
            unresolved_output: if side == Side::F { 1 } else { 0 },
            timeout: if side == Side::F { 0 } else { 2 },
            timeout_wall: if side == Side::F { 0 } else { 1 },
            timeout_as: TimeoutAs::Pass,
        },
        escapes: vec![Escape {
            input: Input::from(b"find . -name \"a,b\"\n\xff"),
            verdict: if side == Side::F { Verdict::Pass } else { Verdict::Fail },
            evidence: if side == Side::F { "exit 0" } else { "SIGSEGV" }.into(),
        }],
        judged: judged(),
    }
}

/// The pattern `<s> is ""`.
fn pattern() -> Pattern {
    let mut builder = GrammarBuilder::new();
    let start = builder.nonterminal(Name::base("s"));
    let rule = builder.rule(start, []);
    let grammar = builder.finish(start);
    let mut tree = TreeBuilder::new();
    let root = tree.node(rule, &[]);
    Pattern::from_tree(&grammar, &tree.finish(root), root, |_, _| None)
}

#[test]
fn a_record_of_every_stage_comes_back_as_it_was_stored() {
    let mut seen = std::collections::BTreeSet::new();
    for task in tasks() {
        let (record, stored) = (record(&task), stored(&task));
        let judged = stored.judged.map(|judged| judged.to_vec());
        assert_eq!(task.record(&stored.json, judged).unwrap(), record);
        // Fields side by side, none of them unknown or twice.
        let text = stored.json;
        let first = text.split('"').nth(1).unwrap_or_else(|| panic!("{text}"));
        let twice = text.replacen('{', &format!("{{\"{first}\":0,"), 1);
        let unknown = text.replacen('{', "{\"unknown\":0,", 1);
        assert!(task.record(&twice, None).is_err() && task.record(&unknown, None).is_err(), "{text}");
        // And so does the task.
        let key = task.planned(task.name()).key;
        assert_eq!(serde_json::from_str::<Task>(&key).unwrap(), task);
        seen.insert(task.stage());
    }
    assert_eq!(seen.len(), 6, "all but the check and the example");
}
