//! All that the results of a campaign depend on: a store of anything else is refused.
//!
//! Not in it, since nobody could know it: programs outside the subjects' folders and their builds, the
//! interpreters and libraries that they use, the kernel. A subject's version check is there for these.

use std::collections::HashSet;

use crate::base::digest::digest;
use crate::base::limits::Sizes;
use crate::generalize::Characteristic;
use crate::oracle::TimeoutAs;
use crate::produce;
use crate::store::Identity;
use crate::subject::catalogue::Catalogue;
use crate::subject::confinement::Confinement;
use crate::subject::contents::Digest;
use crate::subject::manifest::{Bug, Manifest, Reading, Run};
use crate::subject::prepare;

use super::config::{Config, Settings};
use super::expressions::GivenExpression;
use super::plan::Plan;

/// The identity of a campaign whose whole plan, before anything was left out of it, is `plan`.
pub fn identity(config: &Config, catalogue: &Catalogue, plan: &Plan, confinement: Confinement) -> Identity {
    let mut identity = Identity::default();
    identity.add(None, "the version of grambench", env!("CARGO_PKG_VERSION"));
    identity.add(None, "the seed", config.seed.to_string());
    identity.add(None, "the repetitions", config.repetitions.to_string());
    identity.add(None, "the list of bugs", digest(&config.bugs.patterns()));
    for (what, names) in [
        ("the reducers", &config.reducers),
        ("the generalizers", &config.generalizers),
        ("the transformers", &config.transformers),
        ("the producers", &config.producers),
    ] {
        identity.add(None, what, names.join(" "));
    }
    add_settings(&mut identity, &config.settings);
    for external in &config.external {
        let digest = external.command.digest();
        identity.add(None, format!("the transformer `{}`", external.name), digest);
    }
    add_expressions(&mut identity, &config.expressions);
    let planned: HashSet<&str> = plan.tasks.iter().filter_map(|task| task.bug.as_deref()).collect();
    for subject in catalogue.subjects() {
        for bug in subject.bugs.iter().filter(|bug| planned.contains(bug.name.as_str())) {
            add_bug(&mut identity, subject, bug, confinement);
        }
    }
    identity
}

/// One by one, so that a refusal names the one that differs; the pattern makes sure that none is left
/// out.
fn add_settings(identity: &mut Identity, settings: &Settings) {
    let Settings {
        checks,
        characteristic,
        instances,
        counted,
        sizes: Sizes { states, rules, steps },
        inputs,
        producer: produce::Settings { depth, lengths, paths },
        held_out_random,
        held_out_mutations,
        timeout_as,
        reading,
        uses_workers,
        judged_again,
        repeated,
        // About what is said of figures, not about the figures.
        flaky: _,
    } = settings;
    let timeout_as = match timeout_as {
        TimeoutAs::Pass => "pass",
        TimeoutAs::Unresolved => "unresolved",
        TimeoutAs::Fail => "fail",
    };
    let characteristic = match characteristic {
        Characteristic::Asked => "asked",
        Characteristic::Static => "static",
    };
    let reading = match reading {
        Reading::Own => "own",
        Reading::Paper => "paper",
    };
    identity.add(None, "`checks`", checks.to_string());
    identity.add(None, "`characteristic`", characteristic);
    identity.add(None, "`instantiate.inputs`", instances.to_string());
    identity.add(None, "`transform.length`", counted.to_string());
    identity.add(None, "`transform.states`", states.to_string());
    identity.add(None, "`transform.rules`", rules.to_string());
    identity.add(None, "`transform.steps`", steps.to_string());
    identity.add(None, "`inputs`", inputs.to_string());
    identity.add(None, "`depth`", depth.to_string());
    identity.add(None, "`length`", lengths.to_string());
    identity.add(None, "`paths`", paths.to_string());
    identity.add(None, "`random`", held_out_random.to_string());
    identity.add(None, "`mutations`", held_out_mutations.to_string());
    identity.add(None, "`timeout_as`", timeout_as);
    identity.add(None, "`verdict`", reading);
    identity.add(None, "whether workers are used", uses_workers.to_string());
    identity.add(None, "`judged_again`", judged_again.to_string());
    identity.add(None, "`repeated`", repeated.to_string());
}

/// Of a grammar its model and not its text: it can be put together from several files.
fn add_expressions(identity: &mut Identity, expressions: &[GivenExpression]) {
    let names: Vec<&str> = expressions.iter().map(|given| given.name.as_str()).collect();
    identity.add(None, "the list of expressions", digest(&names));
    for (index, GivenExpression { name, file, grammar, expression, .. }) in expressions.iter().enumerate() {
        if !expressions[..index].iter().any(|before| before.file == *file) {
            let rules = (grammar.nonterminals(), grammar.rules(), grammar.start(), grammar.skip());
            let model = (rules, grammar.literals(), grammar.classes());
            identity.add(None, format!("the grammar `{file}`"), digest(&model));
        }
        let model = (file, &**expression, expression.text(grammar));
        identity.add(None, format!("the expression `{name}`"), digest(&model));
    }
}

fn add_bug(identity: &mut Identity, subject: &Manifest, bug: &Bug, confinement: Confinement) {
    let name = &subject.name;
    let mut add = |what: String, digest: String| identity.add(Some(&bug.name), what, digest);
    let grammar = std::fs::read(&subject.grammar)
        .map_or_else(|error| error.to_string(), |text| blake3::hash(&text).to_hex().to_string());
    add(format!("the grammar of `{name}`"), grammar);
    add(format!("the version of `{name}`"), subject.version.clone());
    add(format!("how `{name}` is run"), digest(&(&subject.run, &subject.worker, &subject.version_check)));
    // What cannot be read makes the subject unfit, which is found out later, and told there.
    let build = prepare::key(subject).unwrap_or_else(|error| Some(error.to_string()));
    add(format!("what `{name}` is built from"), build.unwrap_or_default());
    if let Run::Command(run) = &subject.run {
        let mut digest = Digest::new();
        let worker = subject.worker.iter().flat_map(|worker| worker.argv.files_of_subject(&bug.name));
        let files: Vec<String> = run.argv.files_of_subject(&bug.name).into_iter().chain(worker).collect();
        if let Err((path, error)) = digest.add_files(&subject.folder, &files) {
            digest.add(format!("{}: {error}", path.display()).as_bytes());
        }
        add(format!("the program of `{name}`"), digest.finish());
        add("whether programs are confined".into(), confinement.is_any().to_string());
    }
    let described = (
        (&bug.input, &bug.passing, &bug.expression, &bug.arguments),
        (&bug.rules, &bug.checks, subject.reintroduced),
    );
    add(format!("the description of `{}`", bug.name), digest(&described));
}
