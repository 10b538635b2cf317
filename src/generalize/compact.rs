//! The abstract input as a person wants to read it: placeholders for what the grammar's author named,
//! and the input's own text for all else, such as white space and repetitions. (ISSTA 2020, section 5:
//! the papers call this the compact form, and what it does not show invisible.)

use crate::grammar::Grammar;
use crate::pattern::Openness;

use super::Generalized;

impl Generalized {
    /// The compact form: `var <$name:1> = <expression>`.
    pub fn compact(&self, grammar: &Grammar) -> String {
        let tree = &self.tree;
        let spans = tree.spans(grammar);
        let text = tree.text(grammar);
        let openness = self.openings.below(tree, tree.root());
        let mut compact = String::new();
        let mut open = vec![tree.root()];
        while let Some(node) = open.pop() {
            let (begin, end) = spans[node];
            let own = || String::from_utf8_lossy(&text[begin..end]);
            let Some(nonterminal) = tree.nonterminal(grammar, node) else {
                compact.push_str(&own());
                continue;
            };
            match openness.get(&node) {
                None => open.extend(tree.children(node).iter().rev()),
                Some(_) if grammar.nonterminal(nonterminal).is_helper() => compact.push_str(&own()),
                Some(Openness::Abstract) => compact.push_str(&grammar.name(nonterminal).to_string()),
                Some(Openness::Bound(number)) => {
                    compact.push_str(&format!("<${}:{number}>", grammar.name(nonterminal).text()));
                }
            }
        }
        compact
    }
}
