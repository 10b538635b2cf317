//! The confinement: a launcher puts it on once, and all it starts inherits it.
//!
//! With Landlock (Linux security module; `landlock(7)`): anything may be read and executed; writing,
//! creating and removing work in the scratch folder only, and `/dev/null` may be written. Device
//! nodes cannot even be made there. No TCP connection is made or accepted. Where the kernel
//! has it, abstract Unix sockets and signals do not reach beyond the launcher, and sockets that
//! have a path can be connected to in the scratch folder only.
//!
//! With a system call filter (`seccomp(2)`), since Landlock knows of TCP only: no socket is made but
//! Unix ones, and no ring of requests that could make one.
//!
//! Outside the power of both, and so not prevented: changing the mode, owner, times or attributes of
//! files that the user may change anyway.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, Scope,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
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
    landlock(scratch).and_then(|()| filter_sockets()).map_err(|error| {
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

/// Denies all sockets but Unix ones.
fn filter_sockets() -> Result<(), Box<dyn Error>> {
    let domain = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, libc::AF_UNIX as u64)?;
    let rules = BTreeMap::from([
        (libc::SYS_socket, vec![SeccompRule::new(vec![domain])?]),
        (libc::SYS_io_uring_setup, Vec::new()),
    ]);
    let denied = SeccompAction::Errno(libc::EACCES as u32);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, denied, std::env::consts::ARCH.try_into()?)?;
    let program: BpfProgram = filter.try_into()?;
    seccompiler::apply_filter(&program)?;
    Ok(())
}
