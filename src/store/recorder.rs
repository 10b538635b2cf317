//! The one thread that owns the store during a run.
//!
//! All others send it events. It writes each to the store, then shows it to the listeners; so what a
//! listener sees as ended is permanent. Executions are committed in batches, by number and by time.
//!
//! When the store cannot be written, the recorder raises the interrupt that all work watches and
//! ends; sending an event after that is an error of the channel. Nothing is lost silently.

use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, bounded};

use crate::base::budget::Interrupt;

use super::error::StoreError;
use super::event::Event;
use super::store::Store;

/// The maximum number of events committed together.
const BATCH: usize = 1_000;
/// No event waits longer than this for its commit.
const PATIENCE: Duration = Duration::from_millis(250);
/// The number of events that may wait for the recorder before senders block.
const QUEUE: usize = 4_096;

/// Observes a running campaign. Called from the recorder's thread only.
pub trait Listener {
    /// Called with each event, in order, after it was written to the store.
    fn event(&mut self, event: &Event);
}

/// A recorder that runs.
pub struct Recorder {
    sender: Sender<Event>,
    thread: JoinHandle<Result<Store, StoreError>>,
}

impl Recorder {
    /// Begins to record into `store`. Raises `stop` when that becomes impossible.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn spawn(
        store: Store,
        listeners: Vec<Box<dyn Listener + Send>>,
        stop: Interrupt,
    ) -> std::io::Result<Self> {
        let (sender, receiver) = bounded(QUEUE);
        let thread = thread::Builder::new().name("recorder".into()).spawn(move || {
            let alarm = Alarm(Some(stop));
            let store = record(store, listeners, &receiver)?;
            alarm.disarm();
            Ok(store)
        })?;
        Ok(Self { sender, thread })
    }

    /// Where events are sent to. The recorder ends with [`Event::Ended`], or when the last sender is gone. Sending
    /// fails after that, or after `stop` was raised.
    pub fn sender(&self) -> Sender<Event> {
        self.sender.clone()
    }

    /// Waits until all events are recorded that come before [`Event::Ended`]; without that, other senders must be gone,
    /// or this waits for them.
    ///
    /// # Errors
    /// When the store could not be written.
    ///
    /// # Panics
    /// When the recorder has panicked.
    pub fn finish(self) -> Result<Store, StoreError> {
        drop(self.sender);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// Raises the interrupt unless the recorder ends well; also when a listener panics.
struct Alarm(Option<Interrupt>);

impl Alarm {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        if let Some(stop) = &self.0 {
            stop.raise();
        }
    }
}

fn record(
    mut store: Store,
    mut listeners: Vec<Box<dyn Listener + Send>>,
    events: &Receiver<Event>,
) -> Result<Store, StoreError> {
    let mut waiting = 0;
    let mut due = None;
    loop {
        let received = match due {
            Some(due) => events.recv_deadline(due),
            None => events.recv().map_err(RecvTimeoutError::from),
        };
        match received {
            Ok(event) => {
                store.apply(&event)?;
                for listener in &mut listeners {
                    listener.event(&event);
                }
                waiting += 1;
                if matches!(event, Event::Ended { .. }) {
                    break;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if !store.is_pending() {
            (waiting, due) = (0, None);
        } else if waiting >= BATCH || due.is_some_and(|due| Instant::now() >= due) {
            store.commit()?;
            (waiting, due) = (0, None);
        } else if due.is_none() {
            due = Some(Instant::now() + PATIENCE);
        }
    }
    store.commit()?;
    Ok(store)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::io::{BufRead, BufReader, Write};
    use std::path::Path;
    use std::process::{Command, Stdio};
    use std::sync::mpsc;

    use super::super::sample;
    use super::super::task::PlannedTask;
    use super::*;
    use crate::base::random_stream::RandomStream;
    use crate::oracle::Verdict;

    struct Tell<F>(F);

    impl<F: FnMut(&Event)> Listener for Tell<F> {
        fn event(&mut self, event: &Event) {
            (self.0)(event);
        }
    }

    #[test]
    fn every_event_reaches_the_store_and_the_listeners_in_order() {
        let (_folder, store) = sample::store();
        let (told, listened) = mpsc::channel();
        let listener = Tell(move |event: &Event| told.send(format!("{event:?}")).unwrap());
        let stop = Interrupt::new();
        let recorder = Recorder::spawn(store, vec![Box::new(listener)], stop.clone()).unwrap();
        let events: Vec<Event> =
            sample::begin().into_iter().chain(sample::ends().into_iter().flatten()).collect();
        let sender = recorder.sender();
        for event in &events {
            sender.send(event.clone()).unwrap();
        }
        drop(sender);
        let store = recorder.finish().unwrap();
        assert!(!store.is_pending() && !stop.is_raised());
        assert_eq!(sample::finished(&store).len(), sample::ends().len() - 1, "one has failed");
        let listened: Vec<String> = listened.into_iter().collect();
        assert_eq!(listened, events.iter().map(|event| format!("{event:?}")).collect::<Vec<_>>());
    }

    #[test]
    fn a_store_that_cannot_be_written_stops_the_campaign() {
        let (_folder, store) = sample::store();
        store.connection.pragma_update(None, "max_page_count", 20).unwrap();
        let stop = Interrupt::new();
        let recorder = Recorder::spawn(store, Vec::new(), stop.clone()).unwrap();
        let sender = recorder.sender();
        let refused = (0..1_000_000).any(|index| {
            sender.send(sample::execution("bug", &format!("{index:0>200}"), Verdict::Pass)).is_err()
        });
        assert!(refused && stop.is_raised());
        drop(sender);
        assert!(matches!(recorder.finish(), Err(StoreError::Database { .. })));
    }

    #[test]
    fn a_listener_that_panics_stops_the_campaign() {
        let (_folder, store) = sample::store();
        let stop = Interrupt::new();
        let listener = Tell(|_: &Event| panic!("on purpose"));
        let recorder = Recorder::spawn(store, vec![Box::new(listener)], stop.clone()).unwrap();
        recorder.sender().send(Event::Note { text: String::new() }).unwrap();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| recorder.finish().map(drop)));
        assert!(outcome.is_err() && stop.is_raised());
    }

    /// Set for the child of the next test: the store that it writes to.
    const CHILD: &str = "GRAMBENCH_TEST_RECORDER_STORE";
    const TASKS: usize = 2_000;
    const EXECUTIONS: usize = 3;

    fn planned() -> Vec<PlannedTask> {
        let task = &sample::plan()[0];
        (0..TASKS).map(|index| PlannedTask { name: format!("task {index}"), ..task.clone() }).collect()
    }

    /// The other side of the next test: records until it is killed, and says what is permanent.
    #[test]
    fn child_that_records_until_it_is_killed() {
        let Some(path) = std::env::var_os(CHILD) else { return };
        let store = Store::create_or_open(Path::new(&path), &sample::campaign()).unwrap();
        let finished: BTreeSet<String> = sample::finished(&store).into_iter().collect();
        let listener = Tell(|event: &Event| {
            if let Event::TaskEnded { name, .. } = event {
                let mut out = std::io::stdout().lock();
                writeln!(out, "ended {name}").and_then(|()| out.flush()).unwrap();
            }
        });
        let recorder = Recorder::spawn(store, vec![Box::new(listener)], Interrupt::new()).unwrap();
        let sender = recorder.sender();
        sender.send(Event::Planned { tasks: planned().into(), left_out: 0, finished: Vec::new() }).unwrap();
        for (place, task) in planned().into_iter().enumerate() {
            if finished.contains(&task.name) {
                continue;
            }
            for index in 0..EXECUTIONS {
                let input = format!("{} {index}", task.name);
                let mut event = sample::execution("bug", &input, Verdict::Fail);
                if let Event::Executed { execution, .. } = &mut event {
                    // The same for every child.
                    execution.number = (place * EXECUTIONS + index + 1) as u64;
                }
                sender.send(event).unwrap();
            }
            let (result, wall) = (Ok(sample::stored("reduce")), Duration::ZERO);
            let end =
                Event::TaskEnded { name: task.name, result, wall, executions: 3, runs: 3, judged_again: 0 };
            sender.send(end).unwrap();
        }
        drop(sender);
        recorder.finish().unwrap();
        println!("complete");
    }

    #[test]
    fn what_was_reported_as_ended_survives_sigkill() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(Store::FILE_NAME);
        let mut stream = RandomStream::derive(0, "kill");
        let mut reported = BTreeSet::new();
        for round in 0..6 {
            // The first two die while the store is being made, or soon after.
            let patience = if round < 2 { round } else { stream.below(150) };
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "--nocapture"])
                .arg(
                    concat!(module_path!(), "::child_that_records_until_it_is_killed")
                        .replace("grambench::", ""),
                )
                .env(CHILD, &path)
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
            let mut seen = 0;
            while seen < patience
                && let Some(line) = lines.next()
            {
                seen += usize::from(note(&mut reported, &line));
            }
            child.kill().unwrap();
            lines.for_each(|line| {
                note(&mut reported, &line);
            });
            child.wait().unwrap();

            let store = Store::create_or_open(&path, &sample::campaign()).unwrap();
            let whole: String =
                store.connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
            assert_eq!(whole, "ok");
            let finished: BTreeSet<String> = sample::finished(&store).into_iter().collect();
            assert!(reported.is_subset(&finished), "lost: {:?}", reported.difference(&finished));
            let known = store.known("digest of bug", u64::MAX).unwrap();
            for name in &finished {
                for index in 0..EXECUTIONS {
                    assert!(known.get(format!("{name} {index}").as_bytes()).is_some(), "{name} {index}");
                }
            }
            // On a busy machine the child may get to its end before it is killed.
            assert!(seen == patience || finished.len() == TASKS, "the child failed in round {round}");
            drop(store);
            if finished.len() == TASKS {
                Store::remove(&path).unwrap();
                reported.clear();
            }
        }
    }

    /// Remembers the task that `line` reports as ended, if it does. The line of the test harness may
    /// stand before it.
    fn note(reported: &mut BTreeSet<String>, line: &str) -> bool {
        let Some((_, name)) = line.split_once("ended ") else { return false };
        reported.insert(name.to_owned())
    }
}
