//! What masks a failure: a part of an input, before or behind what makes it fail, with which the input passes.
//!
//! A program that reads options from left to right ends at the first wrong one, a compiler at the first syntax error.
//! Whatever is wrong there, and wherever it stands: what would fail behind it does not. So the part to blame is looked for
//! on both sides of a root class in a passing input, taken as generally as it can be (its smallest subtree), and made more
//! particular by its surroundings, level by level, as long as some input with it fails.

use std::rc::Rc;

use crate::grammar::analysis::{reachable, uses};
use crate::grammar::lexis::is_gap;
use crate::grammar::{NonterminalId, RuleId, Symbol};
use crate::oracle::{Halt, Verdict};
use crate::tree::{Label, NodeId};

use super::hypothesis::{Alternative, ClassId, Hypothesis, Side, Want};
use super::input::Input;
use super::matching::{Bindings, Matcher, Places, root_may_move};
use super::session::Learning;
use super::ways;

/// The number of other texts that are tried in the place of a part, to see whether the input fails then.
const SAMPLES: usize = 4;

/// The number of random inputs with a part in it that must pass before it is taken for one that masks, and how often such an
/// input is drawn.
const CHECKS: usize = 6;
const DRAWS: usize = 100;

/// The number of random inputs of which enough must fail for a smaller part to be a root class.
const ROOT_DRAWS: usize = 400;
const ROOT_CHECKS: usize = 10;

/// The part of all executions that may be spent on one of them.
const ROOT_SHARE: u64 = 10;

/// The number of rules of its nonterminal that are tried in its place.
const MOST_RULES: usize = 100;

/// Where a class that masks a root class comes from: a part of an input that passes.
#[derive(Clone, Debug)]
pub(super) struct Masking {
    root: ClassId,
    side: Side,
    input: Rc<Input>,
    /// The classes that the part is in, of which one masks;
    candidates: Vec<ClassId>,
    /// how many of them are more than texts;
    general: usize,
    /// and which one.
    at: usize,
}

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

impl Hypothesis {
    /// Takes over what masks the roots of a hypothesis that was made of this one, for a root class of this one: what hides a part of an
    /// input hides what is around that part, too, as far as it is not a part of that.
    fn adopt_masks(&mut self, other: &Self, root: ClassId) {
        self.adopt_classes(other);
        for masking in &other.maskings {
            self.mask(root, masking.side, masking.candidates[masking.at]);
            self.maskings.push(Masking { root, ..masking.clone() });
        }
    }
}

impl Learning<'_, '_, '_> {
    /// Whether what stands beside a root class may mask it.
    fn may_be_masked(&self, root: ClassId) -> bool {
        let grammar = self.example.grammar;
        root_may_move(grammar, &self.hypothesis, root)
            && ways::are_sayable(grammar, self.hypothesis.class(root).nonterminal)
    }

    /// Whether something masks a root class.
    pub(super) fn has_masks(&self) -> bool {
        self.hypothesis.roots().iter().any(|&root| self.hypothesis.masks(root).is_some())
    }

    /// Lets something in an accepted input that passes mask its root class. Says whether there is anything new.
    pub(super) fn mask(&mut self, input: &Rc<Input>) -> Result<bool, Halt> {
        let found = {
            let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
            let matched = matcher.matched(&input.tree);
            matcher.occurrences(&input.tree, &matched).first().copied()
        };
        let Some((root, node)) = found.filter(|(root, _)| self.may_be_masked(*root)) else {
            return Ok(false);
        };
        let (input, node) = &self.with_known(input, root, node)?;
        let Some((side, part, outermost)) = self.part_to_blame(input, root, *node)? else { return Ok(false) };
        // What was refused once costs as much to refuse again.
        let around = input.tree.parent(part).and_then(|parent| input.tree.rule(parent));
        let signature = (root, input.tree.rule(part), around, input.text_of(part).to_vec());
        if self.refused.contains(&signature) {
            return Ok(false);
        }
        let (mut candidates, mut general) = self.candidates(input, part, outermost);
        if side == Side::Around {
            // Each is the one part inside of the next.
            candidates.truncate(1);
            general = 1;
        }
        let masking = Masking { root, side, input: Rc::clone(input), candidates, general, at: 0 };
        self.hypothesis.maskings.push(masking);
        let last = self.hypothesis.maskings.len() - 1;
        if self.go_to(last, 0) && self.settle(last)? {
            return Ok(true);
        }
        self.hypothesis.maskings.truncate(last);
        self.refused.insert(signature);
        Ok(false)
    }

    /// The input with what is known to fail in the place of what is in the root class, if it passes with that too: then it is not
    /// for what stands there.
    fn with_known(
        &mut self,
        input: &Rc<Input>,
        root: ClassId,
        node: NodeId,
    ) -> Result<(Rc<Input>, NodeId), Halt> {
        if let Some((known, place)) = self.first_place(root)
            && known.text_of(place) != input.text_of(node)
        {
            let text = input.with(self.example, &[(node, known.text_of(place).to_vec())]);
            if let Some((Verdict::Pass, changed)) = self.ask(text)? {
                let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
                let found = matcher.occurrences(&changed.tree, &matcher.matched(&changed.tree));
                if let [(found, node)] = found[..]
                    && found == root
                {
                    return Ok((changed, node));
                }
            }
        }
        Ok((Rc::clone(input), node))
    }

    /// Goes on to the first class of a masking that masks nothing that is found to fail, or else to the first that hardly
    /// ever does. Says whether there is one.
    fn settle(&mut self, index: usize) -> Result<bool, Halt> {
        let input = Rc::clone(&self.hypothesis.maskings[index].input);
        let mut fair: Option<usize> = None;
        loop {
            let Masking { root, side, at, .. } = self.hypothesis.maskings[index];
            let class = self.hypothesis.maskings[index].candidates[at];
            if !self.accepts(&input) {
                let (passed, failed) = self.masked_elsewhere(root, side, class)?;
                // Inputs that are known are much like each other, random ones are not.
                if failed == 0 && (passed == CHECKS || self.lost(root, class)? == 0) {
                    return Ok(true);
                }
                if fair.is_none() && passed > 0 && passed >= 3 * failed {
                    fair = Some(at);
                }
            }
            let is_last_general = at + 1 == self.hypothesis.maskings[index].general;
            if is_last_general && fair.is_some() || !self.go_to(index, at + 1) {
                break;
            }
        }
        Ok(fair.is_some_and(|at| self.go_to(index, at)))
    }

    /// The same for a masking that holds already, when an input fails all the same; it stays what it is where that is rare.
    fn settle_again(&mut self, index: usize) -> Result<bool, Halt> {
        let Masking { root, at, .. } = self.hypothesis.maskings[index];
        let class = self.hypothesis.maskings[index].candidates[at];
        let explained = self.passing.iter().filter(|input| self.is_masked_by(input, root, class)).count();
        if explained >= 3 * self.lost(root, class)? {
            return Ok(false);
        }
        Ok(self.go_to(index, at + 1))
    }

    /// Takes another one of the classes of a masking for the one that masks. Where there are no more, none does.
    fn go_to(&mut self, index: usize, at: usize) -> bool {
        let Masking { root, side, at: before, ref candidates, .. } = self.hypothesis.maskings[index];
        let (known, next) = (candidates.get(before).copied(), candidates.get(at).copied());
        if let Some(known) = known {
            self.hypothesis.unmask(root, known);
        }
        if let Some(next) = next {
            self.hypothesis.mask(root, side, next);
            self.hypothesis.maskings[index].at = at;
        }
        next.is_some()
    }

    /// Classes of a part of an input, and of what is around it, more and more particular: of each level, what its rule derives,
    /// what it does with the part in it; then, of each level, just what it is. With the number of the former.
    fn candidates(&mut self, input: &Rc<Input>, part: NodeId, outermost: NodeId) -> (Vec<ClassId>, usize) {
        let grammar = self.example.grammar;
        let (mut node, mut below) = (part, None);
        let (mut candidates, mut exact): (Vec<ClassId>, Vec<ClassId>) = (Vec::new(), Vec::new());
        let of_all = |mut candidates: Vec<ClassId>, exact: Vec<ClassId>| {
            let general = candidates.len();
            candidates.extend(exact);
            (candidates, general)
        };
        loop {
            let Some(rule) = input.tree.rule(node) else { return of_all(candidates, exact) };
            // Levels that add nothing to the text hardly say more.
            let is_new = below.is_none_or(|(below, _)| input.text_of(below) != input.text_of(node));
            let symbols = &grammar.rule(rule).symbols;
            let whole = match symbols.iter().any(|symbol| matches!(symbol, Symbol::Class(_))) {
                true => Alternative::Open(Vec::new()),
                false => Alternative::Rule(rule, vec![Want::Any; symbols.len()].into()),
            };
            let nonterminal = grammar.rule(rule).lhs;
            let mut of_level = vec![self.hypothesis.add(nonterminal, vec![whole])];
            if let Some((below, class)) = below {
                let wants = input.tree.children(node).iter().map(|&child| match input.tree.label(child) {
                    _ if child == below => Want::In(class),
                    Label::Char(c) => Want::Char(c),
                    Label::Literal(_) | Label::Rule(_) => Want::Any,
                });
                let with_part = Alternative::Rule(rule, wants.collect());
                of_level.push(self.hypothesis.add(nonterminal, vec![with_part]));
            }
            below = Some((node, of_level[of_level.len() - 1]));
            let has_parts = input.tree.children(node).iter().any(|&child| input.tree.rule(child).is_some());
            if has_parts && input.text_of(node).len() <= self.settings.longest_exact {
                let own = self.exact(input, node, rule);
                exact.push(self.hypothesis.add(nonterminal, vec![own]));
            }
            if is_new {
                candidates.extend(of_level);
            }
            let parent = input.tree.parent(node).filter(|_| node != outermost);
            let Some(parent) = parent else { return of_all(candidates, exact) };
            node = parent;
        }
    }

    /// The smallest part beside a node with which an input passes: with something else in its place it fails. With its side,
    /// and the largest subtree around it that is on that side.
    fn part_to_blame(
        &mut self,
        input: &Rc<Input>,
        root: ClassId,
        node: NodeId,
    ) -> Result<Option<(Side, NodeId, NodeId)>, Halt> {
        let mut beside = beside(input, node);
        // What is long is more likely to do it.
        beside.sort_by_key(|(_, child)| std::cmp::Reverse(input.text_of(*child).len()));
        for turn in 0..SAMPLES {
            for &(side, outermost) in &beside {
                if let Some(changed) = self.fails_without(input, outermost, turn)?
                    && self.is_cause(&changed, root)?
                {
                    let part = self.smallest_part(input, outermost)?;
                    return Ok(Some((side, part, outermost)));
                }
            }
        }
        self.part_around(input, root, node)
    }

    /// The smallest part around a node with which an input passes: without it, but with what is in it, it fails.
    fn part_around(
        &mut self,
        input: &Rc<Input>,
        root: ClassId,
        node: NodeId,
    ) -> Result<Option<(Side, NodeId, NodeId)>, Halt> {
        let grammar = self.example.grammar;
        let mut path = vec![node];
        while let Some(parent) = input.tree.parent(path[path.len() - 1]) {
            path.push(parent);
        }
        for (index, &outer) in path.iter().enumerate() {
            let nonterminal = input.tree.nonterminal(grammar, outer);
            let same =
                path[..index].iter().rposition(|&at| input.tree.nonterminal(grammar, at) == nonterminal);
            let Some(inner) = same else { continue };
            let own = input.text_of(path[inner]);
            let text = input.with(self.example, &[(outer, own.to_vec())]);
            if let Some((Verdict::Fail, changed)) = self.ask(text)?
                && self.accepts(&changed)
                && self.is_cause(&changed, root)?
            {
                let part = path[inner + 1..=index].iter().find(|&&at| input.text_of(at) != own);
                return Ok(part.map(|&part| (Side::Around, part, outer)));
            }
        }
        Ok(None)
    }

    /// The smallest subtree of one with the same effect.
    fn smallest_part(&mut self, input: &Rc<Input>, outermost: NodeId) -> Result<NodeId, Halt> {
        let mut part = outermost;
        'deeper: loop {
            for turn in 0..SAMPLES {
                for &child in input.tree.children(part) {
                    if !self.is_word(input, child) && self.fails_without(input, child, turn)?.is_some() {
                        part = child;
                        continue 'deeper;
                    }
                }
            }
            return Ok(part);
        }
    }

    /// Whether a part is made of single characters.
    fn is_word(&self, input: &Input, part: NodeId) -> bool {
        let rule = input.tree.rule(part).map(|rule| self.example.grammar.rule(rule));
        rule.is_none_or(|rule| rule.symbols.iter().any(|symbol| matches!(symbol, Symbol::Class(_))))
    }

    /// The input with another text in the place of a part, if it fails then and the hypothesis says so.
    fn fails_without(
        &mut self,
        input: &Rc<Input>,
        part: NodeId,
        turn: usize,
    ) -> Result<Option<Rc<Input>>, Halt> {
        let grammar = self.example.grammar;
        let nonterminal = input.tree.nonterminal(grammar, part);
        let Some(nonterminal) = nonterminal.filter(|&nonterminal| !is_gap(grammar, nonterminal)) else {
            return Ok(None);
        };
        let fill = self.fill(nonterminal, turn).filter(|fill| fill != input.text_of(part));
        let Some(fill) = fill else { return Ok(None) };
        let text = input.with(self.example, &[(part, fill)]);
        let failing = self.ask(text)?.filter(|(verdict, _)| *verdict == Verdict::Fail);
        Ok(failing.map(|(_, changed)| changed).filter(|changed| self.accepts(changed)))
    }

    /// The number of inputs that are known to fail for a root class in them and that a class masks.
    fn lost(&mut self, root: ClassId, class: ClassId) -> Result<usize, Halt> {
        let masked: Vec<Rc<Input>> =
            self.failing.iter().filter(|input| self.is_masked_by(input, root, class)).cloned().collect();
        let mut lost = 0;
        for input in masked {
            lost += usize::from(self.is_cause(&input, root)?);
        }
        Ok(lost)
    }

    /// Whether a failing input passes without the one part of it that is in a root class.
    fn is_cause(&mut self, input: &Rc<Input>, root: ClassId) -> Result<bool, Halt> {
        let found: Vec<NodeId> = {
            let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
            let matched = matcher.matched(&input.tree);
            let all = matcher.occurrences_in_all(&input.tree, &matched).into_iter();
            all.filter(|&(found, _)| found == root).map(|(_, node)| node).collect()
        };
        // Of several, any may be it.
        let [node] = found[..] else { return Ok(false) };
        let nonterminal = self.hypothesis.class(root).nonterminal;
        for turn in 0..SAMPLES {
            let Some(fill) = self.fill(nonterminal, turn) else { continue };
            let text = input.with(self.example, &[(node, fill)]);
            if let Some((Verdict::Pass, _)) = self.ask(text)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Of random inputs in which a class masks a root class, the number of those that pass and of those that fail for the root class.
    fn masked_elsewhere(
        &mut self,
        root: ClassId,
        side: Side,
        class: ClassId,
    ) -> Result<(usize, usize), Halt> {
        let (mut passed, mut failed) = (0, 0);
        for turn in 0..DRAWS {
            if passed == CHECKS || failed > CHECKS / 3 {
                break;
            }
            let Some(planted) = self.planted(root, side, class, turn)? else { continue };
            match self.ask(planted.text.clone())? {
                // It may fail for another reason.
                Some((Verdict::Fail, planted)) if self.is_cause(&planted, root)? => failed += 1,
                Some((Verdict::Pass, _)) => passed += 1,
                _ => {}
            }
        }
        Ok((passed, failed))
    }

    /// An input in which a class, and nothing else, masks a root class: in turn a random one, and one that is known to fail with
    /// the class in it.
    fn planted(
        &mut self,
        root: ClassId,
        side: Side,
        class: ClassId,
        turn: usize,
    ) -> Result<Option<Rc<Input>>, Halt> {
        let Some(mask) = self.member(class, Bindings::new()) else { return Ok(None) };
        let text = match (side, turn % 2) {
            (Side::Around, _) => self.around_root(root, class),
            (_, 0) => self.in_random(root, side, class, &mask)?,
            (_, _) => self.in_failing(root, side, class, &mask),
        };
        let Some(text) = text else { return Ok(None) };
        let planted = Input::parse(self.example.parser, text)?;
        Ok(planted.filter(|planted| self.is_masked_by(planted, root, class)))
    }

    /// A random input with a text of a class in it, and of a root class beside it.
    fn in_random(
        &mut self,
        root: ClassId,
        side: Side,
        class: ClassId,
        mask: &[u8],
    ) -> Result<Option<Vec<u8>>, Halt> {
        let grammar = self.example.grammar;
        let [target, hidden]: [NonterminalId; 2] =
            [class, root].map(|class| self.hypothesis.class(class).nonterminal);
        let Some(member) = self.member(root, Bindings::new()) else { return Ok(None) };
        let Some(text) = self.sampler.around(target, mask, self.stream) else { return Ok(None) };
        let Some(input) = Input::parse(self.example.parser, text)? else { return Ok(None) };
        let places: Vec<NodeId> = {
            let matcher = Matcher::new(grammar, &self.hypothesis);
            let matched = matcher.matched(&input.tree);
            let places = Places::new(&input.tree, &matched);
            let nodes = input.nodes().into_iter();
            let of_it = nodes.filter(|&node| input.tree.nonterminal(grammar, node) == Some(hidden));
            of_it.filter(|&node| places.has(class, side, node)).collect()
        };
        if places.is_empty() {
            return Ok(None);
        }
        let place = *self.stream.pick(&places);
        Ok(Some(input.with(self.example, &[(place, member)])))
    }

    /// A random input with a class in it around a root class.
    fn around_root(&mut self, root: ClassId, class: ClassId) -> Option<Vec<u8>> {
        let grammar = self.example.grammar;
        let content = self.hypothesis.class(class);
        let [Alternative::Rule(rule, _)] = content.alternatives[..] else { return None };
        let (outer, hidden) = (content.nonterminal, self.hypothesis.class(root).nonterminal);
        let mut ways: Vec<(usize, NonterminalId)> = Vec::new();
        for (child, symbol) in grammar.rule(rule).symbols.iter().enumerate() {
            if let Symbol::Nonterminal(inner) = *symbol
                && self.cheapest.reaches(inner, hidden)
            {
                ways.push((child, inner));
            }
        }
        if ways.is_empty() {
            return None;
        }
        let (child, inner) = *self.stream.pick(&ways);
        let member = self.member(root, Bindings::new())?;
        let inside = self.cheapest.around(inner, hidden, &member)?;
        let text = self.text_with(rule, child, &inside)?;
        self.sampler.around(outer, &text, self.stream)
    }

    /// An input that is known to fail for a root class, with a text of a class beside that.
    fn in_failing(&mut self, root: ClassId, side: Side, class: ClassId, mask: &[u8]) -> Option<Vec<u8>> {
        let grammar = self.example.grammar;
        let target = self.hypothesis.class(class).nonterminal;
        let input = Rc::clone(self.stream.pick(&self.failing));
        let node = {
            let matcher = Matcher::new(grammar, &self.hypothesis);
            let matched = matcher.matched(&input.tree);
            matcher.occurrences(&input.tree, &matched).into_iter().find(|&(found, _)| found == root)?.1
        };
        let mut places: Vec<(NodeId, NonterminalId)> = Vec::new();
        for (_, place) in beside(&input, node).into_iter().filter(|&(found, _)| found == side) {
            if let Some(nonterminal) = input.tree.nonterminal(grammar, place)
                && self.cheapest.reaches(nonterminal, target)
            {
                places.push((place, nonterminal));
            }
        }
        if places.is_empty() {
            return None;
        }
        let (place, nonterminal) = *self.stream.pick(&places);
        let text = self.cheapest.around(nonterminal, target, mask)?;
        Some(input.with(self.example, &[(place, text)]))
    }

    /// Whether an input is accepted if and only if one class does not mask a root class.
    fn is_masked_by(&self, input: &Input, root: ClassId, class: ClassId) -> bool {
        let grammar = self.example.grammar;
        if self.accepts(input) {
            return false;
        }
        let mut without = self.hypothesis.clone();
        without.unmask(root, class);
        Matcher::new(grammar, &without).accepts(&input.tree)
    }

    /// An input that fails although a root class in it is taken to be masked: what masks it is made more particular, if it is wrong
    /// more than now and then.
    pub(super) fn reveal(&mut self, input: &Rc<Input>) -> Result<Revealed, Halt> {
        let before = self.hypothesis.clone();
        let mut revealed = Revealed::NotMasked;
        while !self.accepts(input) {
            let mask = {
                let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
                let matched = matcher.matched(&input.tree);
                let places = Places::new(&input.tree, &matched);
                let all = matcher.occurrences_in_all(&input.tree, &matched);
                all.into_iter().find_map(|(root, node)| Some((root, matcher.mask_of(&places, root, node)?.1)))
            };
            let Some((root, class)) = mask else { break };
            if revealed == Revealed::NotMasked {
                if !self.is_cause(input, root)? {
                    return Ok(Revealed::NotMasked);
                }
                revealed = Revealed::Masked;
            }
            let is_it = |known: &Masking| known.root == root && known.candidates[known.at] == class;
            let Some(index) = self.hypothesis.maskings.iter().position(is_it) else { break };
            if !self.settle_again(index)? {
                break;
            }
        }
        let is_better = revealed == Revealed::Masked && self.accepts(input);
        if is_better && self.is_right_about_passing()? && self.accepts(input) {
            return Ok(Revealed::Accepted);
        }
        self.hypothesis = before;
        Ok(revealed)
    }

    /// Takes for a root class, in the place of one that was found for a larger part of an input, the smallest part of it with which random
    /// inputs fail unless something masks it. Says whether there is one.
    pub(super) fn narrow_root(&mut self, root: ClassId) -> Result<bool, Halt> {
        let mut inner = vec![root];
        while let Some(next) = self.only_part(inner[inner.len() - 1]).filter(|next| !inner.contains(next)) {
            inner.push(next);
        }
        let (mut fair, mut last): (Option<Hypothesis>, Option<Hypothesis>) = (None, None);
        for candidate in inner.into_iter().skip(1).rev() {
            if !self.may_be_masked(candidate) {
                continue;
            }
            let before = self.hypothesis.clone();
            let roots =
                self.hypothesis.roots().iter().map(|&known| if known == root { candidate } else { known });
            self.hypothesis.set_roots(roots.collect());
            if let Some(last) = last {
                self.hypothesis.adopt_masks(&last, candidate);
            }
            let found = self.fails_unless_masked(candidate)?;
            if matches!(found, Some(0 | 1)) {
                return Ok(true);
            }
            let refused = std::mem::replace(&mut self.hypothesis, before);
            if found.is_some() && fair.is_none() {
                fair = Some(refused.clone());
            }
            last = Some(refused);
        }
        match fair {
            Some(fair) => {
                self.hypothesis = fair;
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// Tries each rule of the nonterminal of the root classes that something masks in the place of one that is known to fail: what
    /// fails alike is an alternative.
    pub(super) fn try_rules(&mut self) -> Result<(), Halt> {
        let roots = self.hypothesis.roots().to_vec();
        for root in roots {
            if !self.may_be_masked(root) {
                continue;
            }
            let rules = self.example.grammar.rules_of(self.hypothesis.class(root).nonterminal).to_vec();
            for rule in rules.into_iter().take(MOST_RULES) {
                for _ in 0..SAMPLES {
                    let Some((input, node)) = self.first_place(root) else { break };
                    let Some(text) = self.text_with(rule, usize::MAX, &[]) else { break };
                    let text = input.with(self.example, &[(node, text)]);
                    if let Some((Verdict::Fail, failing)) = self.ask(text)?
                        && !self.accepts(&failing)
                    {
                        self.positive(&failing)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The class that the one alternative of a class wants in it, where it wants nothing else but that something is not there.
    fn only_part(&self, class: ClassId) -> Option<ClassId> {
        let [Alternative::Rule(_, wants)] = self.hypothesis.class(class).alternatives.as_slice() else {
            return None;
        };
        let mut parts = wants.iter().filter(|want| match want {
            Want::Any => false,
            Want::In(part) => !self.is_nothing(*part),
            Want::NotIn(_) | Want::Bound(_) | Want::Char(_) => true,
        });
        match (parts.next(), parts.next()) {
            (Some(Want::In(part)), None) => Some(*part),
            _ => None,
        }
    }

    /// Whether a class is that of the empty text by a rule without symbols.
    fn is_nothing(&self, class: ClassId) -> bool {
        match self.hypothesis.class(class).alternatives.as_slice() {
            [Alternative::Rule(rule, _)] => self.example.grammar.rule(*rule).symbols.is_empty(),
            _ => false,
        }
    }

    /// A random input around a text, in which each rule that has the nonterminal is as likely to be around it.
    fn around(&mut self, nonterminal: NonterminalId, text: &[u8]) -> Option<Vec<u8>> {
        let uses = uses(self.example.grammar);
        let from_start = reachable(self.example.grammar, self.example.grammar.start());
        let of_start =
            |&&(rule, _): &&(RuleId, usize)| from_start.contains(self.example.grammar.rule(rule).lhs);
        let uses: Vec<(RuleId, usize)> = uses[nonterminal].iter().filter(of_start).copied().collect();
        if uses.is_empty() {
            return None;
        }
        let (rule, child) = *self.stream.pick(&uses);
        let outer = self.text_with(rule, child, text)?;
        self.sampler.around(self.example.grammar.rule(rule).lhs, &outer, self.stream)
    }

    /// Whether random inputs with a root class in them fail for it, but for those that something masks, and few others: how many.
    fn fails_unless_masked(&mut self, root: ClassId) -> Result<Option<usize>, Halt> {
        let nonterminal = self.hypothesis.class(root).nonterminal;
        let most = self.judge.executions() + self.settings.executions / ROOT_SHARE;
        let (mut failed, mut unexplained): (usize, Vec<Rc<Input>>) = (0, Vec::new());
        for _ in 0..ROOT_DRAWS {
            let is_enough = failed == ROOT_CHECKS || unexplained.len() > ROOT_CHECKS / 3;
            if is_enough || self.judge.executions() > most {
                break;
            }
            let Some(member) = self.member(root, Bindings::new()) else { continue };
            let Some(text) = self.around(nonterminal, &member) else { continue };
            let Some(input) = Input::parse(self.example.parser, text)? else { continue };
            if !self.accepts(&input) {
                continue;
            }
            match self.ask(input.text.clone())? {
                Some((Verdict::Fail, input)) => failed += usize::from(self.is_cause(&input, root)?),
                Some((Verdict::Pass, input)) if !self.negative(&input)? => unexplained.push(input),
                _ => {}
            }
        }
        if failed < ROOT_CHECKS / 2 || unexplained.len() * 3 > failed {
            return Ok(None);
        }
        let number = unexplained.len();
        for input in unexplained {
            self.give_up(&input);
        }
        // What is known to pass in other ways is explained as well, as far as it can be.
        while let Some(wrong) = self.wrongly_accepted() {
            if self.judge.executions() > most || !self.negative(&wrong)? {
                self.give_up(&wrong);
            }
        }
        Ok(Some(number))
    }
}

/// The largest subtrees beside a node, with the side on which they are.
fn beside(input: &Input, node: NodeId) -> Vec<(Side, NodeId)> {
    let mut beside: Vec<(Side, NodeId)> = Vec::new();
    let mut inner = node;
    while let Some(parent) = input.tree.parent(inner) {
        let children = input.tree.children(parent);
        let own = children.iter().position(|&child| child == inner).unwrap_or(0);
        beside.extend(children[..own].iter().map(|&child| (Side::Before, child)));
        beside.extend(children[own + 1..].iter().map(|&child| (Side::Behind, child)));
        inner = parent;
    }
    beside
}
