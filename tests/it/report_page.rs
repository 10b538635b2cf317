//! The page of a run: it is there when a campaign ends, however that was, the same for the same results, and its commands
//! do what it says.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::support::*;

/// The page of a run.
fn page(lab: &Lab, results: &str) -> String {
    fs::read_to_string(lab.path(results).join("report.html")).unwrap()
}

/// The same without the parts that differ from run to run: about times, about where and when it was, and about earlier runs.
fn without_times(page: &str) -> String {
    let without = |page: &str, begin: &str, end: &str| {
        let Some(begin) = page.find(begin) else { return page.to_owned() };
        let end = page[begin..].find(end).unwrap();
        format!("{}{}", &page[..begin], &page[begin + end..])
    };
    assert!(page.contains("<div id=\"times\">") && page.contains("<div id=\"provenance\">"), "{page}");
    let page = without(page, "<div id=\"times\">", "</section>");
    let page = without(&page, "<div id=\"provenance\">", "</div>");
    let page = without(&page, "<section id=\"trend\"", "<section id=\"tables\"");
    page.replace("<a href=\"#trend\">Trend</a>", "")
}

fn report(lab: &Lab, results: &str, more: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_grambench"));
    lab.prepare(&mut command);
    command.arg("report").arg(lab.path(results)).args(more);
    Run::from(command.output().unwrap())
}

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_page_is_the_same_whatever_the_jobs_and_interruptions() {
    let lab = Lab::new();
    let config = lab.config(&["lists-*"], SMALL);
    lab.run(&config, "one", &["--jobs", "1"]).expect(0);
    lab.run(&config, "four", &["--jobs", "4"]).expect(0);
    for moment in [30, 90, 200] {
        let running = Running::new(lab.command(&config, "killed", &["--jobs", "2"]));
        std::thread::sleep(Duration::from_millis(moment));
        running.kill();
    }
    lab.run(&config, "killed", &["--jobs", "2"]).expect(0);
    let one = without_times(&page(&lab, "one"));
    assert!(one.contains("lists-zero"), "{one}");
    assert!(!page(&lab, "one").contains("id=\"trend\"") && page(&lab, "four").contains("id=\"trend\""));
    // The tree of a failing input, and those of inputs, which a script draws.
    assert!(one.contains("Derivation tree") && one.matches("data-tree=\"").count() > 10, "{one}");
    assert_eq!(without_times(&page(&lab, "four")), one);
    assert_eq!(without_times(&page(&lab, "killed")), one);
}

#[test]
fn report_writes_the_page_again_and_other_formats_if_asked() {
    let lab = Lab::new();
    let config = lab.config(&["lists-zero"], SMALL);
    lab.run(&config, "results", &[]).expect(0);
    let (again, output) = (lab.path("again"), lab.path("again").display().to_string());
    report(&lab, "results", &["--quiet", "--output", &output]).expect(0);
    assert_eq!(page(&lab, "again"), page(&lab, "results"));
    assert_eq!(lab.tables("again"), lab.tables("results"));
    fs::remove_dir_all(&again).unwrap();
    report(&lab, "results", &["--quiet", "--output", &output, "--format", "html"]).expect(0);
    assert_eq!(files(&again), ["report.html"]);
    let run = report(&lab, "results", &["-f", "markdown", "-f", "latex", "--output", &output]).expect(0);
    assert_eq!(files(&again), ["report.html", "report.md", "report.tex"]);
    assert!(run.stdout.contains("report.md, report.tex"), "{run:?}");
    let markdown = fs::read_to_string(again.join("report.md")).unwrap();
    assert!(markdown.contains("\n| lists-zero | 10/10 | 100.0 |"), "{markdown}");
    let run = report(&lab, "results", &["--format", "htm"]).expect(2);
    assert!(run.stderr.contains("html"), "{run:?}");
}

#[test]
fn the_page_of_a_part_says_what_is_missing() {
    let lab = Lab::new();
    let config = lab.config(&["lists-*"], SMALL);
    lab.run(&config, "results", &["--only", "lists-zero*reduce"]).expect(0);
    let page = page(&lab, "results");
    assert!(page.contains("Reduced input") && !page.contains("Expression F"), "{page}");
}

/// The text of a page with its entities as what they stand for.
fn text(page: &str) -> String {
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")]
        .iter()
        .fold(page.to_owned(), |text, (name, character)| text.replace(name, character))
}

#[test]
fn the_commands_of_the_page_show_the_inputs_again() {
    let lab = Lab::new();
    let config = Path::new("configs/quick.toml");
    lab.run(config, "results", &["--only", "expr-zero-divisor"]).expect(0);
    let page = text(&page(&lab, "results"));
    let list = page.split("produce limit F</code>").nth(1).unwrap();
    let commands = list.split_once("<pre class=\"commands\"").unwrap().1.split_once("</pre>").unwrap().0;
    let commands: Vec<&str> = commands
        .split("<code")
        .skip(1)
        .map(|code| code.split_once('>').unwrap().1.split("</code>").next().unwrap())
        .collect();
    let [all, one, parse, validate] = commands[..] else { panic!("{commands:?}") };
    let shell = |command: &str| {
        let program = Path::new(env!("CARGO_BIN_EXE_grambench")).parent().unwrap();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
        let mut shell = Command::new("sh");
        lab.prepare(&mut shell);
        shell.env("PATH", path).env("RUN", lab.path("results")).args(["-c", command]);
        Run::from(shell.output().unwrap()).expect(0).stdout
    };
    // The seventh of the list is the seventh that is shown.
    let all = shell(all);
    let seventh = all.lines().nth(6).unwrap().split('\t').nth(2).unwrap();
    let items: Vec<&str> = list.split("<li").skip(1).take(7).collect();
    assert!(items[6].contains(&format!("<code>{seventh}</code>")), "{seventh}: {items:?}");
    let numbered = |command: &str| command.replace("sed -n Np", "sed -n 7p");
    assert_eq!(shell(&numbered(one)).trim_end(), seventh);
    assert!(shell(&numbered(parse)).starts_with("<start>"));
    let validated = shell(&numbered(validate));
    assert!(validated.contains(": every\n"), "{validated}");
}
