//! External reducers: programs that take a file and a test stand in the table of the others, and whatever they do, nothing of them is left.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::{Lab, Running, ZERO_FAILS};
use rustix::process::Signal;

/// Leaves out one character after the other as long as the test holds, for which the candidate is its argument.
const LEAVES_OUT: &str = r#"
text=$(cat "$2"); n=1
while [ $n -le ${#text} ]; do
  shorter=$(printf %s "$text" | cut -c$n --complement)
  printf %s "$shorter" > candidate
  if "$1" candidate; then text=$shorter; else n=$((n + 1)); fi
done
printf %s "$text" > "$3"
"#;

/// Tests a candidate on standard input, and one that lies in the current folder under the name of the input.
const OTHER_WAYS: &str = r#"
printf 10 | "$1" && printf 0 > input.txt && "$1" && cp input.txt "$2"
"#;

fn lab() -> Lab {
    let lab = Lab::new();
    lab.add_script_subject("zero", ZERO_FAILS);
    lab.add_script_subject("nought", ZERO_FAILS);
    lab.write("leave-out.sh", LEAVES_OUT);
    lab.write("other-ways.sh", OTHER_WAYS);
    lab
}

#[test]
fn external_reducers_stand_in_the_same_table() {
    let lab = lab();
    let reducers = r#"
reducers = [
    "ddmin",
    { name = "mine", command = ["sh", "leave-out.sh", "{test}", "{input}", "{input}"] },
    { name = "elsewhere", command = ["sh", "leave-out.sh", "{test}", "{input}", "{folder}/out"], result = "out" },
    { name = "otherwise", command = ["sh", "other-ways.sh", "{test}", "{input}"], extension = "txt" },
    { name = "fails", command = ["sh", "-c", "echo no such luck >&2; exit 3"] },
    { name = "cheats", command = ["sh", "-c", "printf 7 > \"$0\"", "{input}"] },
    { name = "loses", command = ["rm", "{input}"] },
    { name = "absent", command = ["no-such-reducer", "{test}", "{input}"] },
    { name = "idles", command = ["sh", "-c", "printf 02 | \"$0\"; sleep 600", "{test}"], timeout = "1s" },
]
[reduce]
only = true
"#;
    let config = lab.own_config(&["zero-zero", "nought-zero"], reducers);
    let run = |jobs: &str| lab.run(&config, &format!("results-{jobs}"), &["--jobs", jobs]).expect(3);
    run("4");
    for bug in ["zero-zero", "nought-zero"] {
        let row = |reducer: &str| {
            let rows = lab.rows("results-4", "reducing.csv", &[("bug", bug), ("reducer", reducer)]);
            let [row] = &rows[..] else { panic!("one row: {rows:?}") };
            ["output_bytes", "executions", "asked_again", "stop", "error"].map(|column| row[column].clone())
        };
        // The input, 02, 2, 0; then the result is known, and when it is confirmed.
        assert_eq!(row("mine"), ["1", "4", "2", "done", ""]);
        assert_eq!(row("elsewhere"), ["1", "4", "2", "done", ""]);
        assert_eq!(row("otherwise"), ["1", "3", "2", "done", ""]);
        assert_eq!(row("idles"), ["2", "2", "1", "time", ""]);
        for (reducer, told) in [
            ("fails", "the program `sh` did not reduce the input: exit 3: no such luck"),
            ("cheats", "its result does not fail: its verdict is `pass`"),
            (
                "absent",
                "the program `no-such-reducer` did not reduce the input: there is no program `no-such-reducer` on PATH",
            ),
            ("loses", "it left no result in `{input}`: No such file"),
        ] {
            let [.., error] = row(reducer);
            assert!(error.contains(told), "{error}");
        }
    }
    run("1");
    let table = |results: &str| fs::read_to_string(lab.path(&format!("{results}/reducing.csv"))).unwrap();
    assert_eq!(table("results-4"), table("results-1"));
    assert_eq!((lab.scratch_folders(), lab.processes()), (0, Vec::new()));
}

#[test]
fn an_interrupted_reducer_leaves_nothing_behind() {
    let lab = lab();
    fs::write(lab.path("input"), "102").unwrap();
    for signal in [Signal::INT, Signal::TERM] {
        let sleeps = r#"{ command = ["sh", "-c", "printf 02 | \"$0\"; sleep 600", "{test}"] }"#;
        let output = lab.path(format!("output-{signal:?}").as_str());
        let mut command = Command::new(env!("CARGO_BIN_EXE_grambench"));
        command.args(["reduce", "--quiet", "--fail-on", "exit 0", "--reducer", sleeps, "--input"]);
        command.arg(lab.path("input")).arg("--output").arg(&output).args(["--", "grep", "0"]);
        lab.prepare(&mut command);
        let running = Running::new(command);
        let begun = Instant::now();
        while fs::read(&output).ok().as_deref() != Some(b"02") {
            assert!(begun.elapsed() < Duration::from_secs(60), "it never asks");
            std::thread::sleep(Duration::from_millis(10));
        }
        running.signal(signal);
        running.wait().expect(130);
        assert_eq!((lab.scratch_folders(), lab.processes()), (0, Vec::new()), "{signal:?}");
    }
}
