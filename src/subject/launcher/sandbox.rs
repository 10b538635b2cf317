//! The innermost layers of the confinement: a launcher puts them on once, and all it starts inherits them.
//!
//! With Landlock (Linux security module; `landlock(7)`): writing, creating and removing work in the folders that are the
//! run's own only, and `/dev/null` may be written. Device nodes cannot even be made there. No TCP connection is made or
//! accepted. Where the kernel has it, abstract Unix sockets and signals do not reach beyond the launcher. Everything may be
//! read and executed; without namespaces, not what is in `/dev`, where terminals are.
//!
//! With a system call filter (`seccomp(2)`), what Landlock knows nothing of: no socket is made but pairs that are
//! connected to each other, since one that has a path leads to whoever listens there, a terminal
//! multiplexer or a container engine; no ring of requests that could make one; no key of the user's keyrings is had; and the kernel is neither
//! measured nor programmed (`bpf(2)`, `perf_event_open(2)`).
//! Without namespaces, the filter also denies what would reach other processes of the user, or would outlive the run.
//!
//! Not prevented without namespaces: changing the mode, owner, times or attributes of files that the user may change
//! anyway, and ending the launcher.

use std::collections::BTreeMap;
use std::error::Error;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, Scope,
};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketType};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

use super::view::Writable;
use crate::subject::confinement::Confinement;

/// What must be enforced: the first version that knows about the network. It came with Linux 6.7.
const NEEDED: ABI = ABI::V4;
/// What is enforced where the kernel can.
const WANTED: ABI = ABI::V9;

/// Confines this process, and all it will start, to writing in these folders.
///
/// # Errors
/// Why it cannot, and what the user can do.
pub fn confine(writable: &[Writable], confinement: Confinement) -> Result<(), String> {
    let has_namespaces = confinement == Confinement::Namespaces;
    landlock(writable, has_namespaces).and_then(|()| filter(has_namespaces)).map_err(|error| {
        format!(
            "programs under test cannot be confined: {error}. This needs a Linux kernel with Landlock \
             of version {NEEDED} (Linux 6.7 or later, with `landlock` among its security modules); \
             to run them without confinement, pass --no-sandbox"
        )
    })
}

fn landlock(writable: &[Writable], has_namespaces: bool) -> Result<(), Box<dyn Error>> {
    let within =
        AccessFs::from_all(WANTED) & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev);
    let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
    let read = AccessFs::from_read(WANTED);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))?
        .handle_access(AccessNet::from_all(NEEDED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(WANTED))?
        .scope(Scope::from_all(WANTED))?
        .create()?
        .add_rule(PathBeneath::new(PathFd::new("/dev/null")?, device))?;
    if has_namespaces {
        rules = rules.add_rule(PathBeneath::new(PathFd::new("/")?, read))?;
    } else {
        // Landlock takes nothing away again: all but one is each of the others.
        for entry in std::fs::read_dir("/")?.flatten().filter(|entry| entry.file_name() != "dev") {
            let Ok(path) = PathFd::new(entry.path()) else { continue };
            let access = if entry.path().is_dir() { read } else { read & AccessFs::from_file(WANTED) };
            rules = rules.add_rule(PathBeneath::new(path, access))?;
        }
        rules = rules.add_rule(PathBeneath::new(PathFd::new("/")?, AccessFs::ReadDir))?;
        for path in ["/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"] {
            let Ok(path) = PathFd::new(path) else { continue };
            rules = rules.add_rule(PathBeneath::new(path, AccessFs::ReadFile | AccessFs::IoctlDev))?;
        }
    }
    for Writable { path, .. } in writable {
        rules = rules.add_rule(PathBeneath::new(PathFd::new(path)?, within))?;
    }
    rules.restrict_self()?;
    Ok(())
}

/// The system calls that are denied whatever their arguments.
const DENIED: [i64; 7] = [
    libc::SYS_socket,
    libc::SYS_io_uring_setup,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
];
/// Those that are denied without namespaces: they reach other processes, or leave something behind.
const DENIED_OUTSIDE: [i64; 12] = [
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_shmget,
    libc::SYS_semget,
    libc::SYS_msgget,
    libc::SYS_mq_open,
];
/// Those that are denied without namespaces unless they are about the caller itself, whose number is then zero:
/// with the position of that number.
const DENIED_FOR_OTHERS: [(i64, u8); 5] = [
    (libc::SYS_prlimit64, 0),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_sched_setparam, 0),
];
/// Those that are denied within namespaces when they are about the launcher, which is process 1 there: with the position of
/// the number.
const DENIED_FOR_LAUNCHER: [(i64, u8); 5] = [
    (libc::SYS_prlimit64, 0),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_sched_setparam, 0),
];
/// On x86, a system call has a second number, by which programs with small pointers call it.
const X32: i64 = 0x4000_0000;

fn filter(has_namespaces: bool) -> Result<(), Box<dyn Error>> {
    let int = SeccompCmpArgLen::Dword;
    let is = |position, comparison, value: i32| {
        SeccompCondition::new(position, int.clone(), comparison, u64::from(value.cast_unsigned()))
    };
    // A pair of datagram sockets is not bound to each other: each can send to any address.
    let kind = SeccompCmpOp::MaskedEq(0xf);
    let mut rules = BTreeMap::from([(
        libc::SYS_socketpair,
        vec![
            SeccompRule::new(vec![is(0, SeccompCmpOp::Ne, AddressFamily::UNIX.as_raw().into())?])?,
            SeccompRule::new(vec![is(1, kind, SocketType::DGRAM.as_raw().cast_signed())?])?,
        ],
    )]);
    let mut denied = DENIED.to_vec();
    let (numbered, other, number) = if has_namespaces {
        (DENIED_FOR_LAUNCHER, SeccompCmpOp::Eq, 1)
    } else {
        denied.extend(DENIED_OUTSIDE);
        (DENIED_FOR_OTHERS, SeccompCmpOp::Ne, 0)
    };
    for (call, position) in numbered {
        rules.insert(call, vec![SeccompRule::new(vec![is(position, other.clone(), number)?])?]);
    }
    for (call, process) in [(libc::SYS_setpriority, libc::PRIO_PROCESS as i32), (libc::SYS_ioprio_set, 1)] {
        // The first number says whether the second is that of a process, of a group or of a user.
        let others = SeccompRule::new(vec![is(0, SeccompCmpOp::Ne, process)?])?;
        rules.insert(call, vec![others, SeccompRule::new(vec![is(1, other.clone(), number)?])?]);
    }
    rules.extend(denied.into_iter().map(|call| (call, Vec::new())));
    if cfg!(target_arch = "x86_64") {
        rules.extend(rules.clone().into_iter().map(|(call, rule)| (call | X32, rule)));
    }
    let denied = SeccompAction::Errno(Errno::ACCESS.raw_os_error().cast_unsigned());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, denied, std::env::consts::ARCH.try_into()?)?;
    let program: BpfProgram = filter.try_into()?;
    seccompiler::apply_filter(&program)?;
    Ok(())
}
