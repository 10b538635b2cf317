//! What stands behind the colon of a rule: alternatives, groups, sets and commands.

use crate::base::diagnostic::Diagnostic;

use super::super::class::CharClass;
use super::lexer::Kind;
use super::parser::{Parsed, Parser, Within};
use super::syntax::{Alternative, Atom, Command, Dropped, Item, MOST_NESTED, Operator, Sign, Span};

impl Parser<'_> {
    pub(super) fn alternatives(&mut self) -> Parsed<Vec<Alternative>> {
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
                    found.has_predicate |= !is_action;
                    found.has_action |= is_action;
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
            let mut name = self.word("a command such as `skip`")?;
            // ANTLR finds a command by its name with a capital, so that it is the same with and without one.
            if let Some(first) = name.name.get_mut(..1) {
                first.make_ascii_lowercase();
            }
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
                // A range that begins with half of a surrogate pair. What it has beyond these is seldom meant.
                if class.is_empty() && self.take("..") {
                    self.advance();
                }
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
        let high = match self.peek() {
            Kind::Literal(high) => high.as_str(),
            // Half of a surrogate pair.
            Kind::Set(class) if class.is_empty() => "\u{d7ff}",
            _ => return Err(self.unexpected("a character in quotes")),
        };
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
            self.options(Within::Group)?;
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
