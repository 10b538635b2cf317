//! Makes a [`Text`] of lexemes: recursive descent, with one lexeme of lookahead.
//!
//! A definition has no terminator: it ends where the next `<name> ::=`, a directive or the end of
//! the text begins. That is also where reading goes on after a mistake.

use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Source, nearest};

use super::super::check::MOST_ERRORS;
use super::super::model::HelperKind;
use super::lexer::{Kind, Lexeme};
use super::syntax::{
    Atom, Definition, HELPER_KINDS, Item, MOST_NESTED, Operator, Sequence, Skip, Span, Text, TokenOptions,
    Use,
};

const DIRECTIVES: [&str; 6] = ["start", "skip", "lexer", "token", "helper", "nothing"];

/// The syntax tree of a text, and what is wrong.
pub(super) fn parse(source: &Arc<Source>, lexemes: &[Lexeme]) -> (Text, Vec<Diagnostic>) {
    let mut parser = Parser { source, lexemes, next: 0, depth: 0, text: Text::default(), errors: Vec::new() };
    parser.text();
    (parser.text, parser.errors)
}

struct Parser<'a> {
    source: &'a Arc<Source>,
    /// Ends with [`Kind::End`], which is never consumed.
    lexemes: &'a [Lexeme],
    next: usize,
    /// How many groups are open.
    depth: usize,
    text: Text,
    errors: Vec<Diagnostic>,
}

/// What went wrong was reported.
struct Reported;

type Parsed<T> = Result<T, Reported>;

impl<'a> Parser<'a> {
    fn peek(&self) -> &'a Kind {
        &self.lexemes[self.next].kind
    }

    fn span(&self) -> Span {
        self.lexemes[self.next].span.clone()
    }

    fn advance(&mut self) {
        self.next = (self.next + 1).min(self.lexemes.len() - 1);
    }

    fn take(&mut self, kind: &Kind) -> bool {
        let found = self.peek() == kind;
        if found {
            self.advance();
        }
        found
    }

    fn at_definition(&self) -> bool {
        matches!(self.peek(), Kind::Name(_))
            && self.lexemes.get(self.next + 1).is_some_and(|lexeme| lexeme.kind == Kind::Define)
    }

    /// Whether a definition ends here.
    fn at_boundary(&self) -> bool {
        matches!(self.peek(), Kind::End | Kind::Directive(_)) || self.at_definition()
    }

    fn report(&mut self, error: Diagnostic) -> Reported {
        self.errors.push(error);
        Reported
    }

    fn error(&mut self, message: impl Into<String>, span: Span, help: &str) -> Reported {
        let error = Diagnostic::error(message).at(self.source, span, "");
        self.report(error.help(help))
    }

    /// Reports what stands here in place of what was `expected`.
    fn unexpected(&mut self, expected: &str) -> Reported {
        let span = self.span();
        let defined = self.at_definition();
        let (found, help) = match self.peek() {
            Kind::Bad => return Reported,
            Kind::Word(word) => (
                format!("the word `{word}`"),
                format!("text is written in quotes, \"{word}\"; a nonterminal in angle brackets, <{word}>"),
            ),
            Kind::Directive(word) => (format!("`@{word}`"), String::new()),
            Kind::End => ("the end of the text".to_owned(), String::new()),
            Kind::Define => (
                "`::=`".to_owned(),
                "left of `::=` stands one name in angle brackets, as in `<item> ::= \"x\"`".to_owned(),
            ),
            Kind::Close => ("`)`".to_owned(), "no `(` is open here".to_owned()),
            Kind::Star | Kind::Plus | Kind::Question => {
                ("an operator".to_owned(), "`*`, `+` and `?` follow what they apply to".to_owned())
            }
            Kind::Colon => {
                ("`:`".to_owned(), "a definition is written with `::=`; text is written in quotes".to_owned())
            }
            Kind::Name(name) if defined => (format!("the definition of `{name}`"), String::new()),
            Kind::Name(name) => (format!("`{name}`"), String::new()),
            Kind::Literal(_) => ("a literal".to_owned(), String::new()),
            Kind::Class(_) => ("a class".to_owned(), String::new()),
            Kind::Bar => ("`|`".to_owned(), String::new()),
            Kind::Open => ("`(`".to_owned(), String::new()),
            Kind::Comma => ("`,`".to_owned(), "symbols are separated by spaces".to_owned()),
        };
        let error = Diagnostic::error(format!("expected {expected}, found {found}"));
        let error = error.at(self.source, span, format!("expected {expected}"));
        self.report(error.help(help))
    }

    fn text(&mut self) {
        while *self.peek() != Kind::End && self.errors.len() < MOST_ERRORS {
            let before = self.next;
            if self.statement().is_err() {
                if self.next == before {
                    self.advance();
                }
                while !self.at_boundary() {
                    self.advance();
                }
            }
            self.depth = 0;
        }
    }

    fn statement(&mut self) -> Parsed<()> {
        let span = self.span();
        match self.peek() {
            Kind::Directive(word) => {
                self.advance();
                match word.as_str() {
                    "start" => self.start(span),
                    "skip" => self.skip(span),
                    "lexer" => self.lexer(span),
                    "helper" => self.helper(),
                    "nothing" => self.nothing(None),
                    "token" => {
                        let options = self.token_options()?;
                        if self.take(&Kind::Directive("nothing".to_owned())) {
                            return self.nothing(Some(options));
                        }
                        if !matches!(self.peek(), Kind::Name(_)) {
                            return Err(self.unexpected("a definition after `@token`"));
                        }
                        self.definition(Some(options))
                    }
                    _ => {
                        let mut error = Diagnostic::error(format!("there is no directive `@{word}`")).at(
                            self.source,
                            span,
                            "",
                        );
                        error = match nearest(word, DIRECTIVES) {
                            Some(name) => error.help(format!("did you mean `@{name}`?")),
                            None => error.help(
                                "the directives are @start, @skip, @lexer, @token, @helper and @nothing",
                            ),
                        };
                        Err(self.report(error))
                    }
                }
            }
            Kind::Name(_) => self.definition(None),
            _ => Err(self.unexpected("a definition or a directive")),
        }
    }

    /// The name of a nonterminal that is used, not defined, here.
    fn target(&mut self, expected: &str) -> Parsed<Use> {
        let span = self.span();
        match self.peek() {
            Kind::Name(name) if !self.at_definition() => {
                self.advance();
                Ok(Use { name: name.clone(), span })
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    fn targets(&mut self, expected: &str) -> Parsed<Vec<Use>> {
        let mut targets = vec![self.target(expected)?];
        while matches!(self.peek(), Kind::Name(_)) && !self.at_definition() {
            targets.push(self.target(expected)?);
        }
        Ok(targets)
    }

    fn start(&mut self, span: Span) -> Parsed<()> {
        let target = self.target("the name of the start symbol, as in `@start <json>`")?;
        match &self.text.start {
            Some(first) => {
                let first = first.span.clone();
                Err(self.twice("`@start`", first, span.start..target.span.end))
            }
            None => {
                self.text.start = Some(target);
                Ok(())
            }
        }
    }

    fn lexer(&mut self, span: Span) -> Parsed<()> {
        let target = self.target("the name of what names all words, as in `@lexer <word>`")?;
        match &self.text.lexer {
            Some(first) => {
                let first = first.span.clone();
                Err(self.twice("`@lexer`", first, span.start..target.span.end))
            }
            None => {
                self.text.lexer = Some(target);
                Ok(())
            }
        }
    }

    fn skip(&mut self, span: Span) -> Parsed<()> {
        let written = self.option("written")?;
        let target = self.target("the name of what may stand between tokens, as in `@skip <space>`")?;
        match &self.text.skip {
            Some(first) => {
                let first = first.target.span.clone();
                Err(self.twice("`@skip`", first, span.start..target.span.end))
            }
            None => {
                self.text.skip = Some(Skip { target, written });
                Ok(())
            }
        }
    }

    fn twice(&mut self, what: &str, first: Span, second: Span) -> Reported {
        let error = Diagnostic::error(format!("{what} stands twice"))
            .at(self.source, second, "again here")
            .at(self.source, first, "first here");
        self.report(error)
    }

    /// `(word)`, which may be missing.
    fn option(&mut self, word: &str) -> Parsed<bool> {
        if !self.take(&Kind::Open) {
            return Ok(false);
        }
        if !self.take(&Kind::Word(word.to_owned())) {
            return Err(self.unexpected(&format!("`{word}`")));
        }
        self.close()?;
        Ok(true)
    }

    fn close(&mut self) -> Parsed<()> {
        if self.take(&Kind::Close) { Ok(()) } else { Err(self.unexpected("`)`")) }
    }

    fn helper(&mut self) -> Parsed<()> {
        let mut kind = HelperKind::Group;
        if self.take(&Kind::Open) {
            let known = |word: &str| HELPER_KINDS.iter().find(|(name, _)| *name == word);
            match self.peek() {
                Kind::Word(word) if known(word).is_some() => {
                    kind = known(word).map_or(kind, |&(_, kind)| kind);
                    self.advance();
                }
                Kind::Word(word) => {
                    let error = Diagnostic::error(format!("there is no kind of helper `{word}`"))
                        .at(
                            self.source,
                            self.span(),
                            "expected `star`, `plus`, `optional`, `group` or `skip`",
                        )
                        .suggest(word, HELPER_KINDS.iter().map(|&(name, _)| name));
                    return Err(self.report(error));
                }
                _ => return Err(self.unexpected("`star`, `plus`, `optional`, `group` or `skip`")),
            }
            self.close()?;
        }
        let targets = self.targets("the name of a nonterminal that reports should not show")?;
        self.text.helpers.extend(targets.into_iter().map(|target| (kind, target)));
        Ok(())
    }

    fn nothing(&mut self, token: Option<TokenOptions>) -> Parsed<()> {
        let targets = self.targets("the name of a nonterminal that derives nothing")?;
        let definition = |name| Definition { name, token: token.clone(), alternatives: Vec::new() };
        self.text.definitions.extend(targets.into_iter().map(definition));
        Ok(())
    }

    fn token_options(&mut self) -> Parsed<TokenOptions> {
        let mut options = TokenOptions::default();
        if !self.take(&Kind::Open) {
            return Ok(options);
        }
        loop {
            let Kind::Word(word) = self.peek() else {
                return Err(self.unexpected("`except:` or `not-before:`"));
            };
            let span = self.span();
            self.advance();
            match word.as_str() {
                "except" | "not-before" if !self.take(&Kind::Colon) => return Err(self.unexpected("`:`")),
                "except" => options.except.extend(self.targets("the name of a nonterminal")?),
                "not-before" => match self.peek() {
                    Kind::Class(class) if options.not_before.is_none() => {
                        options.not_before = Some(class.clone());
                        self.advance();
                    }
                    Kind::Class(_) => {
                        return Err(self.error("`not-before` stands twice", span, "put all into one class"));
                    }
                    _ => return Err(self.unexpected("a class, as in `not-before: [a-z]`")),
                },
                _ => {
                    let error = Diagnostic::error(format!("a token has no option `{word}`"))
                        .at(self.source, span, "expected `except` or `not-before`")
                        .suggest(word, ["except", "not-before"]);
                    return Err(self.report(error));
                }
            }
            if !self.take(&Kind::Comma) {
                break;
            }
        }
        self.close()?;
        Ok(options)
    }

    fn definition(&mut self, token: Option<TokenOptions>) -> Parsed<()> {
        let Kind::Name(name) = self.peek() else { return Err(self.unexpected("a name in angle brackets")) };
        let name = Use { name: name.clone(), span: self.span() };
        self.advance();
        let body = if self.take(&Kind::Define) {
            self.alternatives().and_then(|alternatives| {
                if self.at_boundary() { Ok(alternatives) } else { Err(self.unexpected("a symbol or `|`")) }
            })
        } else {
            Err(self.unexpected(&format!("`::=` after `{}`", name.name)))
        };
        // A definition that is wrong defines its name nevertheless: its uses are right.
        let (alternatives, result) = match body {
            Ok(alternatives) => (alternatives, Ok(())),
            Err(reported) => (Vec::new(), Err(reported)),
        };
        self.text.definitions.push(Definition { name, token, alternatives });
        result
    }

    fn alternatives(&mut self) -> Parsed<Vec<Sequence>> {
        let mut alternatives = vec![self.sequence()?];
        while self.take(&Kind::Bar) {
            alternatives.push(self.sequence()?);
        }
        Ok(alternatives)
    }

    fn sequence(&mut self) -> Parsed<Sequence> {
        let mut items = Vec::new();
        while !self.at_boundary() {
            let start = self.span().start;
            let atom = match self.peek() {
                Kind::Literal(bytes) => Atom::Literal(bytes.clone()),
                Kind::Class(class) => Atom::Class(class.clone()),
                Kind::Name(name) => Atom::Nonterminal(name.clone()),
                Kind::Open => Atom::Group(self.group()?),
                _ => break,
            };
            self.advance();
            let operator = self.operator();
            if operator.is_some() && self.operator().is_some() {
                let span = start..self.lexemes[self.next - 1].span.end;
                let help = "apply the second to a group, as in `(x+)?`";
                return Err(self.error("two operators after one symbol", span, help));
            }
            let end = self.lexemes[self.next - 1].span.end;
            items.push(Item { atom, operator, span: start..end });
        }
        Ok(items)
    }

    fn operator(&mut self) -> Option<Operator> {
        let operator = match self.peek() {
            Kind::Star => Operator::Star,
            Kind::Plus => Operator::Plus,
            Kind::Question => Operator::Optional,
            _ => return None,
        };
        self.advance();
        Some(operator)
    }

    /// A group up to its `)`, which is left to be consumed.
    fn group(&mut self) -> Parsed<Vec<Sequence>> {
        let open = self.span();
        if self.depth == MOST_NESTED {
            let message = format!("groups nest deeper than {MOST_NESTED}");
            return Err(self.error(message, open, "give the inner part a name of its own"));
        }
        self.depth += 1;
        self.advance();
        let alternatives = self.alternatives()?;
        self.depth -= 1;
        if *self.peek() == Kind::Close {
            return Ok(alternatives);
        }
        if self.at_boundary() {
            let help = "the definition ends without a `)` for it";
            return Err(self.error("this `(` is never closed", open, help));
        }
        Err(self.unexpected("a symbol, `|` or `)`"))
    }
}
