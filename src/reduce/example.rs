//! A reducer that only tests have: the worked example of docs/DESIGN.md. It leaves out the last character as long as the
//! input fails without it.

use crate::base::registry::PlugIn;
use crate::oracle::{Halt, Judge};

use super::{Failing, MakeReducer, ReduceError, Reduced, Reducer, confirm, stop_reason};

struct Example;

pub(super) const PLUG_IN: PlugIn<MakeReducer> = PlugIn { name: "example", make: || Box::new(Example) };

impl Reducer for Example {
    fn reduce(&self, failing: Failing<'_>, judge: &mut Judge<'_>) -> Result<Reduced, ReduceError> {
        let mut text = failing.text.to_vec();
        let stop = match confirm(failing.text, judge)? {
            Some(stop) => stop,
            None => stop_reason(shorten(&mut text, judge))?,
        };
        Ok(Reduced { text, tree: None, stop })
    }
}

fn shorten(text: &mut Vec<u8>, judge: &mut Judge<'_>) -> Result<(), Halt> {
    while let Some((_, shorter)) = text.split_last()
        && judge.fails(shorter)?
    {
        text.pop();
    }
    Ok(())
}
