//! Which texts of a token are another token: keywords that look like names.

use std::collections::HashMap;

use super::super::ebnf::syntax as ours;
use super::super::model::Name;
use super::literals::Literal;
use super::lower::{Lowering, item, used};
use super::priority::{self, Lexer};
use super::syntax::{Rule, Use};

impl Lowering<'_> {
    /// Excludes from each token what is another token at the same length: literals of parser rules, and
    /// tokens before it that are nothing but literals.
    pub fn exclude_keywords(&mut self) {
        let uncertain = self.uncertain();
        let definitions = std::mem::take(&mut self.lowered.text.definitions);
        let lexer = Lexer::new(&definitions);
        let literals_of: HashMap<String, Vec<Vec<u8>>> = definitions
            .iter()
            .filter_map(|definition| {
                Some((definition.name.name.text(), priority::literals(&definition.alternatives)?))
            })
            .collect();
        let mut excepts: HashMap<String, Vec<ours::Use>> = HashMap::new();
        // The tokens that are nothing but literals, with where they stand.
        let constants: Vec<(usize, &Rule, &Vec<Vec<u8>>)> = (0..)
            .zip(self.order)
            .filter(|(_, rule)| rule.is_lexical() && !rule.is_fragment)
            .filter(|(_, rule)| !uncertain.contains(&rule.name.name))
            .filter_map(|(index, rule)| Some((index, rule, literals_of.get(&rule.name.name)?)))
            .collect();
        let mut added: Vec<ours::Definition> = Vec::new();
        let mut by_texts: HashMap<Vec<Vec<u8>>, String> = HashMap::new();
        for (index, rule) in self.order.iter().enumerate() {
            let Use { name, span } = &rule.name;
            let is_general = rule.is_lexical()
                && !rule.is_fragment
                && !self.skipped.contains(name)
                && !literals_of.contains_key(name);
            if !is_general {
                continue;
            }
            let base = Name::base(name);
            let mut except: Vec<ours::Use> = Vec::new();
            let mut rest: Vec<Vec<u8>> = Vec::new();
            if rule.mode.is_none() {
                // A token in any case is no other one than the literal for which it stands.
                // A literal for which there is a rule is that token, which wins where it stands first.
                let is_here = |literal: &&Literal| {
                    self.literals.rule(&literal.text).is_none_or(|rule| {
                        let is_before = constants
                            .iter()
                            .any(|(place, other, _)| *place < index && other.name.name == rule.name.name);
                        rule.mode.is_none() && is_before
                    })
                };
                let texts = self.literals.all().iter().filter(is_here);
                let texts = texts.map(|literal| literal.text.as_bytes().to_vec());
                rest.extend(texts.filter(|text| lexer.derives(&base, text)));
            }
            let before = constants.iter().take_while(|(place, ..)| *place < index);
            for (_, earlier, texts) in before.filter(|(_, earlier, _)| earlier.mode == rule.mode) {
                let matched: Vec<&Vec<u8>> = texts.iter().filter(|text| lexer.derives(&base, text)).collect();
                if matched.len() == texts.len() {
                    except.push(used(&earlier.name.name, span));
                    rest.retain(|text| !texts.contains(text));
                } else {
                    rest.extend(matched.into_iter().cloned());
                }
            }
            if !rest.is_empty() {
                let keywords = match by_texts.get(&rest) {
                    Some(known) => known.clone(),
                    None => {
                        let keywords = format!("{name}-keywords");
                        let alternatives =
                            rest.iter().map(|text| vec![item(ours::Atom::Literal(text.clone()), span)]);
                        let alternatives = alternatives.collect();
                        let name = used(&keywords, span);
                        added.push(ours::Definition { name, token: None, alternatives });
                        by_texts.insert(rest, keywords.clone());
                        keywords
                    }
                };
                except.push(used(&keywords, span));
            }
            excepts.insert(name.clone(), except);
        }
        self.lowered.text.definitions = definitions;
        for definition in &mut self.lowered.text.definitions {
            if let (Some(options), Some(except)) =
                (&mut definition.token, excepts.remove(&definition.name.name.text()))
            {
                options.except = except;
            }
        }
        self.lowered.text.definitions.extend(added);
    }
}
