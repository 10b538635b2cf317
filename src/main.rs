//! The command line program.

use std::process::ExitCode;

use grambench::cli;
use grambench::subject::launcher;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|word| word == launcher::WORD) {
        return launcher::main();
    }
    cli::main()
}
