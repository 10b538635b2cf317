//! The attacks, as their programs carry them out.

use std::fs::{self, File};
use std::io::{self, Write};
use std::net::{TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixStream};
use std::process::Command;

use nix::sched::{CloneFlags, unshare};
use rustix::fs::{FileType, Mode, XattrFlags, mknodat, setxattr};
use rustix::mount::{MountFlags, mount};
use rustix::net::{AddressFamily, SocketType, socket};
use rustix::process::{
    Pid, PidfdFlags, PidfdGetfdFlags, Resource, Signal, getpid, getppid, getrlimit, kill_process,
    pidfd_getfd, pidfd_open, prlimit, setpriority_process,
};
use rustix::system::{RebootCommand, reboot, sethostname};
use rustix::thread::{CapabilitySet, CpuSet, capabilities, sched_getaffinity, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime, clock_settime};

use super::Prevention::{AnySandbox, Namespaces};
use super::{Attack, Attempt, Bait, Prevention};

const fn attack(
    name: &'static str,
    prevented_by: Prevention,
    what: &'static str,
    attempt: fn(&Bait) -> Attempt,
) -> Attack {
    Attack { name, what, prevented_by, attempt }
}

/// All attacks.
pub const ATTACKS: &[Attack] = &[
    attack("create", AnySandbox, "create a file of the user's", |bait| {
        File::create(bait.folder.join("new")).into()
    }),
    attack("append", AnySandbox, "append to a file", |bait| {
        File::options().append(true).open(bait.file()).and_then(|mut file| file.write_all(b"x")).into()
    }),
    attack("truncate", AnySandbox, "truncate a file", |bait| {
        File::options().write(true).truncate(true).open(bait.file()).into()
    }),
    attack("remove", AnySandbox, "remove a file", |bait| fs::remove_file(bait.file()).into()),
    attack("move", AnySandbox, "move a file away", |bait| fs::rename(bait.file(), "mine").into()),
    attack("rename", AnySandbox, "rename a file", |bait| {
        fs::rename(bait.file(), bait.folder.join("new")).into()
    }),
    attack("hard-link", AnySandbox, "make a hard link to a file, to change it by", |bait| {
        fs::hard_link(bait.file(), "mine").into()
    }),
    attack("symbolic-link", AnySandbox, "make a symbolic link among the user's files", |bait| {
        symlink("x", bait.folder.join("new")).into()
    }),
    attack("folder", AnySandbox, "make a folder among the user's files", |bait| {
        fs::create_dir(bait.folder.join("new")).into()
    }),
    attack("mode", Namespaces, "change the mode of a file", |bait| {
        fs::set_permissions(bait.file(), fs::Permissions::from_mode(0o000)).into()
    }),
    attack("times", Namespaces, "change the times of a file", |bait| {
        File::open(bait.file()).and_then(|file| file.set_modified(std::time::SystemTime::now())).into()
    }),
    attack("owner", Namespaces, "change the owner of a file", |bait| {
        let own = |id: u32| Some(id);
        chown(bait.file(), own(rustix::process::geteuid().as_raw()), own(rustix::process::getegid().as_raw()))
            .into()
    }),
    attack("attribute", Namespaces, "set an extended attribute of a file", |bait| {
        match setxattr(bait.file(), "user.grambench", b"x", XattrFlags::empty()) {
            Err(rustix::io::Errno::NOTSUP) => Attempt::Untried("the file system has none".into()),
            other => other.into(),
        }
    }),
    attack("device", AnySandbox, "make a device node", |_| {
        mknodat(rustix::fs::CWD, "disk", FileType::CharacterDevice, Mode::RWXU, 0x0103).into()
    }),
    attack("mount", AnySandbox, "mount a file system", |_| {
        mount("tmpfs", "/mnt", "tmpfs", MountFlags::empty(), None).into()
    }),
    attack("namespace", AnySandbox, "get rights in a new user namespace", |_| {
        match unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS) {
            Ok(()) => mount("tmpfs", "/mnt", "tmpfs", MountFlags::empty(), None).into(),
            Err(error) => Attempt::Denied(io::Error::from(error).to_string()),
        }
    }),
    attack("passwords", Namespaces, "read the passwords of the system", |_| {
        File::open("/etc/shadow")
            .and_then(|mut file| {
                let mut text = String::new();
                io::Read::read_to_string(&mut file, &mut text)?;
                if text.is_empty() { Err(io::Error::other("it is empty")) } else { Ok(()) }
            })
            .into()
    }),
    attack("tcp", AnySandbox, "connect to a port of this machine", |bait| {
        TcpStream::connect(("127.0.0.1", bait.port)).into()
    }),
    attack("udp", AnySandbox, "send a datagram to a port of this machine", |bait| {
        UdpSocket::bind("127.0.0.1:0")
            .and_then(|socket| socket.send_to(b"x", ("127.0.0.1", bait.port)))
            .into()
    }),
    attack("netlink", AnySandbox, "talk to the kernel about the network", |_| {
        socket(AddressFamily::NETLINK, SocketType::RAW, None).into()
    }),
    attack("packets", AnySandbox, "read all packets of the network", |_| {
        socket(AddressFamily::PACKET, SocketType::RAW, None).into()
    }),
    attack("socket", AnySandbox, "connect to a socket in the file system (tmux, Docker, D-Bus)", |bait| {
        UnixStream::connect(bait.folder.join("stream")).into()
    }),
    attack("datagrams", AnySandbox, "send a datagram to a socket in the file system", |bait| {
        UnixDatagram::unbound().and_then(|socket| socket.send_to(b"x", bait.folder.join("datagrams"))).into()
    }),
    attack("pair", AnySandbox, "send a datagram to it from one of a pair of sockets", |bait| {
        UnixDatagram::pair()
            .and_then(|(socket, _)| socket.send_to(b"x", bait.folder.join("datagrams")))
            .into()
    }),
    attack("abstract", AnySandbox, "connect to an abstract socket", |bait| {
        SocketAddr::from_abstract_name(&bait.name)
            .and_then(|address| UnixStream::connect_addr(&address))
            .into()
    }),
    attack("signal", AnySandbox, "send a signal to the process that measures", |bait| {
        with(process(bait), |pid| kill_process(pid, Signal::CONT))
    }),
    attack("kill-launcher", Namespaces, "kill the process that starts programs", |_| {
        // From outside of the namespaces, the number of the first process is no number.
        with(getppid(), |pid| kill_process(pid, Signal::KILL));
        std::thread::sleep(std::time::Duration::from_millis(100));
        Attempt::Denied("it lives".into())
    }),
    attack("trace-launcher", AnySandbox, "trace the process that starts programs", |_| trace(getppid())),
    attack("trace", AnySandbox, "trace the process that measures", |bait| trace(process(bait))),
    attack("take-descriptor", AnySandbox, "take a descriptor of the process that starts programs", |_| {
        with(getppid(), |pid| {
            let pidfd = pidfd_open(pid, PidfdFlags::empty())?;
            pidfd_getfd(pidfd, 0, PidfdGetfdFlags::empty())
        })
    }),
    attack("open-descriptor", AnySandbox, "open a descriptor of it by way of /proc", |_| {
        fs::read_link(format!("/proc/{}/fd/0", number(getppid()))).into()
    }),
    attack("memory-launcher", AnySandbox, "read its memory", |_| {
        File::open(format!("/proc/{}/mem", number(getppid()))).into()
    }),
    attack("environment", AnySandbox, "read the environment of the process that measures", |bait| {
        fs::read(format!("/proc/{}/environ", bait.process))
            .and_then(|text| if text.is_empty() { Err(io::ErrorKind::NotFound.into()) } else { Ok(()) })
            .into()
    }),
    attack("see", Namespaces, "see the process that measures", |bait| {
        fs::metadata(format!("/proc/{}/cmdline", bait.process))
            .and_then(|_| {
                // The number may be that of a process of the run.
                let text = fs::read(format!("/proc/{}/cmdline", bait.process))?;
                let is_its = text.windows(5).any(|window| window == b"check");
                if is_its { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
            })
            .into()
    }),
    attack("limit", AnySandbox, "lower a limit of the process that measures", |bait| {
        with(process(bait), |pid| prlimit(Some(pid), Resource::Core, getrlimit(Resource::Core)))
    }),
    attack("limit-launcher", AnySandbox, "lower a limit of the process that starts programs", |_| {
        with(getppid(), |pid| prlimit(Some(pid), Resource::Core, getrlimit(Resource::Core)))
    }),
    attack("priority", AnySandbox, "lower the priority of the process that measures", |bait| {
        with(process(bait), |pid| setpriority_process(Some(pid), 10))
    }),
    attack("affinity", AnySandbox, "bind the process that measures to one processor", |bait| {
        with(process(bait), |pid| {
            let all: CpuSet = sched_getaffinity(None)?;
            sched_setaffinity(Some(pid), &all)
        })
    }),
    attack("scheduler", AnySandbox, "change how the process that measures is scheduled", |bait| {
        command("chrt", &["--batch", "--pid", "0", &bait.process.to_string()])
    }),
    attack("io-priority", AnySandbox, "change its priority for disks", |bait| {
        command("ionice", &["-c", "3", "-p", &bait.process.to_string()])
    }),
    attack("terminal", AnySandbox, "open a terminal", |_| {
        let terminals = fs::read_dir("/dev/pts").into_iter().flatten().flatten().map(|entry| entry.path());
        for path in terminals.chain(["/dev/tty".into(), "/dev/console".into(), "/dev/ptmx".into()]) {
            if File::open(&path).is_ok() {
                return Attempt::Worked;
            }
        }
        Attempt::Denied("none can be opened".into())
    }),
    attack("descriptors", AnySandbox, "use a descriptor that was left open", |_| {
        let open = |entry: &io::Result<fs::DirEntry>| {
            let number =
                entry.as_ref().ok().and_then(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
            // One of them reads the folder.
            number.is_some_and(|number| number > 3)
        };
        match fs::read_dir("/proc/self/fd").map(|entries| entries.filter(open).count()) {
            Ok(0) => Attempt::Denied("there is none".into()),
            Ok(_) => Attempt::Worked,
            Err(error) => Attempt::Untried(error.to_string()),
        }
    }),
    attack("system-v", Namespaces, "remove shared memory of others", |bait| match bait.shared {
        Some(number) => command("ipcrm", &["-m", &number.to_string()]),
        None => Attempt::Untried("there is no `ipcmk` to make some".into()),
    }),
    attack("hostname", AnySandbox, "name the machine", |_| sethostname(b"mine").into()),
    attack("clock", AnySandbox, "set the clock", |_| {
        clock_settime(ClockId::Realtime, clock_gettime(ClockId::Realtime)).into()
    }),
    attack("reboot", AnySandbox, "change how the machine can be rebooted", |_| {
        reboot(RebootCommand::CadOn).into()
    }),
    attack("root", AnySandbox, "use a right of root's", |_| {
        let readers = CapabilitySet::DAC_READ_SEARCH | CapabilitySet::DAC_OVERRIDE;
        match capabilities(None) {
            Ok(sets) if sets.permitted.difference(readers).is_empty() => {
                Attempt::Denied("it has none".into())
            }
            Ok(_) => Attempt::Worked,
            Err(error) => Attempt::Untried(error.to_string()),
        }
    }),
];

/// The number of the process that measures.
fn process(bait: &Bait) -> Option<Pid> {
    Pid::from_raw(bait.process)
}

fn number(pid: Option<Pid>) -> i32 {
    pid.map_or(0, |pid| pid.as_raw_nonzero().get())
}

/// Does something to a process of others.
fn with<T>(pid: Option<Pid>, act: impl FnOnce(Pid) -> rustix::io::Result<T>) -> Attempt {
    match pid {
        Some(pid) if pid == getpid() => Attempt::Denied("its number is the attacker's".into()),
        Some(pid) => act(pid).into(),
        None => Attempt::Denied("it has no number here".into()),
    }
}

fn trace(pid: Option<Pid>) -> Attempt {
    with(pid, |pid| {
        let pid = nix::unistd::Pid::from_raw(pid.as_raw_nonzero().get());
        nix::sys::ptrace::seize(pid, nix::sys::ptrace::Options::empty())
            .map_err(|error| rustix::io::Errno::from_raw_os_error(error as i32))
    })
}

/// Lets a command of the system try.
fn command(program: &str, arguments: &[&str]) -> Attempt {
    match Command::new(program).args(arguments).output() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Attempt::Untried(format!("there is no `{program}`"))
        }
        Err(error) => Attempt::Untried(error.to_string()),
        Ok(output) if output.status.success() => Attempt::Worked,
        Ok(output) => Attempt::Denied(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    }
}
