//! Makes a [`Text`] of lexemes: recursive descent, with one lexeme of lookahead.
//!
//! After a mistake, reading goes on behind the next `;`. What has no counterpart in our grammars is
//! noted with its place and otherwise passed over.

use crate::base::diagnostic::Diagnostic;

use super::super::check::{MOST_ERRORS, Texts};
use super::lexer::{Kind, Lexeme};
use super::syntax::{Dropped, GrammarKind, Rule, Span, Text, Use, is_lexical};

/// The syntax tree of a text, and what is wrong.
pub(super) fn parse(texts: &Texts, lexemes: &[Lexeme]) -> (Text, Vec<Diagnostic>) {
    let mut parser = Parser {
        texts,
        lexemes,
        next: 0,
        depth: 0,
        lexical: false,
        mode: None,
        any_case: false,
        text: Text::default(),
        errors: Vec::new(),
    };
    parser.text();
    (parser.text, parser.errors)
}

pub(super) struct Parser<'a> {
    pub(super) texts: &'a Texts,
    /// Ends with [`Kind::End`], which is never consumed.
    pub(super) lexemes: &'a [Lexeme],
    pub(super) next: usize,
    /// How many groups are open.
    pub(super) depth: usize,
    /// Whether the rule that is being read is one of the lexer.
    pub(super) lexical: bool,
    mode: Option<String>,
    any_case: bool,
    pub(super) text: Text,
    pub(super) errors: Vec<Diagnostic>,
}

/// What options are about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    Grammar,
    Rule,
    Group,
}

/// What went wrong was reported.
pub(super) struct Reported;

pub(super) type Parsed<T> = Result<T, Reported>;

impl<'a> Parser<'a> {
    pub(super) fn peek(&self) -> &'a Kind {
        &self.lexemes[self.next].kind
    }

    pub(super) fn ahead(&self) -> &'a Kind {
        &self.lexemes[(self.next + 1).min(self.lexemes.len() - 1)].kind
    }

    pub(super) fn span(&self) -> Span {
        self.lexemes[self.next].span.clone()
    }

    pub(super) fn advance(&mut self) {
        self.next = (self.next + 1).min(self.lexemes.len() - 1);
    }

    pub(super) fn at(&self, sign: &str) -> bool {
        matches!(self.peek(), Kind::Sign(found) if *found == sign)
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
        matches!(self.peek(), Kind::Word(found) if found == word)
    }

    pub(super) fn take(&mut self, sign: &str) -> bool {
        let found = self.at(sign);
        if found {
            self.advance();
        }
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.take(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    pub(super) fn word(&mut self, expected: &str) -> Parsed<Use> {
        match self.peek() {
            Kind::Word(word) => {
                let found = Use { name: word.clone(), span: self.span() };
                self.advance();
                Ok(found)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    pub(super) fn drop(&mut self, what: Dropped, span: Span) {
        self.text.dropped.push((what, span));
    }

    pub(super) fn error(&mut self, message: impl Into<String>, span: &Span, help: &str) -> Reported {
        let error = self.texts.point(Diagnostic::error(message), span, "");
        self.errors.push(error.help(help));
        Reported
    }

    /// Reports what stands here in place of what was `expected`.
    pub(super) fn unexpected(&mut self, expected: &str) -> Reported {
        let found = match self.peek() {
            Kind::Bad => return Reported,
            Kind::Word(word) => format!("the word `{word}`"),
            Kind::Literal(_) => "a literal".to_owned(),
            Kind::Set(_) => "a set of characters".to_owned(),
            Kind::Arguments => "arguments in brackets".to_owned(),
            Kind::Action => "an action".to_owned(),
            Kind::Predicate => "a predicate".to_owned(),
            Kind::Sign(sign) => format!("`{sign}`"),
            Kind::End => "the end of the text".to_owned(),
        };
        let error = Diagnostic::error(format!("expected {expected}, found {found}"));
        self.errors.push(self.texts.point(error, &self.span(), format!("expected {expected}")));
        Reported
    }

    fn text(&mut self) {
        if self.head().is_err() {
            self.recover();
        }
        while *self.peek() != Kind::End && self.errors.len() < MOST_ERRORS {
            self.depth = 0;
            if self.statement().is_err() {
                self.recover();
            }
        }
    }

    fn recover(&mut self) {
        while *self.peek() != Kind::End && !self.take(";") {
            self.advance();
        }
    }

    fn head(&mut self) -> Parsed<()> {
        if self.take_word("lexer") {
            self.text.kind = GrammarKind::Lexer;
        } else if self.take_word("parser") {
            self.text.kind = GrammarKind::Parser;
        }
        if !self.at_word("grammar") {
            let span = self.span();
            let found = self.unexpected("`grammar` and its name");
            if let Some(error) = self.errors.pop() {
                self.errors.push(error.help("the file begins with `grammar Name;`, without `<` and `>`"));
            }
            // All else may be right.
            return if span.start == self.lexemes[0].span.start { Ok(()) } else { Err(found) };
        }
        self.advance();
        self.word("the name of the grammar")?;
        self.expect(";")
    }

    fn statement(&mut self) -> Parsed<()> {
        match self.peek() {
            Kind::Sign("@") => self.named_action(),
            Kind::Word(word) => {
                let starts = |sign: &str| matches!(self.ahead(), Kind::Sign(found) if *found == sign);
                match word.as_str() {
                    "options" if starts("{") => self.options(Within::Grammar),
                    "tokens" if starts("{") => {
                        self.advance();
                        let names = self.names()?;
                        self.text.tokens.extend(names);
                        Ok(())
                    }
                    "channels" if starts("{") => {
                        self.advance();
                        self.names().map(drop)
                    }
                    "import" if !starts(":") => self.import(),
                    "mode" if !starts(":") => {
                        let from = self.span().start;
                        self.advance();
                        let name = self.word("the name of a mode")?;
                        self.drop(Dropped::Mode, from..name.span.end);
                        self.mode = Some(name.name).filter(|name| name != "DEFAULT_MODE");
                        self.expect(";")
                    }
                    _ => self.rule(),
                }
            }
            _ => Err(self.unexpected("a rule")),
        }
    }

    /// `@header {...}`, `@lexer::members {...}`
    pub(super) fn named_action(&mut self) -> Parsed<()> {
        let from = self.span().start;
        self.advance();
        self.word("the name of an action")?;
        if self.take("::") {
            self.word("the name of an action")?;
        }
        let span = from..self.span().end;
        if !matches!(self.peek(), Kind::Action) {
            return Err(self.unexpected("an action in braces"));
        }
        self.advance();
        self.drop(Dropped::NamedAction, span);
        Ok(())
    }

    /// `{ A, B }`
    fn names(&mut self) -> Parsed<Vec<Use>> {
        let mut names = Vec::new();
        self.expect("{")?;
        while !self.take("}") {
            names.push(self.word("a name or `}`")?);
            if !self.at("}") && !self.take(";") {
                self.expect(",")?;
            }
        }
        Ok(names)
    }

    /// `import A, B = C;`
    fn import(&mut self) -> Parsed<()> {
        self.advance();
        loop {
            let mut name = self.word("the name of a grammar")?;
            if self.take("=") {
                name = self.word("the name of a grammar")?;
            }
            self.text.imports.push(name);
            if !self.take(",") {
                return self.expect(";");
            }
        }
    }

    /// `options { name = value; }`
    pub(super) fn options(&mut self, within: Within) -> Parsed<()> {
        self.advance();
        self.expect("{")?;
        while !self.take("}") {
            let name = self.word("an option or `}`")?;
            self.expect("=")?;
            let from = name.span.start;
            let mut value: Option<Use> = None;
            while !self.at(";") && !self.at("}") && *self.peek() != Kind::End {
                if let Kind::Word(word) = self.peek() {
                    value = Some(Use { name: word.clone(), span: self.span() });
                }
                self.advance();
            }
            let span = from..self.lexemes[self.next.saturating_sub(1)].span.end;
            if !self.at("}") {
                self.expect(";")?;
            }
            match (name.name.as_str(), value) {
                ("tokenVocab", Some(value)) if within == Within::Grammar => {
                    self.text.vocabulary = Some(value)
                }
                ("caseInsensitive", Some(value)) if within != Within::Group => {
                    self.any_case = value.name == "true"
                }
                ("language", _) => {}
                _ => self.drop(Dropped::Option, span),
            }
        }
        Ok(())
    }

    fn rule(&mut self) -> Parsed<()> {
        let mut is_fragment = false;
        while let Kind::Word(word) = self.peek() {
            match word.as_str() {
                "fragment" => is_fragment = true,
                "public" | "private" | "protected" if matches!(self.ahead(), Kind::Word(_)) => {}
                _ => break,
            }
            self.advance();
        }
        let name = self.word("the name of a rule")?;
        self.lexical = is_lexical(&name.name);
        if self.lexical && self.text.kind == GrammarKind::Parser {
            let message = format!("`{}` is a rule of the lexer in a parser grammar", name.name);
            self.error(message, &name.span, "rules of the parser begin with a small letter");
        } else if !self.lexical && self.text.kind == GrammarKind::Lexer {
            let message = format!("`{}` is a rule of the parser in a lexer grammar", name.name);
            self.error(message, &name.span, "rules of the lexer begin with a capital");
        }
        // A rule's own option is about this rule alone.
        let of_grammar = self.any_case;
        let body = self.rule_head().and_then(|()| {
            self.expect(":")?;
            let alternatives = self.alternatives()?;
            if self.at(";") { Ok(alternatives) } else { Err(self.unexpected("a symbol, `|` or `;`")) }
        });
        // A rule that is wrong defines its name nevertheless: its uses are right.
        let (alternatives, result) = match body {
            Ok(alternatives) => (alternatives, Ok(())),
            Err(reported) => (Vec::new(), Err(reported)),
        };
        let mode = self.mode.clone().filter(|_| self.lexical);
        let any_case = std::mem::replace(&mut self.any_case, of_grammar);
        self.text.rules.push(Rule { name, is_fragment, any_case, mode, alternatives });
        result?;
        self.advance();
        self.exceptions()
    }

    /// What stands between the name of a rule and its colon.
    fn rule_head(&mut self) -> Parsed<()> {
        loop {
            let span = self.span();
            match self.peek() {
                Kind::Arguments => self.advance(),
                Kind::Word(word) if matches!(word.as_str(), "returns" | "locals") => {
                    self.advance();
                    if !matches!(self.peek(), Kind::Arguments) {
                        return Err(self.unexpected("arguments in brackets"));
                    }
                    self.advance();
                }
                Kind::Word(word) if word == "throws" => {
                    self.advance();
                    while matches!(self.peek(), Kind::Word(_) | Kind::Sign("." | ",")) {
                        self.advance();
                    }
                }
                Kind::Word(word) if word == "options" => {
                    self.options(Within::Rule)?;
                    continue;
                }
                Kind::Sign("@") => {
                    self.named_action()?;
                    continue;
                }
                _ => return Ok(()),
            }
            let end = self.lexemes[self.next - 1].span.end;
            self.drop(Dropped::Arguments, span.start..end);
        }
    }

    /// `catch [...] {...}`, `finally {...}`
    fn exceptions(&mut self) -> Parsed<()> {
        loop {
            let span = self.span();
            if self.at_word("catch") && matches!(self.ahead(), Kind::Arguments) {
                self.advance();
            } else if !(self.at_word("finally") && matches!(self.ahead(), Kind::Action)) {
                return Ok(());
            }
            self.advance();
            if !matches!(self.peek(), Kind::Action) {
                return Err(self.unexpected("an action in braces"));
            }
            self.advance();
            self.drop(Dropped::Exception, span);
        }
    }
}
