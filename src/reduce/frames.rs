//! `frames`: a pass of our own, which puts a part of an input into the place of what holds it where it has another nonterminal.
//!
//! Hoisting puts a node into the place of one of the same nonterminal, so the expression in the head of a loop never becomes a statement. Here
//! any part may take the place of what holds it: as it is, where the parser finds that the grammar has such an input, and in a *frame*, the
//! shortest derivation of the outer nonterminal that has the inner one in it, such as `x;` for `x` of `for(;x;)if(y);`. Each part is tried in
//! the place of the one that holds it, from the outside inwards; what is further below gets there step by step.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use crate::grammar::NonterminalId;
use crate::oracle::{Halt, Judge};
use crate::tree::NodeId;

use super::minimal::Frame;
use super::minimize::Minimizer;
use super::pass::{NamedPass, Pass};
use super::workpiece::Workpiece;

/// Inputs of more bytes than this are not parsed for each of their parts.
const MOST_PARSED: usize = 4_000;

/// Parts in the place of what holds them.
#[derive(Default)]
pub(super) struct Frames;

impl NamedPass for Frames {
    const NAME: &'static str = "frames";
}

impl Pass for Frames {
    fn run(&self, piece: &mut Workpiece<'_>, _: Minimizer, judge: &mut Judge<'_>) -> Result<bool, Halt> {
        let mut framing = Framing { piece, tried: HashSet::new(), frames: HashMap::new() };
        let mut is_changed = false;
        let mut open = VecDeque::from([framing.piece.tree().root()]);
        while let Some(node) = open.pop_front() {
            let parts = parts(framing.piece, node);
            if framing.put_bare(node, &parts, judge)? {
                is_changed = true;
                open = VecDeque::from([framing.piece.tree().root()]);
            } else if let Some(new) = framing.put_framed(node, &parts, judge)? {
                is_changed = true;
                open.push_back(new);
            } else {
                open.extend(parts);
            }
        }
        Ok(is_changed)
    }

    fn has_minimizer(&self) -> bool {
        false
    }
}

/// The work of one turn.
struct Framing<'p, 'g> {
    piece: &'p mut Workpiece<'g>,
    /// The texts that were parsed: other parts come to the same one.
    tried: HashSet<Vec<u8>>,
    /// The frames of an outer nonterminal around an inner one.
    frames: HashMap<(NonterminalId, NonterminalId), Option<Rc<Frame>>>,
}

impl Framing<'_, '_> {
    /// Puts a part of a node into its place as it is, if that is an input of the grammar and fails: says whether one does. The tree is another
    /// one then.
    fn put_bare(&mut self, node: NodeId, parts: &[NodeId], judge: &mut Judge<'_>) -> Result<bool, Halt> {
        if self.piece.text().len() > MOST_PARSED {
            return Ok(false);
        }
        for &part in parts {
            // What else is in the node may be tokens without a text, such as the end of the input.
            if self.piece.length(part) == self.piece.length(node) {
                continue;
            }
            let text = self.piece.text_with(node, self.piece.text_of(part));
            if !self.tried.contains(&text) && self.piece.attempt_text(&text, judge)? {
                return Ok(true);
            }
            self.tried.insert(text);
        }
        Ok(false)
    }

    /// Puts a part of a node into its place, in a frame with which there are fewer tokens, if one fails there. Says which node stands there then.
    fn put_framed(
        &mut self,
        node: NodeId,
        parts: &[NodeId],
        judge: &mut Judge<'_>,
    ) -> Result<Option<NodeId>, Halt> {
        let Some(outer) = self.piece.editable(node) else { return Ok(None) };
        for &part in parts {
            let Some((frame, part)) = self.shortest(outer, part) else { continue };
            if frame.tokens() + self.piece.tokens(part) < self.piece.tokens(node)
                && let Some(new) = self.piece.attempt_frame(node, &frame, part, judge)?
            {
                return Ok(Some(new));
            }
        }
        Ok(None)
    }

    /// The frame with which a part is shortest, and the part. It may be several nodes, each the only child with tokens of the one above it.
    fn shortest(&mut self, outer: NonterminalId, part: NodeId) -> Option<(Rc<Frame>, NodeId)> {
        let mut shortest: Option<(usize, Rc<Frame>, NodeId)> = None;
        let mut next = Some(part);
        while let Some(at) = next
            && let Some(inner) = self.piece.editable(at)
        {
            if let Some(frame) = self.frame(outer, inner) {
                let length = frame.length() + self.piece.length(at);
                if shortest.as_ref().is_none_or(|(known, ..)| length < *known) {
                    shortest = Some((length, frame, at));
                }
            }
            let same = |&&child: &&NodeId| self.piece.tokens(child) == self.piece.tokens(part);
            next = self.piece.tree().children(at).iter().find(same).copied();
        }
        shortest.map(|(_, frame, at)| (frame, at))
    }

    fn frame(&mut self, outer: NonterminalId, inner: NonterminalId) -> Option<Rc<Frame>> {
        let find = || self.piece.frame(outer, inner).map(Rc::new);
        self.frames.entry((outer, inner)).or_insert_with(find).clone()
    }
}

/// The largest parts of a node that are less than all of it, those with the most tokens first.
fn parts(piece: &Workpiece<'_>, node: NodeId) -> Vec<NodeId> {
    let tokens = piece.tokens(node);
    let (mut parts, mut open) = (Vec::new(), vec![node]);
    while let Some(current) = open.pop() {
        for &child in piece.tree().children(current) {
            match piece.editable(child) {
                Some(_) if piece.tokens(child) == tokens => open.push(child),
                Some(_) if piece.tokens(child) > 0 => parts.push(child),
                _ => {}
            }
        }
    }
    parts.sort_by_key(|&part| Reverse(piece.tokens(part)));
    parts
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::Syntax;
    use super::super::sample::{Asked, failing_oracle, grammar, parsed, reduce_asking};
    use super::*;
    use crate::base::diagnostic::Source;
    use crate::grammar::{Grammar, format};
    use crate::parse::Parser;

    /// What passes make of an input, asking about inputs of the grammar only; and how many they asked about.
    fn reduced(passes: &str, grammar: &Arc<Grammar>, text: &[u8], oracle: &Asked<'_>) -> (String, usize) {
        let name = format!("{{ name = \"mine\", passes = [{passes}] }}");
        let (reduced, asked) = reduce_asking(&name, grammar, &parsed(grammar, text), oracle);
        let parser = Parser::new(Arc::clone(grammar));
        assert!(asked.iter().all(|text| parser.recognizes(text).unwrap()), "{asked:?}");
        assert_eq!(reduced.tree.unwrap().text(grammar), reduced.text);
        (String::from_utf8(reduced.text).unwrap(), asked.len())
    }

    /// An expression is no statement, but with `;` behind it.
    #[test]
    fn a_part_is_put_into_a_shorter_frame() {
        let grammar = Arc::new(grammar(&[
            "program = s",
            "s = for( e ; e ) s | e ; | if( e ) s else_ s",
            "e = t | e + t",
            "t = x | y | ( e ) | < e >",
        ]));
        let oracle = failing_oracle(&|text: &[u8]| text.windows(3).any(|part| part == b"x+y"));
        let text = b"for(x;<x+y>)if(x)y;else y;";
        assert!(reduced(r#""chains", "windows""#, &grammar, text, &oracle).0.starts_with("for("));
        let (least, asked) = reduced(r#""frames", "chains""#, &grammar, text, &oracle);
        assert_eq!(least, "x+y;");
        assert!(asked < 15, "{asked}");
    }

    /// Nothing that is derived from `s` has the copy of an expression that stands in the head of a loop, but its text is one.
    #[test]
    fn a_part_is_put_there_as_it_is_where_the_grammar_has_a_copy_of_it() {
        let grammar = Arc::new(grammar(&[
            "program = s",
            "s = e | for( head ; head ) s",
            "e = a | a is e",
            "head = b | b is head",
            "a = x | y",
            "b = x | y",
        ]));
        let oracle = failing_oracle(&|text: &[u8]| text.windows(4).any(|part| part == b"xisy"));
        let least = |passes| reduced(passes, &grammar, b"for(x;yisxisy)y", &oracle).0;
        assert_eq!(least(r#""chains""#), "for(x;xisy)y");
        assert_eq!(least(r#""chains", "frames""#), "xisy");
    }

    /// The end of the input is a token, so the item alone has fewer of them than all of it, and the same text.
    #[test]
    fn a_text_is_not_put_into_its_own_place() {
        let text = "<items> ::= <item>+ <end>\n<item> ::= \"x\"\n@token <end> ::= \";\" | \"\"\n";
        let grammar = Arc::new(format::read(&Source::new("items.ebnf", text), None).unwrap().grammar);
        let parser = Parser::new(Arc::clone(&grammar));
        let tree = parser.first_tree(b"x").unwrap().unwrap();
        let parse = |text: &[u8]| parser.first_tree(text);
        let syntax = Syntax {
            grammar: &grammar,
            tree: &tree,
            parse: &parse,
            derives: &|text| parser.recognizes(text),
        };
        let mut piece = Workpiece::new(&grammar, tree.clone()).parsed(syntax);
        assert!(parts(&piece, piece.tree().root()).iter().any(|&part| piece.text_of(part) == b"x"));
        let oracle = failing_oracle(&|_| true);
        let is_changed = Frames.run(&mut piece, Minimizer::default(), &mut Judge::new(&oracle));
        assert_eq!(is_changed, Ok(false));
    }
}
