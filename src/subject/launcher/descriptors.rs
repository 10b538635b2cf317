//! Closing what was inherited: a descriptor that somebody left open is a way out of any sandbox.

use std::fs;
use std::io;

/// Closes all descriptors but the three standard ones.
///
/// Called first thing, while nothing else has opened any.
pub fn close_inherited() -> io::Result<()> {
    let number = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<i32>().ok();
    // A list first: the descriptor that reads the folder is among them, and closed when the list is there.
    let open: Vec<i32> = fs::read_dir("/proc/self/fd")?.flatten().filter_map(number).collect();
    for descriptor in open.into_iter().filter(|&descriptor| descriptor > 2) {
        match nix::unistd::close(descriptor) {
            Ok(()) | Err(nix::errno::Errno::EBADF) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
