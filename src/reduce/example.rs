//! A reducer that only tests have: the worked example of docs/DESIGN.md. It leaves out the last character as long as the
//! input fails without it.

use std::sync::Arc;

use serde::Serialize;

use crate::base::registry::{PlugIn, PlugInSettings};
use crate::oracle::{Halt, Judge};

use super::{AnyReducer, Failing, ReduceError, Reduced, Reducer, confirm};

#[derive(Default, Serialize)]
struct Example;

pub(super) const PLUG_IN: PlugIn<AnyReducer> = PlugIn::of::<Example>();

impl PlugInSettings<AnyReducer> for Example {
    const NAME: &'static str = "example";

    fn make(self) -> AnyReducer {
        Arc::new(self)
    }
}

impl Reducer for Example {
    fn reduce(&self, failing: Failing<'_>, judge: &mut Judge<'_>) -> Result<Reduced, ReduceError> {
        let mut text = failing.text.to_vec();
        let stop = match confirm(failing.text, judge)? {
            Some(stop) => stop,
            None => Halt::stop_reason::<ReduceError>(shorten(&mut text, judge))?,
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
