//! The command line program.

use std::process::ExitCode;

use grambench::cli;
use grambench::subject::{attack, judge_socket, launcher};

fn main() -> ExitCode {
    match std::env::args_os().nth(1) {
        Some(word) if word == launcher::WORD => launcher::main(),
        Some(word) if word == attack::WORD => attack::main(),
        Some(word) if word == judge_socket::WORD => judge_socket::main(),
        _ => cli::main(),
    }
}
