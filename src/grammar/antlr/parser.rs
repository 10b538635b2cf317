//! Makes a [`Text`] of lexemes: recursive descent, with one lexeme of lookahead.
//!
//! After a mistake, reading goes on behind the next `;`. What has no counterpart in our grammars is
//! noted with its place and otherwise passed over.

use crate::base::diagnostic::Diagnostic;

use super::super::check::{MOST_ERRORS, Texts};
use super::super::class::CharClass;
use super::lexer::{Kind, Lexeme};
use super::syntax::{
    Alternative, Atom, Command, Dropped, GrammarKind, Item, MOST_NESTED, Operator, Rule, Sign, Span, Text,
    Use, is_lexical,
};

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

struct Parser<'a> {
    texts: &'a Texts,
    /// Ends with [`Kind::End`], which is never consumed.
    lexemes: &'a [Lexeme],
    next: usize,
    /// How many groups are open.
    depth: usize,
    /// Whether the rule that is being read is one of the lexer.
    lexical: bool,
    mode: Option<String>,
    any_case: bool,
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

    fn ahead(&self) -> &'a Kind {
        &self.lexemes[(self.next + 1).min(self.lexemes.len() - 1)].kind
    }

    fn span(&self) -> Span {
        self.lexemes[self.next].span.clone()
    }

    fn advance(&mut self) {
        self.next = (self.next + 1).min(self.lexemes.len() - 1);
    }

    fn at(&self, sign: &str) -> bool {
        matches!(self.peek(), Kind::Sign(found) if *found == sign)
    }

    fn at_word(&self, word: &str) -> bool {
        matches!(self.peek(), Kind::Word(found) if found == word)
    }

    fn take(&mut self, sign: &str) -> bool {
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

    fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.take(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    fn word(&mut self, expected: &str) -> Parsed<Use> {
        match self.peek() {
            Kind::Word(word) => {
                let found = Use { name: word.clone(), span: self.span() };
                self.advance();
                Ok(found)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    fn drop(&mut self, what: Dropped, span: Span) {
        self.text.dropped.push((what, span));
    }

    fn error(&mut self, message: impl Into<String>, span: &Span, help: &str) -> Reported {
        let error = self.texts.point(Diagnostic::error(message), span, "");
        self.errors.push(if help.is_empty() { error } else { error.help(help) });
        Reported
    }

    /// Reports what stands here in place of what was `expected`.
    fn unexpected(&mut self, expected: &str) -> Reported {
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
                    "options" if starts("{") => self.options(true),
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
    fn named_action(&mut self) -> Parsed<()> {
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

    /// `options { name = value; }`; `whole` when it applies to the whole grammar.
    fn options(&mut self, whole: bool) -> Parsed<()> {
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
                ("tokenVocab", Some(value)) if whole => self.text.vocabulary = Some(value),
                ("caseInsensitive", Some(value)) if whole => self.any_case = value.name == "true",
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
        let any_case = self.any_case;
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
                    self.options(false)?;
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

    fn alternatives(&mut self) -> Parsed<Vec<Alternative>> {
        let mut alternatives = vec![self.alternative()?];
        while self.take("|") {
            alternatives.push(self.alternative()?);
        }
        Ok(alternatives)
    }

    fn alternative(&mut self) -> Parsed<Alternative> {
        let mut found = Alternative::default();
        self.element_options()?;
        loop {
            let span = self.span();
            match self.peek() {
                Kind::Action | Kind::Predicate => {
                    let is_action = matches!(self.peek(), Kind::Action);
                    self.drop(if is_action { Dropped::Action } else { Dropped::Predicate }, span);
                    self.advance();
                    self.element_options()?;
                }
                Kind::Sign("#") if !self.lexical => {
                    self.advance();
                    self.word("a label")?;
                    break;
                }
                Kind::Sign("->") => {
                    if !self.lexical {
                        return Err(self.error("a rule of the parser has no commands", &span, ""));
                    }
                    self.advance();
                    found.commands = self.commands()?;
                    break;
                }
                Kind::Word(_) | Kind::Literal(_) | Kind::Set(_) | Kind::Sign("." | "~" | "(") => {
                    found.items.push(self.element()?);
                }
                _ => break,
            }
        }
        Ok(found)
    }

    fn commands(&mut self) -> Parsed<Vec<Command>> {
        let mut commands = Vec::new();
        loop {
            let name = self.word("a command such as `skip`")?;
            let mut argument = None;
            if self.take("(") {
                argument = Some(self.word("the name of a channel, token or mode")?.name);
                self.expect(")")?;
            }
            let known = [("skip", false), ("more", false), ("popMode", false)];
            let known = known.into_iter().chain([("channel", true), ("type", true), ("mode", true)]);
            match known.chain([("pushMode", true)]).find(|(known, _)| *known == name.name) {
                None => {
                    let error = Diagnostic::error(format!("there is no command `{}`", name.name));
                    let names = ["skip", "more", "popMode", "channel", "type", "mode", "pushMode"];
                    let error = self.texts.point(error, &name.span, "").suggest(&name.name, names);
                    self.errors.push(error);
                }
                Some((_, takes)) if takes != argument.is_some() => {
                    let what = if takes { "takes a name in parentheses" } else { "takes nothing" };
                    self.error(format!("the command `{}` {what}", name.name), &name.span, "");
                }
                Some(_) => commands.push(Command { name, argument }),
            }
            if !self.take(",") {
                return Ok(commands);
            }
        }
    }

    /// `<assoc=right>`
    fn element_options(&mut self) -> Parsed<()> {
        let span = self.span();
        if !self.take("<") {
            return Ok(());
        }
        let is_precedence = self.at_word("assoc");
        while matches!(self.peek(), Kind::Word(_) | Kind::Literal(_) | Kind::Sign("=" | "," | ".")) {
            self.advance();
        }
        let end = self.span().end;
        self.expect(">")?;
        self.drop(if is_precedence { Dropped::Precedence } else { Dropped::Option }, span.start..end);
        Ok(())
    }

    /// An atom, its label before it and its operator behind it.
    fn element(&mut self) -> Parsed<Item> {
        let start = self.span().start;
        if matches!(self.peek(), Kind::Word(_)) && matches!(self.ahead(), Kind::Sign("=" | "+=")) {
            self.advance();
            self.advance();
        }
        let atom = self.atom()?;
        if matches!(self.peek(), Kind::Arguments) {
            self.drop(Dropped::Arguments, self.span());
            self.advance();
        }
        self.element_options()?;
        let operator = self.operator();
        let end = self.lexemes[self.next - 1].span.end;
        if operator.is_some() && self.operator().is_some() {
            return Err(self.error("two operators after one symbol", &(start..end), "write `(x+)?`"));
        }
        Ok(Item { atom, operator, span: start..end })
    }

    fn operator(&mut self) -> Option<Operator> {
        let sign = match self.peek() {
            Kind::Sign("*") => Sign::Star,
            Kind::Sign("+") => Sign::Plus,
            Kind::Sign("?") => Sign::Optional,
            _ => return None,
        };
        self.advance();
        Some(Operator { sign, is_reluctant: self.take("?") })
    }

    fn atom(&mut self) -> Parsed<Atom> {
        let span = self.span();
        match self.peek() {
            Kind::Word(word) => {
                self.advance();
                Ok(if word == "EOF" { Atom::EndOfInput } else { Atom::Name(word.clone()) })
            }
            Kind::Literal(text) => {
                self.advance();
                if self.at("..") { self.range(text, &span) } else { Ok(Atom::Literal(text.clone())) }
            }
            Kind::Set(class) => {
                self.advance();
                Ok(Atom::Set(class.clone()))
            }
            Kind::Sign(".") => {
                self.advance();
                Ok(Atom::Any)
            }
            Kind::Sign("~") => {
                self.advance();
                self.negated()
            }
            Kind::Sign("(") => self.group().map(Atom::Group),
            _ => Err(self.unexpected("a symbol")),
        }
    }

    /// `'a'..'z'`, of which the first was read.
    fn range(&mut self, low: &str, span: &Span) -> Parsed<Atom> {
        self.advance();
        let Kind::Literal(high) = self.peek() else { return Err(self.unexpected("a character in quotes")) };
        let span = span.start..self.span().end;
        self.advance();
        if !self.lexical {
            return Err(self.error("a range of characters in a rule of the parser", &span, "define a token"));
        }
        match (single(low), single(high)) {
            (Some(low), Some(high)) if low <= high => Ok(Atom::Set(CharClass::new([(low, high)]))),
            (Some(_), Some(_)) => {
                Err(self.error("this range is empty: its end comes before its beginning", &span, ""))
            }
            _ => Err(self.error("each end of a range is one character", &span, "")),
        }
    }

    /// What stands behind `~`.
    fn negated(&mut self) -> Parsed<Atom> {
        if !self.take("(") {
            return Ok(Atom::Not(vec![self.member()?]));
        }
        let mut members = Vec::new();
        loop {
            self.element_options()?;
            members.push(self.member()?);
            self.element_options()?;
            if !self.take("|") {
                self.expect(")")?;
                return Ok(Atom::Not(members));
            }
        }
    }

    /// One thing that is excluded: a character, a set or a token. Nothing nests here.
    fn member(&mut self) -> Parsed<Item> {
        let start = self.span().start;
        if !matches!(self.peek(), Kind::Word(_) | Kind::Literal(_) | Kind::Set(_)) {
            return Err(self.unexpected("a character, a set or a token to exclude"));
        }
        let atom = self.atom()?;
        Ok(Item { atom, operator: None, span: start..self.lexemes[self.next - 1].span.end })
    }

    fn group(&mut self) -> Parsed<Vec<Alternative>> {
        let open = self.span();
        if self.depth == MOST_NESTED {
            let message = format!("groups nest deeper than {MOST_NESTED}");
            return Err(self.error(message, &open, "give the inner part a name of its own"));
        }
        self.depth += 1;
        self.advance();
        if self.at_word("options") && matches!(self.ahead(), Kind::Sign("{")) {
            self.options(false)?;
        }
        while self.at("@") {
            self.named_action()?;
        }
        self.take(":");
        let alternatives = self.alternatives()?;
        self.depth -= 1;
        if self.at(";") || *self.peek() == Kind::End {
            return Err(self.error("this `(` is never closed", &open, "the rule ends without a `)` for it"));
        }
        if !self.take(")") {
            return Err(self.unexpected("a symbol, `|` or `)`"));
        }
        Ok(alternatives)
    }
}

/// The only character of a text.
pub(super) fn single(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}
