//! Words that do not run together.
//!
//! Between two words of a grammar with `@skip` there is a gap, which may be empty. Taken at random, it
//! would be filled with comments and white space half of the time, and where it is empty, `return` and `x` would
//! become `returnx`. [`TokenSeparator`] leaves gaps empty, except where the [`Lexis`] says that the words on
//! either side would run together: there it puts the shortest text that may be skipped.
//!
//! For that a producer works on a grammar whose gaps derive a [`MARK`], and the marks are replaced in what
//! it makes. Gaps that must hold something are left as they are, and so is what is produced inside of words and
//! gaps themselves.

use std::sync::Arc;

use crate::base::random_stream::RandomStream;
use crate::grammar::lexis::{Lexis, Pieces, is_gap};
use crate::grammar::{Grammar, NonterminalId, Symbol, analysis, numbering};

use super::{Producer, ProducerSession, Unproductive};

/// Stands for an empty gap. No grammar with marks has this byte in its texts, for it is not UTF-8.
const MARK: u8 = 0xff;

/// A producer that keeps words apart.
pub(super) struct TokenSeparator {
    /// Works on the grammar with marks.
    marking: Box<dyn Producer>,
    /// Works on the unchanged grammar.
    plain: Box<dyn Producer>,
    /// The lexical layer of the grammar, and the one whose words are kept apart.
    lexis: Lexis,
    words: Lexis,
}

impl TokenSeparator {
    /// A producer as `make` makes it, that keeps words apart if `grammar` has words and gaps: those of
    /// `words`, or its own.
    pub(super) fn around<E>(
        grammar: &Arc<Grammar>,
        words: Option<&Lexis>,
        make: impl Fn(Arc<Grammar>) -> Result<Box<dyn Producer>, E>,
    ) -> Result<Box<dyn Producer>, E> {
        let plain = make(Arc::clone(grammar))?;
        match (Lexis::new(grammar), marked(grammar)) {
            (Some(lexis), Some(marked)) => {
                let words = words.unwrap_or(&lexis).clone();
                Ok(Box::new(Self { marking: make(Arc::new(marked))?, plain, lexis, words }))
            }
            _ => Ok(plain),
        }
    }
}

/// The grammar whose gaps derive a mark where they can be empty, with the same nonterminals; `None` when
/// there are none, or its texts may hold any bytes.
fn marked(grammar: &Grammar) -> Option<Grammar> {
    let nullable = analysis::nullable(grammar);
    let is_marked = |id| nullable.contains(id) && is_gap(grammar, id);
    let has_gaps = grammar.nonterminals().ids().any(is_marked);
    let is_text = grammar.literals().iter().all(|literal| std::str::from_utf8(literal).is_ok());
    (has_gaps && is_text).then(|| {
        numbering::with_rules(grammar, |id, builder| {
            is_marked(id).then(|| vec![builder.literal(&[MARK]).into_iter().collect::<Vec<Symbol>>()])
        })
    })
}

impl Producer for TokenSeparator {
    fn begin(&self) -> Box<dyn ProducerSession + '_> {
        let (marking, plain) = (self.marking.begin(), self.plain.begin());
        Box::new(SeparatingSession {
            lexis: &self.lexis,
            words: &self.words,
            marking,
            plain,
            scratch: Vec::new(),
        })
    }
}

struct SeparatingSession<'a> {
    lexis: &'a Lexis,
    words: &'a Lexis,
    marking: Box<dyn ProducerSession + 'a>,
    plain: Box<dyn ProducerSession + 'a>,
    scratch: Vec<u8>,
}

impl ProducerSession for SeparatingSession<'_> {
    fn produce(
        &mut self,
        nonterminal: NonterminalId,
        stream: &mut RandomStream,
        text: &mut Vec<u8>,
    ) -> Result<(), Unproductive> {
        if self.lexis.is_lexical(nonterminal) || self.lexis.is_gap(nonterminal) {
            // A gap by itself is filled at random.
            return self.plain.produce(nonterminal, stream, text);
        }
        self.scratch.clear();
        self.marking.produce(nonterminal, stream, &mut self.scratch)?;
        let mut pieces = Pieces::default();
        for piece in self.scratch.split(|&byte| byte == MARK) {
            pieces.push(piece);
            pieces.gap();
        }
        text.extend(pieces.join(Some(self.words)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LimitProducer, producer};
    use super::*;
    use crate::base::diagnostic::Source;
    use crate::base::limits::Limits;
    use crate::grammar::format;
    use crate::parse::Parser;

    const STATEMENTS: &str = r##"
        @start <program>
        @skip <space>
        <program>   ::= <statement>+
        <statement> ::= "return" <sum>? ";" | <name> ("=" | "+=") <sum> | "returning" <name>
        <sum>       ::= <sum> ("+" | "-" | "--") <value> | "-" <value> | "++" <value> | <value>
        <value>     ::= <name> | <number> | <text> | "(" <sum> ")" | <minus>
        @token(except: <keyword>) <name> ::= [a-z] [a-z0-9]*
        @token(not-before: [a-z.]) <number> ::= [0-9]+ ("." [0-9]*)?
        @token <text> ::= "'" [^'\n]* "'"
        @token(not-before: [\-]) <minus> ::= "-"
        <keyword>   ::= "return" | "returning"
        <space>     ::= ([ \n] | "--#" [^\n]* "\n")+
    "##;

    #[test]
    fn what_is_produced_of_words_parses() {
        let source = Source::new("statements.ebnf", STATEMENTS);
        let grammar = Arc::new(format::read(&source, None).expect("the grammar is right").grammar);
        let parser = Parser::new(Arc::clone(&grammar));
        for name in ["limit", "coverage"] {
            let producer = producer(name, &grammar, None, LimitProducer::DEFAULT_LIMIT, &Limits::default())
                .expect("there is one");
            let mut session = producer.begin();
            let mut stream = RandomStream::derive(1, name);
            for _ in 0..500 {
                let mut text = Vec::new();
                session.produce(grammar.start(), &mut stream, &mut text).expect("it derives something");
                assert!(parser.recognizes(&text).unwrap(), "{}", String::from_utf8_lossy(&text));
            }
        }
    }

    #[test]
    fn gaps_by_themselves_are_filled_at_random() {
        let source = Source::new("statements.ebnf", STATEMENTS);
        let grammar = Arc::new(format::read(&source, None).expect("the grammar is right").grammar);
        let producer = producer("limit", &grammar, None, LimitProducer::DEFAULT_LIMIT, &Limits::default())
            .expect("there is one");
        let gap = grammar.nonterminals().ids().find(|&id| is_gap(&grammar, id)).expect("there is one");
        let mut stream = RandomStream::derive(1, "");
        let texts: std::collections::BTreeSet<Vec<u8>> = (0..50)
            .map(|_| {
                let mut text = Vec::new();
                producer.produce(gap, &mut stream, &mut text).expect("it derives something");
                text
            })
            .collect();
        assert!(texts.contains(&b""[..]) && texts.len() > 10, "{texts:?}");
    }

    #[test]
    fn words_that_a_specialized_grammar_has_lost_are_kept_apart_too() {
        let read = |text: &str| {
            let source = Source::new("g.ebnf", text);
            Arc::new(format::read(&source, None).expect("the grammar is right").grammar)
        };
        let rest = "@skip <space>\n<space> ::= \" \"+\n<s> ::= \"var\" <name>\n@token ";
        let base = read(&format!("@start <s>\n{rest}<name> ::= [a-z]+\n"));
        let special = read(&format!("@start <s>\n{rest}<name> ::= \"x\"\n"));
        let parser = Parser::new(base);
        let producer =
            producer("limit", &special, parser.lexis(), LimitProducer::DEFAULT_LIMIT, &Limits::default())
                .expect("there is one");
        let mut text = Vec::new();
        producer
            .produce(special.start(), &mut RandomStream::derive(1, ""), &mut text)
            .expect("it derives something");
        assert_eq!(text, b"var x");
    }
}
