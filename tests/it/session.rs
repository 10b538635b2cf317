//! Sessions with the program, as text in a page: what a user types, and what the program answers.
//!
//! ````text
//! ```console
//! $ grambench produce --grammar digits.ebnf \
//! >     --count 2
//! ? 0
//! 4
//! 7
//! ```
//! ````
//!
//! A line `? N` is the exit code; without it, it is 0. What follows is what goes to standard output and
//! standard error, in the order in which it comes. A line `...` stands for any lines, and `[..]` for anything
//! within a line. Nothing but `grambench` is run, and no shell. With `SESSIONS=overwrite` in the environment,
//! answers that are not as written are written anew.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use grambench::subject::words;

/// Runs the sessions of `page` in `folder`, one after the other.
///
/// # Panics
/// When the program does not answer as written.
pub fn check(page: &Path, folder: &Path) {
    let text = fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
    let overwrite = std::env::var_os("SESSIONS").is_some_and(|value| value == "overwrite");
    let mut lines = text.lines().enumerate().peekable();
    let (mut written, mut complaints, mut inside, mut commands) = (String::new(), String::new(), false, 0);
    while let Some((number, line)) = lines.next() {
        written.push_str(line);
        written.push('\n');
        inside = match line.strip_prefix("```") {
            Some(info) => !inside && info == "console",
            None => inside,
        };
        let Some(first) = line.strip_prefix("$ ").filter(|_| inside) else { continue };
        commands += 1;
        let mut command = first.to_owned();
        while let Some((_, more)) = lines.next_if(|(_, line)| line.starts_with("> ")) {
            written.push_str(&format!("{more}\n"));
            command.push_str(&format!("\n{}", &more[2..]));
        }
        let mut expected = Vec::new();
        while let Some((_, line)) =
            lines.next_if(|(_, line)| !line.starts_with("```") && !line.starts_with("$ "))
        {
            expected.push(line);
        }
        let (code, answer) = run(&command.replace("\\\n", " "), folder);
        let mut actual: Vec<&str> = answer.lines().collect();
        let status = format!("? {code}");
        if code != 0 {
            actual.insert(0, &status);
        }
        let matches = matches(&expected, &actual);
        if !matches && !overwrite {
            complaints.push_str(&format!(
                "{}:{}: $ {command}\n--- written\n{}\n--- answered\n{}\n\n",
                page.display(),
                number + 1,
                expected.join("\n"),
                actual.join("\n")
            ));
        }
        for line in if matches { expected } else { elided(&expected, &actual) } {
            written.push_str(line);
            written.push('\n');
        }
    }
    assert!(commands > 0, "{} has no sessions", page.display());
    assert!(
        complaints.is_empty(),
        "{complaints}If that is meant, SESSIONS=overwrite writes it down; look at the difference."
    );
    if overwrite && written != text {
        fs::write(page, written).expect("the page can be written");
    }
}

/// Runs a command: its exit code, and what it writes.
fn run(command: &str, folder: &Path) -> (i32, String) {
    let words = words::split(command.as_bytes()).unwrap_or_else(|error| panic!("{command}: {}", error.what));
    let words: Vec<String> = words.into_iter().map(|word| String::from_utf8(word).unwrap()).collect();
    assert_eq!(words[0], "grambench", "a session runs nothing else");
    let (mut reader, writer) = io::pipe().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_grambench"));
    command.args(&words[1..]).current_dir(folder).stdin(Stdio::null());
    command.stdout(writer.try_clone().unwrap()).stderr(writer);
    // Help is wrapped to this width, whatever the terminal.
    let mut child = command.env("COLUMNS", "100").spawn().unwrap();
    // The writing ends are the child's alone from here.
    drop(command);
    let mut answer = Vec::new();
    reader.read_to_end(&mut answer).unwrap();
    let code = child.wait().unwrap().code().expect("the program ends by itself");
    // How far something is that takes long depends on the machine.
    let answer = String::from_utf8(answer).unwrap();
    let is_progress = |line: &&str| {
        line.starts_with("[ ")
            && ["] reduction: ", "] generalization: "].iter().any(|phase| line.contains(phase))
    };
    (code, answer.split_inclusive('\n').filter(|line| !is_progress(line)).collect())
}

/// The lines of an answer, with what was left open in them before.
fn elided<'a>(expected: &[&'a str], actual: &[&'a str]) -> Vec<&'a str> {
    let mut rest = expected;
    let known = actual.iter().map(|line| match rest.iter().position(|known| matches_line(known, line)) {
        Some(at) => {
            let known = rest[at];
            rest = &rest[at + 1..];
            known
        }
        None => line,
    });
    known.collect()
}

/// Whether the lines are as expected.
fn matches(expected: &[&str], actual: &[&str]) -> bool {
    let Some((first, expected)) = expected.split_first() else { return actual.is_empty() };
    if *first == "..." {
        return (0..=actual.len()).any(|skipped| matches(expected, &actual[skipped..]));
    }
    actual.split_first().is_some_and(|(line, actual)| matches_line(first, line) && matches(expected, actual))
}

fn matches_line(expected: &str, actual: &str) -> bool {
    let Some((before, after)) = expected.split_once("[..]") else { return expected == actual };
    let Some(rest) = actual.strip_prefix(before) else { return false };
    rest.char_indices().map(|(at, _)| at).chain([rest.len()]).any(|at| matches_line(after, &rest[at..]))
}
