//! All that the results of a campaign depend on: a store of anything else is refused.
//!
//! Not in it, since nobody could know it: programs outside the subjects' folders and their builds, the
//! interpreters and libraries that they use, the kernel. A subject's version check is there for these.

use crate::base::diagnostic::Diagnostics;
use crate::base::digest::digest;
use crate::base::program::ThisProgram;
use crate::report::provenance::part;
use crate::stage::StageSettings;
use crate::store::Identity;
use crate::subject::catalogue::Catalogue;
use crate::subject::confinement::Confinement;
use crate::subject::contents::Digest;
use crate::subject::manifest::{Bug, CorpusFolder, GrammarFile, Manifest, Run};
use crate::subject::prepare;

use super::config::{Chosen, Config};

/// The identity of a campaign. It is that of the whole plan: a run of a part of it is of the same campaign.
///
/// # Errors
/// When the config names a bug that no subject has.
pub fn identity(
    config: &Config,
    catalogue: &Catalogue,
    confinement: Confinement,
) -> Result<Identity, Diagnostics> {
    let mut identity = Identity::default();
    identity.add(None, part::PROGRAM, ThisProgram::get().to_string());
    identity.add(None, part::BUGS, digest(&config.bugs.patterns()));
    config.settings.identify(&mut identity);
    for Chosen { subject, bug, grammars } in config.bugs.choose(catalogue)? {
        add_bug(&mut identity, subject, bug, &grammars, confinement);
    }
    Ok(identity)
}

/// The digest of a grammar's text, and of the start symbol if the manifest names one; why there is none, if it cannot be read.
pub(super) fn digest_of_grammar(grammar: &GrammarFile) -> String {
    let text = match std::fs::read(&grammar.file) {
        Ok(text) => blake3::hash(&text).to_hex().to_string(),
        Err(error) => error.to_string(),
    };
    match &grammar.start {
        Some(start) => digest(&(text, start)),
        None => text,
    }
}

/// A digest of files of a subject's folder; of what cannot be read, why not.
fn digest_of_files(subject: &Manifest, names: &[String]) -> String {
    let mut digest = Digest::new();
    if let Err((path, error)) = digest.add_files(&subject.folder, names) {
        digest.add(format!("{}: {error}", path.display()).as_bytes());
    }
    digest.finish()
}

fn add_bug(
    identity: &mut Identity,
    subject: &Manifest,
    bug: &Bug,
    grammars: &[&GrammarFile],
    confinement: Confinement,
) {
    let name = &subject.name;
    let mut add = |what: String, digest: String| identity.add(Some(&bug.name), what, digest);
    let names: Vec<&str> = grammars.iter().map(|grammar| grammar.name.as_str()).collect();
    add(format!("the list of grammars of `{name}`"), digest(&(&names, &subject.default_grammar().name)));
    for grammar in grammars {
        add(format!("the grammar `{}` of `{name}`", grammar.name), digest_of_grammar(grammar));
    }
    add(format!("the version of `{name}`"), subject.version.clone());
    add(format!("how `{name}` is run"), digest(&(&subject.run, &subject.worker, &subject.version_check)));
    let of_subject = |folder: &CorpusFolder| match folder {
        CorpusFolder::OfSubject(name) => Some(name.clone()),
        // What it holds comes of the build.
        CorpusFolder::OfBuild(_) => None,
    };
    let corpus: Vec<String> = subject.corpus.iter().filter_map(of_subject).collect();
    add(format!("the corpus of `{name}`"), digest_of_files(subject, &corpus));
    // What cannot be read makes the subject unfit, which is found and reported later.
    let build = prepare::key(subject).unwrap_or_else(|error| Some(error.to_string()));
    add(format!("what `{name}` is built from"), build.unwrap_or_default());
    if let Run::Command(run) = &subject.run {
        let worker = subject.worker.iter().flat_map(|worker| worker.argv.files_of_subject(bug.given_name()));
        let files: Vec<String> =
            run.argv.files_of_subject(bug.given_name()).into_iter().chain(worker).collect();
        add(format!("the program of `{name}`"), digest_of_files(subject, &files));
        add("whether programs are confined".into(), confinement.is_any().to_string());
    }
    let described = (
        (&bug.input, &bug.passing, &bug.expression, &bug.arguments),
        (&bug.rules, &bug.checks, subject.reintroduced),
    );
    add(format!("the description of `{}`", bug.name), digest(&described));
}
