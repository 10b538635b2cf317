//! What attacks are aimed at: made for the purpose, outside of the sandbox.

use std::fs;
use std::io;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use serde::{Deserialize, Serialize};

/// The content of the file that must stay.
const CONTENT: &str = "kept";
/// Its mode.
const MODE: u32 = 0o644;

/// What attacks are aimed at, as given to the attackers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bait {
    /// A folder in which nothing may change.
    pub folder: PathBuf,
    /// A process that must not be touched: the one that asks.
    pub process: i32,
    /// The port on which it listens, for connections and for datagrams.
    pub port: u16,
    /// The name of its abstract socket.
    pub name: String,
    /// The number of a shared memory object of System V, if one could be made.
    pub shared: Option<u32>,
    #[serde(skip)]
    listeners: Option<Listeners>,
}

#[derive(Debug)]
struct Listeners {
    tcp: TcpListener,
    udp: UdpSocket,
    stream: UnixListener,
    datagrams: UnixDatagram,
    named: UnixListener,
    nice: AtomicI32,
}

impl Bait {
    /// Lays it out in an empty folder. The sockets are gone with the answer.
    ///
    /// # Errors
    /// When a file or a socket cannot be made.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let process = rustix::process::getpid();
        let name = format!("grambench-{}", process.as_raw_nonzero());
        let tcp = TcpListener::bind("127.0.0.1:0")?;
        let port = tcp.local_addr()?.port();
        let listeners = Listeners {
            udp: UdpSocket::bind(("127.0.0.1", port))?,
            tcp,
            stream: UnixListener::bind(folder.join("stream"))?,
            datagrams: UnixDatagram::bind(folder.join("datagrams"))?,
            named: UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name)?)?,
            nice: AtomicI32::new(rustix::process::getpriority_process(None)?),
        };
        listeners.tcp.set_nonblocking(true)?;
        listeners.udp.set_nonblocking(true)?;
        listeners.stream.set_nonblocking(true)?;
        listeners.datagrams.set_nonblocking(true)?;
        listeners.named.set_nonblocking(true)?;
        for socket in ["stream", "datagrams"] {
            // Nothing but the sandbox is to be in the way, of nobody either.
            fs::set_permissions(folder.join(socket), fs::Permissions::from_mode(0o777))?;
        }
        let folder = folder.to_path_buf();
        let shared = make_shared();
        Ok(Self {
            folder,
            process: process.as_raw_nonzero().get(),
            port,
            name,
            shared,
            listeners: Some(listeners),
        })
    }

    /// The file that must stay as it is.
    pub fn file(&self) -> PathBuf {
        self.folder.join("kept")
    }

    /// Makes all files anew.
    pub(super) fn renew(&self) -> io::Result<()> {
        let sockets = ["stream", "datagrams"];
        for entry in fs::read_dir(&self.folder)?.flatten() {
            if sockets.iter().all(|socket| entry.file_name() != *socket) {
                let _ = fs::remove_file(entry.path()).or_else(|_| fs::remove_dir_all(entry.path()));
            }
        }
        if let (Some(listeners), Ok(nice)) = (&self.listeners, rustix::process::getpriority_process(None)) {
            // Who lowered it cannot raise it again.
            listeners.nice.store(nice, Relaxed);
        }
        fs::write(self.file(), CONTENT)?;
        fs::set_permissions(self.file(), fs::Permissions::from_mode(MODE))?;
        fs::File::options().write(true).open(self.file())?.set_modified(std::time::UNIX_EPOCH)
    }

    /// Whether something has changed, or came in.
    pub(super) fn is_hit(&self) -> bool {
        let is_kept = fs::metadata(self.file()).is_ok_and(|metadata| {
            metadata.permissions().mode() & 0o7777 == MODE && metadata.mtime() == 0 && metadata.nlink() == 1
        }) && fs::read(self.file()).is_ok_and(|content| content == CONTENT.as_bytes())
            && fs::read_dir(&self.folder).is_ok_and(|entries| entries.count() == 3);
        let Some(listeners) = &self.listeners else { return !is_kept };
        let mut buffer = [0; 1];
        !is_kept
            || listeners.tcp.accept().is_ok()
            || listeners.stream.accept().is_ok()
            || listeners.named.accept().is_ok()
            || listeners.udp.recv(&mut buffer).is_ok()
            || listeners.datagrams.recv(&mut buffer).is_ok()
            || rustix::process::getpriority_process(None)
                .is_ok_and(|nice| nice != listeners.nice.load(Relaxed))
    }
}

impl Drop for Bait {
    fn drop(&mut self) {
        // The attackers have a copy of what they are given, and own nothing.
        if let (Some(_), Some(number)) = (&self.listeners, self.shared) {
            let _ = Command::new("ipcrm").args(["-m", &number.to_string()]).output();
        }
    }
}

/// Makes a shared memory object, with a program of the system.
fn make_shared() -> Option<u32> {
    let output = Command::new("ipcmk").args(["-M", "100", "-p", "0666"]).output().ok()?;
    String::from_utf8(output.stdout).ok()?.split_ascii_whitespace().last()?.parse().ok()
}
