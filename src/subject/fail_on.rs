//! What a failure looks like, as written on the command line: `--fail-on 'exit 139'`.
//!
//! ```text
//! signal SIGSEGV                the process died of this signal
//! exit 3                        it ended with this code; a signal counts as 128 and its number
//! exit !=0                      it ended with any other code
//! stdout "text"                 it wrote this
//! stderr "text"
//! timeout                       it did not end in time
//! ```
//!
//! Conditions are joined by `and`, all but `timeout`, which stands alone: a run that is killed has nothing
//! else to show.

use std::ops::Range;
use std::sync::Arc;

use super::rules::{Condition, ExitTest};
use super::signal;
use crate::base::diagnostic::{Diagnostic, Source};

/// What a failure looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FailOn {
    /// This holds of a run that ended.
    Condition(Condition),
    /// The run does not end in time. (The verdict stays a timeout; it is to be counted as a failure.)
    Timeout,
}

const WORDS: [&str; 5] = ["exit", "signal", "stdout", "stderr", "timeout"];

/// Reads a condition.
///
/// # Errors
/// What is wrong, and where.
pub fn parse(source: &Arc<Source>) -> Result<FailOn, Diagnostic> {
    let mut parser = Parser { source, tokens: tokens(source)?, next: 0 };
    let mut condition = Condition::default();
    loop {
        let (word, span) = parser.word("a condition")?;
        match word.as_str() {
            "timeout" => {
                return match parser.tokens.len() {
                    1 => Ok(FailOn::Timeout),
                    _ => Err(parser.error(span, "`timeout` cannot be combined with other conditions")),
                };
            }
            "exit" if condition.exit.is_none() => condition.exit = Some(parser.exit()?),
            "signal" if condition.signal.is_none() => condition.signal = Some(parser.signal()?),
            "stdout" => condition.stdout.push(parser.text()?),
            "stderr" => condition.stderr.push(parser.text()?),
            "exit" | "signal" => return Err(parser.error(span, format!("`{word}` is given twice"))),
            _ => {
                let error = parser.error(span, format!("unknown condition `{word}`"));
                return Err(error.suggest(&word, WORDS).help(format!("conditions are {}", WORDS.join(", "))));
            }
        }
        if parser.next == parser.tokens.len() {
            return Ok(FailOn::Condition(condition));
        }
        match parser.word("`and`")? {
            (word, _) if word == "and" => {}
            (word, span) => return Err(parser.error(span, format!("expected `and`, found `{word}`"))),
        }
    }
}

struct Token {
    text: String,
    is_quoted: bool,
    span: Range<usize>,
}

struct Parser<'a> {
    source: &'a Arc<Source>,
    tokens: Vec<Token>,
    next: usize,
}

impl Parser<'_> {
    fn error(&self, span: Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(message).at(self.source, span, "")
    }

    fn take(&mut self, wanted: &str) -> Result<&Token, Diagnostic> {
        let end = self.source.text().len();
        if self.next == self.tokens.len() {
            return Err(self.error(end..end, format!("expected {wanted}, found the end")));
        }
        self.next += 1;
        Ok(&self.tokens[self.next - 1])
    }

    fn word(&mut self, wanted: &str) -> Result<(String, Range<usize>), Diagnostic> {
        let Token { text, is_quoted, span } = self.take(wanted)?;
        let (text, is_quoted, span) = (text.clone(), *is_quoted, span.clone());
        if is_quoted {
            return Err(self.error(span, format!("expected {wanted}, found a text")));
        }
        Ok((text, span))
    }

    fn exit(&mut self) -> Result<ExitTest, Diagnostic> {
        let (mut word, mut span) = self.word("an exit code")?;
        let is_not = word.starts_with("!=");
        if let Some(rest) = word.strip_prefix("!=").or(word.strip_prefix('=')) {
            (word, span) = if rest.is_empty() { self.word("an exit code")? } else { (rest.to_owned(), span) };
        }
        match word.parse::<u8>() {
            Ok(code) if is_not => Ok(ExitTest::IsNot(code.into())),
            Ok(code) => Ok(ExitTest::Is(code.into())),
            Err(_) => Err(self
                .error(span, format!("`{word}` is no exit code"))
                .help("an exit code is a number from 0 to 255")),
        }
    }

    fn signal(&mut self) -> Result<i32, Diagnostic> {
        let (word, span) = self.word("the name of a signal")?;
        signal::number(&word).ok_or_else(|| {
            self.error(span, format!("there is no signal `{word}`")).suggest(&word, signal::names())
        })
    }

    fn text(&mut self) -> Result<String, Diagnostic> {
        Ok(self.take("a text in double quotes")?.text.clone())
    }
}

/// Words and quoted texts.
fn tokens(source: &Arc<Source>) -> Result<Vec<Token>, Diagnostic> {
    let text = source.text();
    let mut tokens = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((start, first)) = rest.next() {
        if first.is_whitespace() {
            continue;
        }
        let mut token = Token { text: String::new(), is_quoted: first == '"', span: start..start };
        if token.is_quoted {
            loop {
                match rest.next() {
                    Some((end, '"')) => {
                        token.span.end = end + 1;
                        break;
                    }
                    Some((_, '\\')) if rest.peek().is_some_and(|&(_, next)| next == '"' || next == '\\') => {
                        token.text.extend(rest.next().map(|(_, next)| next));
                    }
                    Some((_, other)) => token.text.push(other),
                    None => {
                        return Err(Diagnostic::error("a double quote is not closed").at(
                            source,
                            start..text.len(),
                            "",
                        ));
                    }
                }
            }
        } else {
            token.text.push(first);
            while let Some((_, next)) = rest.next_if(|&(_, next)| !next.is_whitespace() && next != '"') {
                token.text.push(next);
            }
            token.span.end = start + token.text.len();
        }
        tokens.push(token);
    }
    Ok(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn condition(text: &str) -> String {
        match parse(&Source::new("--fail-on", text)) {
            Ok(FailOn::Condition(condition)) => condition.to_string(),
            Ok(FailOn::Timeout) => "timeout".into(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn conditions_are_what_they_say() {
        for text in [
            "exit 139",
            "exit !=0",
            "signal SIGSEGV",
            r#"exit 1 and stdout "a \"b\" \\ c" and stdout "and" and stderr "x""#,
            "timeout",
        ] {
            assert_eq!(condition(text), text);
        }
        assert_eq!(condition(" exit  != 0 and signal SEGV"), "exit !=0 and signal SIGSEGV");
        assert_eq!(condition("exit =3"), "exit 3");
        assert_eq!(condition("stderr word"), "stderr \"word\"");
    }

    #[test]
    fn what_is_wrong_is_shown_with_its_place() {
        let texts = [
            "",
            "exti 1",
            "exit",
            "exit 256",
            "signal SIGSEG",
            "exit 1 or exit 2",
            "stdout \"open",
            "timeout and exit 1",
            "exit 1 and",
        ];
        let all: Vec<String> = texts.into_iter().map(condition).collect();
        insta::assert_snapshot!(all.join("\n\n"));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text: String) {
            let _ = condition(&text);
        }

        #[test]
        fn what_is_shown_is_read_again(exit: Option<u8>, signal in 0usize..9, stdout: Vec<String>, stderr: Vec<String>) {
            let signal = signal::names().nth(signal).and_then(signal::number);
            let exit = exit.map(|code| ExitTest::IsNot(code.into()));
            // The debug form of a text escapes more than the syntax here knows.
            let plain = |texts: Vec<String>| texts.into_iter().filter(|text| format!("{text:?}") == format!("\"{text}\"")).collect();
            let given = Condition { exit, signal, stdout: plain(stdout), stderr: plain(stderr), stdout_empty: None };
            prop_assert_eq!(parse(&Source::new("", given.to_string())), Ok(FailOn::Condition(given)));
        }
    }
}
