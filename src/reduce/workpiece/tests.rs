//! Tests of the workpiece.

use super::super::sample::{json, random_tree};
use super::*;
use crate::base::id::Id;
use crate::base::random_stream::RandomStream;
use proptest::prelude::*;

/// Whether every node of a tree has children as its rule says.
fn is_derivation(grammar: &Grammar, tree: &Tree) -> bool {
    tree.preorder(tree.root()).all(|node| {
        let Some(rule) = tree.rule(node) else { return true };
        let symbols = &grammar.rule(rule).symbols;
        symbols.len() == tree.children(node).len()
            && symbols.iter().zip(tree.children(node)).all(|(symbol, &child)| {
                match (*symbol, tree.label(child)) {
                    (Symbol::Literal(wanted), Label::Literal(found)) => wanted == found,
                    (Symbol::Class(class), Label::Char(c)) => grammar.class(class).contains(c),
                    (Symbol::Nonterminal(wanted), Label::Rule(rule)) => grammar.rule(rule).lhs == wanted,
                    _ => false,
                }
            })
    })
}

/// Lists in the notation of our own, of one symbol and of several, with white space between words.
fn lists() -> Grammar {
    let text = "@skip <space>\n<list> ::= \"[\" (<list> (\",\" <list>)*)? \"]\" | <key> \":\" <list> (\";\" <key> \":\" <list>)* \".\" | <key>\n\
                @token <key> ::= [ab]+\n<space> ::= \" \"";
    crate::grammar::ebnf::read(&crate::base::diagnostic::Source::new("lists.ebnf", text)).unwrap().grammar
}

#[test]
fn the_first_element_of_a_list_can_go() {
    let grammar = lists();
    let mut seen = 0;
    for seed in 0..200 {
        let piece =
            Workpiece::new(&grammar, random_tree(&grammar, &mut RandomStream::derive(seed, "list"), 6));
        for node in piece.tree.preorder(piece.tree.root()) {
            for edit in piece.without_first(node) {
                let (before, after) = (piece.text(), piece.candidate(edit).unwrap());
                assert!(after.len() < before.len());
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

/// The edits that can be made of a piece, each of which makes it smaller.
fn edits(piece: &Workpiece<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for node in piece.tree.preorder(piece.tree.root()) {
        edits.push(Edit::Empty(node));
        edits.push(Edit::Minimal(node));
        edits.extend(piece.lower_character(node));
        edits.extend(piece.shorter_rules(node));
        edits.extend(piece.without_first(node));
        if let Some(nonterminal) = piece.editable(node) {
            let below = piece.tree.preorder(node).skip(1);
            let alike = below.filter(|&below| piece.editable(below) == Some(nonterminal));
            edits.extend(alike.map(|below| Edit::Hoist(node, below)));
        }
    }
    edits.retain(|&edit| piece.candidate(edit).is_some());
    edits
}

/// Whether what is known of each node is what is found when the tree is looked at anew.
fn is_up_to_date(piece: &Workpiece<'_>) -> bool {
    let anew = Places::new(piece.grammar, &piece.tree);
    let of = |places: &Places, node: NodeId| {
        let (is_live, span) = (places.is_live(node), places.span(&piece.tree, node));
        (is_live, span, places.tokens(node), places.depth(&piece.tree, node))
    };
    let text = |node: NodeId| {
        let mut text = Vec::new();
        piece.tree.write_yield(piece.grammar, node, &mut text);
        text
    };
    let mut nodes = (0..piece.tree.node_bound()).map(NodeId::new);
    nodes.all(|node| {
        of(&piece.places, node) == of(&anew, node)
            && (!anew.is_live(node) || piece.text_of(node) == text(node))
    })
}

proptest! {
    #[test]
    fn an_edited_tree_is_a_derivation_of_the_candidate(seed: u64, which in 0usize..2, picks: [prop::sample::Index; 5]) {
        let grammar = [json(), lists()][which].clone();
        let tree = random_tree(&grammar, &mut RandomStream::derive(seed, "tree"), 7);
        let mut piece = Workpiece::new(&grammar, tree);
        for pick in picks {
            let edits = edits(&piece);
            if edits.is_empty() {
                break;
            }
            let edit = *pick.get(&edits);
            let candidate = piece.candidate(edit).unwrap();
            prop_assert_eq!(piece.candidate_length(edit), Some(candidate.len()));
            let new = piece.apply(edit, candidate.clone());
            prop_assert_eq!(piece.text(), candidate.as_slice());
            prop_assert_eq!(piece.tree.text(&grammar), candidate);
            prop_assert!(is_derivation(&grammar, &piece.tree));
            prop_assert!(piece.is_live(new));
            prop_assert!(is_up_to_date(&piece), "{edit:?}");
        }
    }

    /// Edits at once: of subtrees beside each other.
    #[test]
    fn edits_at_once_lead_to_the_candidate(seed: u64, picks in prop::collection::vec(any::<prop::sample::Index>(), 1..24)) {
        let grammar = json();
        let tree = random_tree(&grammar, &mut RandomStream::derive(seed, "tree"), 9);
        let mut piece = Workpiece::new(&grammar, tree);
        let all = edits(&piece);
        let mut chosen: Vec<Edit> = Vec::new();
        for pick in picks.iter().filter(|_| !all.is_empty()) {
            let edit = pick.get(&all);
            let is_apart = |other: &Edit| {
                let ((begin, end), (first, last)) = (piece.span(edit.node()), piece.span(other.node()));
                end <= first || last <= begin
            };
            if piece.length(edit.node()) > 0 && chosen.iter().all(is_apart) {
                chosen.push(*edit);
            }
        }
        if let Some(candidate) = piece.candidate_of(&chosen) {
            piece.apply_all(&chosen);
            prop_assert_eq!(piece.tree.text(&grammar), candidate.as_slice());
            prop_assert_eq!(piece.text(), candidate);
            prop_assert!(is_derivation(&grammar, &piece.tree) && is_up_to_date(&piece));
        }
    }
}
