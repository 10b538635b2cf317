//! Failing inputs that are rejected as something is said to mask a root class in them: what is said to mask is wrong.
//!
//! Either it is too general, and the next one of the classes of the passing input that it comes from is right
//! ([`super::masking`]); or something in it ends masking, such as one name of many, which is an exception of it then.

use std::rc::Rc;

use crate::oracle::Halt;
use crate::pattern::Side;

use super::hypothesis::ClassId;
use super::input::Input;
use super::masking::Masking;
use super::matched::Places;
use super::matching::Matcher;
use super::session::Learning;

/// What was found of a failing input that is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Revealed {
    /// It is not rejected because something masks a root class in it.
    NotMasked,
    /// It is, and what masks there is right as a rule.
    Masked,
    /// It was, and is accepted now.
    Accepted,
}

impl Learning<'_, '_, '_> {
    /// An input that fails although a root class in it is taken to be masked: what masks it is made more particular, if it is wrong
    /// more than now and then.
    pub(super) fn reveal(&mut self, input: &Rc<Input>) -> Result<Revealed, Halt> {
        let before = self.hypothesis.clone();
        let mut revealed = Revealed::NotMasked;
        while !self.accepts(input) {
            let Some((root, (side, class))) = self.mask_in(input) else { break };
            if revealed == Revealed::NotMasked {
                if !self.is_cause(input, root)? {
                    return Ok(Revealed::NotMasked);
                }
                revealed = Revealed::Masked;
            }
            if side == Side::Around && self.is_bounding && self.find_boundary(input, root)? {
                if self.accepts(input) {
                    return Ok(Revealed::Accepted);
                }
                continue;
            }
            let Some(index) = self.hypothesis.masking_by(root, class) else { break };
            if self.settle_again(index)? {
                continue;
            }
            if side == Side::Around || !self.except_in_mask(index, input)? {
                break;
            }
        }
        if revealed == Revealed::Masked {
            if self.is_right_now_about(input)? {
                return Ok(Revealed::Accepted);
            }
            // What is more particular does not say it: there may be many names, of which just one does not mask.
            self.hypothesis = before.clone();
            if self.except_at_a_level(input)? && self.is_right_now_about(input)? {
                return Ok(Revealed::Accepted);
            }
        }
        self.hypothesis = before;
        Ok(revealed)
    }

    /// Whether an input is accepted, and still is when no passing one is.
    fn is_right_now_about(&mut self, input: &Rc<Input>) -> Result<bool, Halt> {
        Ok(self.accepts(input) && self.is_right_about_passing()? && self.accepts(input))
    }

    /// A root class that is masked in an input, with the side and the class of what masks it.
    fn mask_in(&self, input: &Input) -> Option<(ClassId, (Side, ClassId))> {
        let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
        let matched = matcher.matched(&input.tree);
        let places = Places::new(&input.tree, &matched);
        let all = matcher.occurrences_in_all(&input.tree, &matched);
        all.into_iter().find_map(|(root, node)| Some((root, matcher.mask_of(&places, root, node)?)))
    }

    /// Lets what stands in an input be an exception of the class that masks a root class there, or of one of those that have more of what is around it.
    /// Says whether the input is accepted then.
    fn except_at_a_level(&mut self, input: &Rc<Input>) -> Result<bool, Halt> {
        let Some((root, (side, class))) = self.mask_in(input) else { return Ok(false) };
        let Some(index) = self.hypothesis.masking_by(root, class) else { return Ok(false) };
        if side == Side::Around {
            return Ok(false);
        }
        let Masking { at, general, .. } = self.hypothesis.maskings[index];
        for at in at..general {
            if self.go_to(index, at) && self.except_in_mask(index, input)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Lets what stands in a class that masks a root class in a failing input be an exception of it, just as it is, if random inputs with
    /// that fail as well. Says whether the input is accepted then.
    fn except_in_mask(&mut self, index: usize, input: &Rc<Input>) -> Result<bool, Halt> {
        let Masking { root, side, .. } = self.hypothesis.maskings[index];
        let class = self.hypothesis.maskings[index].class();
        let mut places = {
            let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
            let matched = matcher.matched(&input.tree);
            let places = Places::new(&input.tree, &matched);
            let all = matcher.occurrences_in_all(&input.tree, &matched);
            let hidden =
                all.into_iter().find(|&(found, node)| found == root && places.has(class, side, node));
            let mask = input.nodes().into_iter().find(|&node| matched[node].contains(class));
            match (hidden, mask) {
                (Some(_), Some(mask)) => matcher.open_places(&input.tree, &matched, class, mask),
                _ => return Ok(false),
            }
        };
        places.retain(|place| (1..=self.settings.longest_exact).contains(&input.text_of(place.node).len()));
        places.sort_by_key(|place| std::cmp::Reverse(input.text_of(place.node).len()));
        for place in places {
            let Some(rule) = input.tree.rule(place.node) else { continue };
            let before = self.hypothesis.clone();
            let exact = self.exact(input, place.node, rule);
            let excepted = self.hypothesis.add(self.example.grammar.rule(rule).lhs, vec![exact]);
            self.exclude(place, excepted);
            if self.accepts(input) {
                let right = self.hypothesis.clone();
                self.hypothesis.mask(root, side, excepted);
                let (passed, failed) = self.masked_elsewhere(root, side, excepted)?;
                self.hypothesis = right;
                if failed > passed {
                    return Ok(true);
                }
            }
            self.hypothesis = before;
        }
        Ok(false)
    }
}
