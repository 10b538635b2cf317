//! Namespaces of the launcher's own: made once, so that a run costs nothing more.
//!
//! Two processes. The first, which the program started, leaves its namespaces (`unshare(2)`: user, PID, IPC,
//! network, mount and UTS) and starts the second, which is the first process of the new PID namespace
//! (`pid_namespaces(7)`) and the launcher proper. Signals from within the namespace do not reach it, no
//! other process can be seen from there, and when it ends, the kernel ends all others.
//! The first does nothing but wait: when the program or the second is gone, so is the other.
//!
//! The maps of users (`user_namespaces(7)`) can only be written from outside, so the program writes them
//! ([`write_maps`]) once the second process has said that it is there.

use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use nix::sched::{CloneFlags, unshare};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, getegid, geteuid, pidfd_open};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, configure_capability_in_ambient_set, set_capabilities,
};

use super::{INSIDE, WORD};

/// How long the launcher may take to end when the program is gone.
const LAST_MOMENTS: Duration = Duration::from_secs(2);

/// Makes new namespaces; what this process starts from now on is in them.
pub fn enter() -> io::Result<()> {
    unshare(
        CloneFlags::CLONE_NEWUSER
            | CloneFlags::CLONE_NEWPID
            | CloneFlags::CLONE_NEWNS
            | CloneFlags::CLONE_NEWNET
            | CloneFlags::CLONE_NEWIPC
            | CloneFlags::CLONE_NEWUTS,
    )?;
    // Otherwise a user who is not root would lose them on starting the launcher proper.
    let all = capabilities(None)?.permitted;
    set_capabilities(None, CapabilitySets { effective: all, permitted: all, inheritable: all })?;
    each_capability(all, |capability| configure_capability_in_ambient_set(capability, true))
}

/// Does something with each capability of a set.
pub(super) fn each_capability(
    set: CapabilitySet,
    mut act: impl FnMut(CapabilitySet) -> rustix::io::Result<()>,
) -> io::Result<()> {
    for bit in (0..u64::BITS).map(|bit| 1 << bit).filter(|bit| set.bits() & bit != 0) {
        act(CapabilitySet::from_bits_retain(bit))?;
    }
    Ok(())
}

/// Starts the launcher proper, and waits until it or the program on the other end of the socket has ended.
pub fn supervise(socket: &UnixStream) -> io::Result<ExitCode> {
    let mut inner = Command::new("/proc/self/exe")
        .arg0("grambench")
        .args([WORD, INSIDE])
        .stdin(Stdio::from(OwnedFd::from(socket.try_clone()?)))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let pidfd = pidfd_open(Pid::from_child(&inner), PidfdFlags::empty())?;
    let has_ended = |time: Option<Duration>| -> io::Result<bool> {
        // Only the end of the other side is waited for: no events are asked for.
        let mut fds = [
            PollFd::new(&pidfd, PollFlags::IN),
            PollFd::from_borrowed_fd(socket.as_fd(), PollFlags::empty()),
        ];
        let fds = if time.is_some() { &mut fds[..1] } else { &mut fds[..] };
        let time = time.map(|time| Timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: 0 });
        loop {
            match poll(fds, time.as_ref()) {
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
                Ok(_) => break,
            }
        }
        Ok(!fds[0].revents().is_empty())
    };
    if !has_ended(None)? && !has_ended(Some(LAST_MOMENTS))? {
        inner.kill()?;
    }
    let status = inner.wait()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Writes the maps of the namespace that `launcher` has just made. An ordinary user is that user inside, and
/// nobody else is there; root has all users inside, so that what it starts can become another.
///
/// # Errors
/// When the kernel does not allow it.
pub fn write_maps(launcher: &Child) -> io::Result<()> {
    let folder = format!("/proc/{}", launcher.id());
    let (users, groups) = if geteuid().is_root() {
        (all("/proc/self/uid_map")?, all("/proc/self/gid_map")?)
    } else {
        fs::write(format!("{folder}/setgroups"), "deny")?;
        let only = |id: u32| format!("{id} {id} 1\n");
        (only(geteuid().as_raw()), only(getegid().as_raw()))
    };
    fs::write(format!("{folder}/uid_map"), users)?;
    fs::write(format!("{folder}/gid_map"), groups)
}

/// A map of all ids that a map has inside to themselves.
fn all(map: &str) -> io::Result<String> {
    let text = fs::read_to_string(map)?;
    let line = |line: &str| {
        let mut fields = line.split_ascii_whitespace();
        let (first, _, count) = (fields.next()?, fields.next()?, fields.next()?);
        Some(format!("{first} {first} {count}\n"))
    };
    Ok(text.lines().filter_map(line).collect())
}
