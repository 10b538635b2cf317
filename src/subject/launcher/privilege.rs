//! Giving up rights: root becomes nobody, and nobody keeps a capability that is not needed.
//!
//! Programs under test of root are run as the user `nobody`, who owns nothing. Root's builds and tools often lie
//! where only root may look, in its home folder, so one right stays: to read and search. Where a container does not have that
//! capability, the one that implies it stays; Landlock denies then what it allows beyond.

use std::io;

use rustix::process::{Gid, Uid, geteuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    configure_capability_in_ambient_set, remove_capability_from_bounding_set, set_capabilities,
    set_keep_capabilities, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};

use super::namespaces::each_capability;

/// The user and group id of `nobody`, by which the kernel itself calls ids that it cannot name.
pub const NOBODY: u32 = 65534;

fn become_nobody() -> rustix::io::Result<()> {
    let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
    set_thread_groups(&[])?;
    set_thread_res_gid(group, group, group)?;
    set_thread_res_uid(user, user, user)
}

/// Makes root nobody, and gives up all capabilities but the right to read, which root alone keeps.
/// The launcher has one thread, so what holds for the thread holds for the process.
pub fn give_up() -> io::Result<()> {
    let permitted = capabilities(None)?.permitted;
    let mut kept = CapabilitySet::empty();
    if geteuid().is_root() {
        let readers = [CapabilitySet::DAC_READ_SEARCH, CapabilitySet::DAC_OVERRIDE];
        kept = readers.into_iter().find(|&reader| permitted.contains(reader)).unwrap_or(kept);
        set_keep_capabilities(true)?;
        // In a user namespace that has no such user, an ordinary one is called root. It has no rights to begin with.
        let _ = become_nobody();
        // Changing the user has taken them out of effect. What is to be handed down has to be said before the bounding set
        // is emptied.
        set_capabilities(None, CapabilitySets { effective: permitted, permitted, inheritable: kept })?;
    }
    if permitted.contains(CapabilitySet::SETPCAP) {
        each_capability(CapabilitySet::from_bits_retain(u64::MAX), |capability| {
            match remove_capability_from_bounding_set(capability) {
                // The kernel does not know it.
                Err(rustix::io::Errno::INVAL) => Ok(()),
                other => other,
            }
        })?;
    }
    clear_ambient_capability_set()?;
    set_capabilities(None, CapabilitySets { effective: kept, permitted: kept, inheritable: kept })?;
    each_capability(kept, |capability| configure_capability_in_ambient_set(capability, true))
}
