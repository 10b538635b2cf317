//! Ctrl-C: once stops cleanly, twice at once.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::base::budget::Interrupt;

use super::exit::{Code, Failure};

/// The switch that Ctrl-C (or a request to terminate) throws. The second time ends the program on the
/// spot; launchers notice that their end of the line is gone, and take everything that runs with them.
pub fn interrupt() -> Result<Interrupt, Failure> {
    let interrupt = Interrupt::new();
    let (raised, again) = (interrupt.clone(), AtomicBool::new(false));
    ctrlc::set_handler(move || {
        if again.swap(true, Ordering::Relaxed) {
            std::process::exit(Code::Interrupted as i32);
        }
        raised.raise();
        // The terminal may be gone: that is one of the reasons to be here.
        let _ = writeln!(std::io::stderr(), "stopping; again to stop at once");
    })
    .map_err(|error| Failure::usage(format!("cannot watch for Ctrl-C: {error}")))?;
    Ok(interrupt)
}
