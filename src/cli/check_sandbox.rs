//! `grambench check sandbox`: what programs under test can do to this machine.

use clap::Args;
use serde_json::json;

use crate::subject::attack::{ATTACKS, AttackOutcome, Bait};

use super::Done;
use super::arguments::{OutputFormat, SandboxArguments};
use super::exit::{Code, Failure};
use super::text;

/// Try to get out of the sandbox, to see what holds on this machine
///
/// Each attack is tried for real, against files, sockets and a process that are there for the purpose. The exit code is 4 when
/// one works that should not.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  grambench check sandbox
  grambench check sandbox --sandbox landlock   # as where the kernel allows no namespaces")]
pub struct CheckSandbox {
    #[command(flatten)]
    sandbox: SandboxArguments,
    /// `json` writes a JSON object for each attack
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

impl CheckSandbox {
    pub(super) fn run(&self) -> Done {
        let pool = self.sandbox.pool(1)?;
        let folder = tempfile::tempdir().map_err(|error| Failure::usage(format!("no folder: {error}")))?;
        let bait = Bait::new(folder.path())
            .map_err(|error| Failure::usage(format!("nothing can be laid out to attack: {error}")))?;
        let mut holds = true;
        for attack in ATTACKS {
            let outcome = attack.run(&pool, &bait).map_err(Failure::usage)?;
            let is_promised = attack.prevented_by.is_promised(pool.confinement());
            let (result, reason) = match &outcome {
                AttackOutcome::Possible => ("possible", ""),
                AttackOutcome::Denied(reason) => ("denied", reason.as_str()),
                AttackOutcome::Untried(reason) => ("not tried", reason.as_str()),
            };
            let is_breach = is_promised && outcome == AttackOutcome::Possible;
            holds &= !is_breach;
            match self.format {
                OutputFormat::Json => text::print_json(&json!({
                    "attack": attack.name,
                    "what": attack.what,
                    "result": result,
                    "reason": reason,
                    "promised": is_promised,
                }))?,
                OutputFormat::Text => {
                    let mark = if is_breach { "  (should be denied)" } else { "" };
                    text::print(format!("{result:<9}  {}{mark}\n", attack.what).as_bytes())?;
                }
            }
        }
        if self.format == OutputFormat::Text {
            for limit in pool.limits_together().map_err(Failure::usage)? {
                text::print(format!("{limit}\n").as_bytes())?;
            }
        }
        Ok(if holds { Code::Success } else { Code::Unfit })
    }
}
