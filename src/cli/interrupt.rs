//! Ctrl-C: once stops cleanly, twice at once.
//!
//! The switch is passed down to all long work, which polls it often. Not everything that may take
//! long polls it: reading from a terminal, or reading a grammar, for instance. So what has not ended a moment later
//! is ended at once, which is safe at any time: a store is never left half written. A campaign shuts down in order by itself:
//! it leaves such work behind, and writes its tables, which may take longer.
//!
//! In whatever way the program ends, programs under test and scratch folders go first.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::base::budget::Interrupt;
use crate::subject::running;

use super::exit::{Code, Failure};

/// How long work may take after Ctrl-C to end in an orderly way.
const GRACE: Duration = Duration::from_millis(800);

/// The switch that Ctrl-C (or a request to terminate) throws. The second time ends the program on the
/// spot.
pub fn interrupt() -> Result<Interrupt, Failure> {
    let interrupt = Interrupt::new();
    let (raised, again) = (interrupt.clone(), AtomicBool::new(false));
    ctrlc::set_handler(move || {
        if again.swap(true, Ordering::Relaxed) {
            end();
        }
        raised.raise();
        let raised = raised.clone();
        thread::spawn(move || {
            thread::sleep(GRACE);
            if raised.is_handled() {
                print("writing down what is there; again to stop at once");
            } else {
                end();
            }
        });
        print("stopping; again to stop at once");
    })
    .map_err(|error| Failure::usage(format!("cannot watch for Ctrl-C: {error}")))?;
    Ok(interrupt)
}

/// Ends the program at once.
fn end() -> ! {
    running::end_all();
    std::process::exit(Code::Interrupted as i32);
}

/// The terminal may be gone: that is one of the reasons to be here.
fn print(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
