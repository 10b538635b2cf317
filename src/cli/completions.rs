//! `grambench completions`: what a shell must know to complete calls.

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use super::exit::Code;
use super::{Call, Done, text};

/// Print a script that lets a shell complete the words of a call
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  grambench completions bash > ~/.local/share/bash-completion/completions/grambench\n  \
    grambench completions zsh > ~/.zfunc/_grambench\n  \
    grambench completions fish > ~/.config/fish/completions/grambench.fish"
)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(super) fn run(&self) -> Done {
        let mut script = Vec::new();
        generate(self.shell, &mut Call::command(), "grambench", &mut script);
        text::print(&script)?;
        Ok(Code::Success)
    }
}
