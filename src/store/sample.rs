//! A small campaign, made up, for tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::base::share::Share;
use crate::oracle::{Cut, Examination, Execution, Judgement, Verdict};

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

/// The stages of a bug, in their order.
pub(crate) const STAGES: [&str; 8] = [
    "reduce",
    "generalize",
    "instantiate",
    "specialize",
    "produce F",
    "produce not F",
    "recognize seen",
    "recognize random",
];

/// Two bugs of find, one of which fails in the middle, one that is unfit, and one that was not begun.
pub(crate) fn plan() -> Vec<PlannedTask> {
    let task = |bug: &str, stage: &'static str| PlannedTask {
        name: format!("{bug}/{stage}"),
        stage,
        bug: Some(bug.into()),
        key: format!("{{\"{stage}\":\"{bug}\"}}"),
    };
    let bugs = ["find-07b941b1", "find-c8491c11", "find-dbcb10e9", "json-check"];
    bugs.into_iter().flat_map(|bug| STAGES.map(|stage| task(bug, stage))).collect()
}

/// The ends of the tasks, in the order of the plan. Executions and warnings stand before the end.
pub(crate) fn ends() -> Vec<Vec<Event>> {
    let end = |task: PlannedTask| {
        let bug = task.bug?;
        let result = match (bug.as_str(), task.stage) {
            ("find-dbcb10e9" | "json-check", _) => return None,
            ("find-c8491c11", "specialize") => Err("the oracle is broken: no such file".to_owned()),
            ("find-c8491c11", "reduce" | "generalize" | "instantiate") | ("find-07b941b1", _) => {
                Ok(stored(task.stage))
            }
            _ => return None,
        };
        let warning = (task.stage == "produce not F").then(|| Event::Warning {
            task: Some(task.name.clone()),
            text: "only 99 of 100 distinct inputs came in 10000 draws".into(),
        });
        let mut events = vec![
            Event::TaskBegun { name: task.name.clone() },
            execution(&bug, &format!("find . -{}", task.stage), Verdict::Fail),
            execution(&bug, "find .", Verdict::Pass),
        ];
        events.extend(warning);
        events.push(ended(&task.name, result));
        Some(events)
    };
    plan().into_iter().filter_map(end).collect()
}

/// The end of a task.
pub(crate) fn ended(name: &str, result: Result<Stored, String>) -> Event {
    let wall = Duration::from_millis(1_250);
    Event::TaskEnded { name: name.into(), result, wall, executions: 213, runs: 17, judged_again: 2 }
}

/// What a task of this stage may have found.
pub(crate) fn stored(stage: &str) -> Stored {
    let judged = matches!(stage, "reduce" | "generalize").then(judged);
    Stored { json: format!("{{\"found\":\"{stage}\"}}"), judged, failure: None }
}

/// Inputs that a task met.
pub(crate) fn judged() -> Arc<[Judged]> {
    Arc::from([Judged {
        input: Input::from(b"find \xfe"),
        verdict: Verdict::Timeout,
        cut: Some(Cut::WallTime),
    }])
}

/// An execution, with a number that no other one has.
pub(crate) fn execution(bug: &str, input: &str, verdict: Verdict) -> Event {
    Event::Executed {
        oracle: format!("digest of {bug}").into(),
        bug: bug.into(),
        execution: Execution {
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            input: input.as_bytes().into(),
            examination: Examination::confirmed(Judgement::new(verdict, "SIGSEGV")),
            is_confirmation: false,
            repeat: None,
            duration: Duration::from_micros(1_600),
        },
    }
}

/// What comes before the tasks.
pub(crate) fn begin() -> Vec<Event> {
    vec![
        Event::SubjectFit {
            subject: "find".into(),
            bug: None,
            grammar: String::new(),
            version: "4.9.0".into(),
            digest: "f00d".into(),
        },
        Event::SubjectUnfit {
            subject: "find".into(),
            bug: Some("find-dbcb10e9".into()),
            grammar: "manual".into(),
            reason: "its input `find . -mtime 2` passes (exit 0), though it should fail".into(),
        },
        Event::Planned { tasks: plan().into(), left_out: 0, finished: Vec::new() },
        Event::Warning { task: None, text: "no sandbox: the kernel has no Landlock".into() },
    ]
}
