//! A small campaign, made up, for the tests of the store and of the reports.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::base::budget::StopReason;
use crate::base::share::Share;
use crate::grammar::{GrammarBuilder, Name};
use crate::oracle::{Examination, Execution, Judgement, TimeoutAs, Verdict};
use crate::pattern::Pattern;
use crate::tree::TreeBuilder;

use super::*;

/// Of executions.
static NUMBERS: AtomicU64 = AtomicU64::new(1);

/// The campaign.
pub(crate) fn campaign() -> Campaign {
    let mut identity = Identity::default();
    identity.add(None, "the seed", "7");
    Campaign {
        config: "seed = 7\n".into(),
        identity,
        seed: 7,
        program: env!("CARGO_PKG_VERSION").into(),
        flaky: Share::of(0.01).unwrap(),
    }
}

/// A new store of that campaign in a folder of its own, which lives as long as the first value.
pub(crate) fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create_or_open(&folder.path().join(Store::FILE_NAME), &campaign()).unwrap();
    (folder, store)
}

/// The names of the tasks that a store has finished, in order.
pub(crate) fn finished(store: &Store) -> Vec<String> {
    let mut names: Vec<String> = store.finished_tasks().into_iter().map(|(name, _)| name).collect();
    names.sort();
    names
}

/// Two bugs of find, one of which fails in the middle, one that is unfit, and one that needs no
/// generalization and was not begun.
pub(crate) fn plan() -> Vec<PlannedTask> {
    let mut tasks = Vec::new();
    for (subject, bug) in [
        ("find", "find-07b941b1"),
        ("find", "find-c8491c11"),
        ("find", "find-dbcb10e9"),
        ("json", "json-check"),
    ] {
        for stage in Stage::ALL {
            let reduces = bug != "json-check" && stage != Stage::Check;
            if !reduces && stage <= Stage::Instantiate {
                continue;
            }
            let some = |name: &str, when: bool| when.then(|| name.to_owned());
            let name = |stage: Stage| format!("{bug}/{stage}");
            let needs: &[Stage] = match stage {
                Stage::Generalize => &[Stage::Reduce],
                Stage::Specialize | Stage::Instantiate if reduces => &[Stage::Generalize],
                Stage::Produce(_) => &[Stage::Specialize],
                Stage::Recognize(Source::Seen) if reduces => {
                    &[Stage::Reduce, Stage::Generalize, Stage::Specialize]
                }
                Stage::Recognize(_) => &[Stage::Specialize],
                _ => &[],
            };
            tasks.push(PlannedTask {
                name: name(stage),
                stage,
                subject: subject.into(),
                bug: Some(bug.into()),
                expression: None,
                repetition: 1,
                variant: Variant {
                    reducer: some("perses", reduces),
                    generalizer: some("ddset", reduces && stage != Stage::Reduce),
                    transformer: some("automaton", stage >= Stage::Specialize),
                    producer: some("limit", matches!(stage, Stage::Produce(_))),
                },
                version: if subject == "find" { "4.9.0" } else { "1" }.into(),
                reintroduced: subject == "find",
                needs: needs.iter().map(|&stage| name(stage)).collect(),
            });
        }
    }
    tasks
}

/// The ends of the tasks, in the order of the plan. Executions and warnings stand before the end.
pub(crate) fn ends() -> Vec<Vec<Event>> {
    plan()
        .into_iter()
        .filter(|task| task.subject == "find")
        .filter_map(|task| {
            let bug = task.bug.clone().unwrap();
            let result = match (bug.as_str(), task.stage) {
                ("find-dbcb10e9", _) => return None,
                ("find-c8491c11", Stage::Specialize) => Err("the oracle is broken: no such file".to_owned()),
                ("find-c8491c11", stage) if stage > Stage::Specialize => return None,
                (_, stage) => Ok(Box::new(record(stage))),
            };
            let mut events = vec![Event::TaskBegun { name: task.name.clone() }];
            events.push(execution(&bug, &format!("find . -{}", task.stage), Verdict::Fail));
            events.push(execution(&bug, "find .", Verdict::Pass));
            if let Stage::Produce(Side::NotF) = task.stage {
                let text = "only 99 of 100 distinct inputs came in 10000 draws".into();
                events.push(Event::Warning { task: Some(task.name.clone()), text });
            }
            events.push(Event::TaskEnded {
                name: task.name,
                result,
                wall: Duration::from_millis(1_250),
                executions: 213,
                runs: 17,
                judged_again: 2,
            });
            Some(events)
        })
        .collect()
}

/// An execution, with a number that no other one has.
pub(crate) fn execution(bug: &str, input: &str, verdict: Verdict) -> Event {
    Event::Executed {
        oracle: format!("digest of {bug}").into(),
        bug: bug.into(),
        execution: Execution {
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            input: input.as_bytes().into(),
            examination: Examination::sure(Judgement::new(verdict, "SIGSEGV")),
            is_confirmation: false,
            repeat: None,
            duration: Duration::from_micros(1_600),
        },
    }
}

/// What comes before the tasks.
pub(crate) fn begin() -> Vec<Event> {
    vec![
        Event::CampaignBegun { title: "sample".into(), seed: 7, jobs: 2 },
        Event::SubjectFit {
            subject: "find".into(),
            bug: None,
            version: "4.9.0".into(),
            digest: "f00d".into(),
        },
        Event::SubjectUnfit {
            subject: "find".into(),
            bug: Some("find-dbcb10e9".into()),
            reason: "its input `find . -mtime 2` passes (exit 0), though it should fail".into(),
        },
        Event::Planned { tasks: plan().into(), finished: Vec::new() },
        Event::Warning { task: None, text: "no sandbox: the kernel has no Landlock".into() },
    ]
}

/// What a task of this stage may have found.
pub(crate) fn record(stage: Stage) -> Record {
    match stage {
        Stage::Check => Record::Check(Check {
            findings: vec![Finding { bug: None, text: "`find .`: exit 0".into(), holds: true }],
        }),
        Stage::Reduce => Record::Reduce(Reduce {
            reducer: "perses".into(),
            input: Input::from("find . -regex '.*'"),
            output: Input::from(b"find -regex \xff\\"),
            judged: judged(),
            executions: 213,
            stop: StopReason::Done,
        }),
        Stage::Generalize => Record::Generalize(Box::new(Generalize {
            generalizer: "ddset".into(),
            abstract_text: "find <path> -regex <regex>".into(),
            compact: "find . -regex <regex>".into(),
            whole: pattern(),
            pattern: "<test> is \"-regex <regex>\"".into(),
            expression: "<command A> where <test A> is \"-regex <regex>\"".into(),
            model: pattern(),
            judged: judged(),
            executions_abstraction: 200,
            executions_isolation: 10,
            executions_characteristic: 3,
            visible_nonterminals: 2,
            invisible_nonterminals: 4,
            shared: vec![3, 2],
            remaining_chars: 13,
            stop: StopReason::Budget,
        })),
        Stage::Instantiate => Record::Instantiate(Instantiate {
            wanted: 100,
            instances: 90,
            verdicts: Verdicts { fail: 80, pass: 1, unresolved: 8, timeout: 1, timeout_as: TimeoutAs::Pass },
            escapes: vec![Escape {
                input: Input::from("find . -regex ''"),
                verdict: Verdict::Pass,
                evidence: "exit 0".into(),
            }],
        }),
        Stage::Specialize => Record::Specialize(Box::new(Specialize {
            transformer: "automaton".into(),
            grammar: "find.ebnf".into(),
            formula: "A".into(),
            expression: "<command A> where <test A> is \"-regex <regex>\"".into(),
            base: Size { nonterminals: 50, rules: 200 },
            is_unambiguous: false,
            specialized: Ok(Size { nonterminals: 60, rules: 260 }),
            negated: Ok(Size { nonterminals: 55, rules: 220 }),
            counts: Ok(Counts {
                longest: 20,
                base: "100000000000000000000".into(),
                specialized: Some("1".into()),
                negated: Some("99999999999999999999".into()),
                complement: Some(Equality::Equal),
                reference: Some(Equality::Equal),
            }),
        })),
        Stage::Produce(side) => Record::Produce(Produce {
            side,
            producer: "limit".into(),
            wanted: 100,
            inputs: if side == Side::F { 100 } else { 99 },
            produced: 140,
            verdicts: Verdicts {
                fail: if side == Side::F { 95 } else { 1 },
                pass: if side == Side::F { 1 } else { 96 },
                unresolved: if side == Side::F { 4 } else { 0 },
                timeout: if side == Side::F { 0 } else { 2 },
                timeout_as: TimeoutAs::Pass,
            },
            escapes: vec![Escape {
                input: Input::from(b"find . -name \"a,b\"\n\xff"),
                verdict: if side == Side::F { Verdict::Pass } else { Verdict::Fail },
                evidence: if side == Side::F { "exit 0" } else { "SIGSEGV" }.into(),
            }],
        }),
        Stage::Recognize(source) => Record::Recognize(Recognize {
            source,
            fail_accepted: 191,
            fail_total: 213,
            pass_rejected: 7,
            pass_total: 7,
            unresolved: 12,
            mistakes: vec![Mistake {
                input: Input::from("find . -iregex x"),
                verdict: Verdict::Fail,
                answer: "rejected".into(),
            }],
        }),
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

fn judged() -> Vec<Judged> {
    vec![Judged { input: Input::from(b"find \xfe"), verdict: Verdict::Timeout }]
}
