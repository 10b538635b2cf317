//! The `command` reducer as a user writes it, and all reducers with it.
//!
//! `{ name = "shrinkray", command = ["shrinkray", "{test}", "{input}"], result = "{input}.reduced" }`: the words of a command line, in which
//! `{input}` is the file with the failing input, `{test}` the test, and `{folder}` an empty folder. A word that names a file, as seen from
//! the folder of the config, becomes the file's whole path.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::command_reducer::CommandReducer;
use super::contents::Digest;
use super::program;
use super::quantity::duration;
use crate::base::diagnostic::Diagnostic;
use crate::base::keys::Keys;
use crate::base::registry::{PlugIn, PlugInSettings, Registry};
use crate::reduce::{AnyReducer, PLUG_INS, REDUCERS};

/// All reducers: those that run no programs of their own, and `command`.
pub const ALL_REDUCERS: Registry<AnyReducer> = REDUCERS.with(&ALL);

const ALL: [PlugIn<AnyReducer>; PLUG_INS.len() + 1] = {
    let mut all = [PlugIn::of::<ReducerCommand>(); PLUG_INS.len() + 1];
    let mut place = 0;
    while place < PLUG_INS.len() {
        all[place] = PLUG_INS[place];
        place += 1;
    }
    all
};

/// What the words of the command line may ask for.
pub(super) const PLACEHOLDERS: [&str; 3] = ["input", "test", "folder"];

/// A program that reduces a file, and how it is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct ReducerCommand {
    /// The command line as it is written.
    command: Vec<String>,
    /// Where the program leaves its result.
    pub(super) result: String,
    /// What the name of the input's file ends in.
    pub(super) extension: Option<String>,
    /// How long it may take, by the wall clock.
    pub(super) timeout: Duration,
    /// Whether only inputs of the grammar count as failing, where there is one.
    pub(super) grammatical: bool,
    /// Differs whenever a file does that the command line names.
    digest: String,
    /// The command line with the whole paths of files.
    #[serde(skip)]
    pub(super) words: Vec<String>,
}

impl Default for ReducerCommand {
    fn default() -> Self {
        Self {
            command: Vec::new(),
            result: "{input}".to_owned(),
            extension: None,
            timeout: Duration::from_secs(600),
            grammatical: true,
            digest: String::new(),
            words: Vec::new(),
        }
    }
}

impl PlugInSettings<AnyReducer> for ReducerCommand {
    const NAME: &'static str = "command";
    const TELLING_KEY: Option<&'static str> = Some("command");

    fn read(keys: &mut Keys<'_>) -> Self {
        let document = keys.document();
        let mut read = Self::default();
        match keys.take::<Vec<String>>("command") {
            Some(command) => {
                let span = command.span();
                if let Err(error) = read.command(command.into_inner(), document.folder()) {
                    document.wrong(error.at(document.source(), span, ""));
                }
            }
            None if document.has_errors() => {}
            None => document.wrong(
                Diagnostic::error("the reducer `command` needs the command line of a program")
                    .help("such as `command = [\"shrinkray\", \"{test}\", \"{input}\"]`"),
            ),
        }
        if let Some(result) = keys.take::<String>("result") {
            if let Err(error) = check(result.get_ref()) {
                document.wrong(error.at(document.source(), result.span(), ""));
            }
            read.result = result.into_inner();
        }
        if let Some(extension) = keys.take::<String>("extension") {
            let is_part = |c: char| c.is_alphanumeric() || "._-".contains(c);
            if extension.get_ref().is_empty() || !extension.get_ref().chars().all(is_part) {
                document.wrong_at(extension.span(), "an extension is letters and digits, such as `json`");
            }
            read.extension = Some(extension.into_inner());
        }
        if let Some(timeout) = keys.take::<String>("timeout") {
            match duration(timeout.get_ref()) {
                Ok(timeout) => read.timeout = timeout,
                Err(message) => document.wrong_at(timeout.span(), message),
            }
        }
        read.grammatical = keys.or("grammatical", true);
        read
    }

    fn make(self) -> AnyReducer {
        Arc::new(CommandReducer::new(self))
    }
}

impl ReducerCommand {
    /// Takes the words of the command line.
    fn command(&mut self, command: Vec<String>, folder: &Path) -> Result<(), Diagnostic> {
        let mut digest = Digest::new();
        for (index, word) in command.iter().enumerate() {
            check(word)?;
            // A program's name without `/` is looked up on PATH.
            let is_looked_up = index == 0 && !word.contains('/');
            let path = folder.join(word);
            let is_file = !is_looked_up && path.is_file();
            if is_file {
                digest.add_files(folder, std::slice::from_ref(word)).map_err(|(path, error)| {
                    Diagnostic::error(format!("cannot read `{}`: {error}", path.display()))
                })?;
            }
            let whole = if is_file || (index == 0 && !is_looked_up) {
                let whole = std::path::absolute(&path)
                    .map_err(|error| Diagnostic::error(format!("`{}`: {error}", path.display())))?;
                // A brace in a path is no placeholder.
                whole.to_string_lossy().replace('{', "{{").replace('}', "}}")
            } else {
                word.clone()
            };
            self.words.push(whole);
        }
        let Some(first) = self.words.first() else {
            return Err(Diagnostic::error("there is no program to run"));
        };
        // One that is looked up on PATH may be installed here and not there, which is no mistake of the config: its
        // reductions are rows with that error.
        let name = expand(first, &|_| None).unwrap_or_default();
        if name.contains('/') || name.is_empty() {
            program::find(name.as_ref()).map_err(Diagnostic::error)?;
        }
        self.digest = digest.finish();
        self.command = command;
        Ok(())
    }
}

/// Whether the placeholders of a word are known.
fn check(word: &str) -> Result<(), Diagnostic> {
    let known = |name: &str| PLACEHOLDERS.contains(&name).then(String::new);
    expand(word, &known).map(drop).map_err(|name| {
        Diagnostic::error(format!("`{{{name}}}` stands for nothing in the command line of a reducer"))
            .suggest(&name, PLACEHOLDERS)
            .help(format!("placeholders are {}; a brace is written `{{{{`", PLACEHOLDERS.join(", ")))
    })
}

/// A word with what its placeholders stand for; the name of one that stands for nothing is the error. `{{` and `}}` are braces.
pub(super) fn expand(word: &str, place: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut expanded = String::new();
    let mut rest = word;
    while let Some(at) = rest.find(['{', '}']) {
        expanded.push_str(&rest[..at]);
        let (brace, after) = rest[at..].split_at(1);
        if let Some(after) = after.strip_prefix(brace) {
            expanded.push_str(brace);
            rest = after;
        } else if brace == "{" {
            let (name, after) = after.split_once('}').unwrap_or((after, ""));
            expanded.push_str(&place(name).ok_or_else(|| name.to_owned())?);
            rest = after;
        } else {
            expanded.push_str(brace);
            rest = after;
        }
    }
    expanded.push_str(rest);
    Ok(expanded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_stands_beside_the_other_reducers() {
        assert_eq!(ALL_REDUCERS.names().last(), Some("command"));
        assert_eq!(ALL_REDUCERS.names().len(), REDUCERS.names().len() + 1);
        let made = ALL_REDUCERS.parse("{ name = \"mine\", command = [\"sh\", \"{test}\"] }", &[]).unwrap();
        assert_eq!((&*made.label, made.name), ("mine", "command"));
        let other = ALL_REDUCERS.parse("{ name = \"mine\", command = [\"sh\", \"-c\"] }", &[]).unwrap();
        assert_ne!(made.identity(), other.identity());
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let wrong = |text: &str| ALL_REDUCERS.parse(text, &[]).unwrap_err().to_string();
        for (text, told) in [
            ("{ command = [\"sh\", \"{inptu}\"] }", "did you mean `input`?"),
            ("{ command = [\"./no-such-program\"] }", "there is no program `/"),
            ("{ command = [] }", "there is no program to run"),
            ("{ command = [\"sh\"], result = \"{x}\" }", "`{x}` stands for nothing"),
            ("{ command = [\"sh\"], timeout = \"5\" }", "such as `5s`"),
            ("{ command = [\"sh\"], extension = \"../c\" }", "such as `json`"),
            ("command", "needs the command line of a program"),
        ] {
            assert!(wrong(text).contains(told), "{}", wrong(text));
        }
    }

    #[test]
    fn a_program_that_is_not_installed_is_no_mistake_of_the_config() {
        assert!(ALL_REDUCERS.parse("{ command = [\"no-such-program\"] }", &[]).is_ok());
    }

    #[test]
    fn words_are_expanded_once() {
        let place = |name: &str| (name == "input").then(|| "/tmp/{test}".to_owned());
        assert_eq!(expand("a{input}.b{{x}}", &place), Ok("a/tmp/{test}.b{x}".to_owned()));
        assert_eq!(expand("{output}", &place), Err("output".to_owned()));
    }
}
