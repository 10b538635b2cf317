//! The confinement: a launcher puts it on once, and all it starts inherits it.
//!
//! With Landlock (Linux security module; `landlock(7)`): anything may be read and executed; writing,
//! creating and removing work in the scratch folder only, and `/dev/null` may be written. Device
//! nodes cannot even be made there. No TCP connection is made or accepted. Where the kernel
//! has it, abstract Unix sockets and signals do not reach beyond the launcher, and sockets that
//! have a path can be connected to in the scratch folder only.
//!
//! Outside Landlock's power, and so not prevented: UDP and other sockets, changing the mode, owner,
//! times or attributes of files that the user may change anyway.

use std::error::Error;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, Scope,
};

/// What must be enforced: the first version that knows about the network. It came with Linux 6.7.
const NEEDED: ABI = ABI::V4;
/// What is enforced where the kernel can.
const WANTED: ABI = ABI::V9;

/// Confines this process, and all it will start, to writing below `scratch`.
///
/// # Errors
/// Why it cannot, and what the user can do.
pub fn confine(scratch: &Path) -> Result<(), String> {
    landlock(scratch).map_err(|error| {
        format!(
            "programs under test cannot be confined: {error}. This needs a Linux kernel with Landlock \
             of version {NEEDED} (Linux 6.7 or later, with `landlock` among its security modules); \
             to run them without confinement, pass --no-sandbox"
        )
    })
}

fn landlock(scratch: &Path) -> Result<(), Box<dyn Error>> {
    let within =
        AccessFs::from_all(WANTED) & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev);
    let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))?
        .handle_access(AccessNet::from_all(NEEDED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(WANTED))?
        .scope(Scope::from_all(WANTED))?
        .create()?
        .add_rule(PathBeneath::new(PathFd::new("/")?, AccessFs::from_read(WANTED)))?
        .add_rule(PathBeneath::new(PathFd::new("/dev/null")?, device))?
        .add_rule(PathBeneath::new(PathFd::new(scratch)?, within))?
        .restrict_self()?;
    Ok(())
}
