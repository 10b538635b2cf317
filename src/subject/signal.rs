//! The names of signals, as users write them and reports show them.

/// Names and numbers of the signals that can end a process, in Linux's usual numbering.
const SIGNALS: [(&str, i32); 25] = [
    ("SIGHUP", 1),
    ("SIGINT", 2),
    ("SIGQUIT", 3),
    ("SIGILL", 4),
    ("SIGTRAP", 5),
    ("SIGABRT", 6),
    ("SIGBUS", 7),
    ("SIGFPE", 8),
    ("SIGKILL", 9),
    ("SIGUSR1", 10),
    ("SIGSEGV", 11),
    ("SIGUSR2", 12),
    ("SIGPIPE", 13),
    ("SIGALRM", 14),
    ("SIGTERM", 15),
    ("SIGSTKFLT", 16),
    ("SIGXCPU", 24),
    ("SIGXFSZ", 25),
    ("SIGVTALRM", 26),
    ("SIGPROF", 27),
    ("SIGIO", 29),
    ("SIGPWR", 30),
    ("SIGSYS", 31),
    ("SIGIOT", 6),
    ("SIGPOLL", 29),
];

/// All names.
pub fn names() -> impl Iterator<Item = &'static str> {
    SIGNALS.iter().map(|&(name, _)| name)
}

/// The name of signal `number`.
pub fn name(number: i32) -> Option<&'static str> {
    SIGNALS.iter().find(|&&(_, known)| known == number).map(|&(name, _)| name)
}

/// The number of the signal called `name`, with or without its `SIG`.
pub fn number(name: &str) -> Option<i32> {
    SIGNALS
        .iter()
        .find(|(known, _)| *known == name || known.strip_prefix("SIG") == Some(name))
        .map(|&(_, number)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_known_by_both_its_names() {
        assert_eq!(number("SIGSEGV"), Some(11));
        assert_eq!(number("SEGV"), Some(11));
        assert_eq!(number("SIGSEG"), None);
        assert_eq!(name(6), Some("SIGABRT"));
        assert_eq!(name(99), None);
    }
}
