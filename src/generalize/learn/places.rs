//! Where a class stands in inputs that fail.

use std::rc::Rc;

use crate::tree::NodeId;

use super::binding::Bindings;
use super::hypothesis::ClassId;
use super::input::Input;
use super::matching::Matcher;
use super::session::Learning;

/// A place at which a class matched, as a part of what the hypothesis accepts.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// An input that fails.
    pub(super) input: Rc<Input>,
    /// The node of it at which the class matched.
    pub(super) node: NodeId,
    /// The texts of the numbers that are bound around it.
    pub(super) bound: Bindings,
}

impl Learning<'_, '_, '_> {
    /// Places of a class; no more inputs are looked at once there are so many.
    pub(super) fn places_of(&self, class: ClassId, most: usize) -> Vec<Place> {
        let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
        let mut places = Vec::new();
        // The first ones are the smallest; the latest ones differ most.
        let few = self.failing.iter().take(10).chain(self.failing.iter().skip(10).rev().take(30));
        for input in few {
            let of_input = matcher.places_in(&input.tree, class).into_iter();
            places.extend(of_input.map(|(node, bound)| Place { input: Rc::clone(input), node, bound }));
            if places.len() >= most {
                break;
            }
        }
        places
    }

    /// The node at which a class stands in a failing input, if it does in any.
    pub(super) fn first_place(&self, class: ClassId) -> Option<(Rc<Input>, NodeId)> {
        self.places_of(class, 1).into_iter().next().map(|place| (place.input, place.node))
    }

    /// The input of a place with a text there, if it is one that can be parsed; an interrupt shows when the program is asked about the next one.
    pub(super) fn input_with(&self, place: &Place, text: Vec<u8>) -> Option<Rc<Input>> {
        self.parsed(place.input.with(self.example, &[(place.node, text)])).ok()?
    }
}
