//! Tells the program which revision of its sources it is built from. Only where it is built for use: while one works on it,
//! each commit would be a reason to build it anew.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=GRAMBENCH_REVISION");
    let is_given = std::env::var_os("GRAMBENCH_REVISION").is_some();
    if is_given || std::env::var("PROFILE").as_deref() != Ok("release") {
        return;
    }
    for log in ["logs/HEAD", "index"] {
        if let Some(path) = git(&["rev-parse", "--git-path", log]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    // Without git, or outside of a clone, it is not known.
    if let Some(revision) = git(&["rev-parse", "--short=12", "HEAD"]) {
        let is_changed =
            git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|text| !text.is_empty());
        println!("cargo::rustc-env=GRAMBENCH_REVISION={revision}{}", if is_changed { "+" } else { "" });
    }
}

/// What git says, if it does.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
