//! The inputs that a task had judged, for a reader: put together by what was seen of them, those that are not as they
//! should be first, and no more of them than a page can hold.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::oracle::Verdict;
use crate::stage::{Exhibit, Record};
use crate::store::{Input, Judged, Seen};

/// How much text of inputs a page holds: of those that are not as they should be, and of the others.
const ROOM: [usize; 2] = [2_000_000, 4_500_000];
/// So many bytes of an input are shown at most.
const LONGEST: usize = 2_000;
/// What an input costs beside its text.
const AROUND: usize = 30;

/// An input.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Its number among all that the task had judged, from 1: what `grambench inputs` has in that line.
    pub number: usize,
    /// The input.
    pub input: Input,
    /// Its verdict.
    pub verdict: Verdict,
    /// Why it is not as it should be, if it is not.
    pub mistake: Option<String>,
    /// What was seen.
    pub evidence: Option<Arc<str>>,
}

impl Shown {
    /// The input as tables write it, cut if it is too long; and of how many bytes, then.
    pub fn text(&self) -> (String, Option<usize>) {
        let bytes = self.input.bytes();
        if bytes.len() <= LONGEST {
            return (self.input.to_escaped(), None);
        }
        // No character is cut in half.
        let end = (LONGEST - 3..=LONGEST).rev().find(|&end| bytes[end] & 0xc0 != 0x80).unwrap_or(LONGEST);
        (Input::from(&bytes[..end]).to_escaped(), Some(bytes.len()))
    }

    fn cost(&self) -> usize {
        self.input.bytes().len().min(LONGEST) + AROUND
    }
}

/// The inputs of a task.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// How many had which verdict.
    pub verdicts: BTreeMap<&'static str, usize>,
    /// How many there are in all.
    pub all: usize,
    /// Those that are shown, in order.
    pub shown: Vec<Shown>,
    /// How many are worth a look, and not shown for want of room.
    pub left_out: usize,
}

/// Inputs of which the same was seen.
pub struct Group<'i> {
    /// Why they are not as they should be, if they are not.
    pub mistake: Option<&'i str>,
    /// Their verdict.
    pub verdict: Verdict,
    /// What was seen.
    pub evidence: Option<&'i str>,
    /// The inputs.
    pub inputs: Vec<&'i Shown>,
}

impl Inputs {
    /// The inputs of `record`, of a task that had `judged` judged; those that are worth a look are shown.
    pub fn of(record: &Record, judged: Vec<Judged>) -> Self {
        let is_every_one = record.exhibits().contains(&Exhibit::EveryInput);
        let incidents = record.incidents();
        let mistakes: FxHashMap<&Input, &str> = incidents
            .iter()
            .filter(|incident| matches!(incident.kind, "escape" | "mistake"))
            .filter_map(|incident| Some((incident.input?, &*incident.detail)))
            .collect();
        let mut inputs = Self { all: judged.len(), ..Self::default() };
        for (place, judged) in judged.into_iter().enumerate() {
            *inputs.verdicts.entry(judged.verdict.as_str()).or_default() += 1;
            let mistake = mistakes.get(&judged.input).map(|&detail| detail.to_owned());
            if is_every_one || mistake.is_some() {
                let Judged { input, verdict, .. } = judged;
                inputs.shown.push(Shown { number: place + 1, input, verdict, mistake, evidence: None });
            }
        }
        inputs
    }

    /// Those that are shown, put together: what is not as it should be first, else in order of appearance.
    pub fn groups(&self) -> Vec<Group<'_>> {
        let mut places: FxHashMap<(Option<&str>, Verdict, Option<&str>), usize> = FxHashMap::default();
        let mut groups: Vec<Group<'_>> = Vec::new();
        for shown in &self.shown {
            let (mistake, evidence) = (shown.mistake.as_deref(), shown.evidence.as_deref());
            let place = *places.entry((mistake, shown.verdict, evidence)).or_insert_with(|| {
                groups.push(Group { mistake, verdict: shown.verdict, evidence, inputs: Vec::new() });
                groups.len() - 1
            });
            groups[place].inputs.push(shown);
        }
        groups.sort_by_key(|group| group.mistake.is_none());
        groups
    }

    /// How many are not as they should be.
    pub fn mistakes(&self) -> usize {
        self.shown.iter().filter(|shown| shown.mistake.is_some()).count()
    }
}

/// Leaves out of `lists`, which are in the order of the page, what it has no room for.
pub fn leave_out<'i>(lists: impl IntoIterator<Item = &'i mut Inputs>) {
    let mut room = ROOM;
    for inputs in lists {
        let all = inputs.shown.len();
        inputs.shown.retain(|shown| {
            let room = &mut room[usize::from(shown.mistake.is_none())];
            let left = room.checked_sub(shown.cost());
            *room = left.unwrap_or(0);
            left.is_some()
        });
        inputs.left_out += all - inputs.shown.len();
    }
}

/// What was seen of inputs that are shown.
#[derive(Default)]
pub struct Evidence {
    /// By bug and input.
    seen: FxHashMap<String, FxHashMap<Box<[u8]>, Option<(Verdict, Arc<str>)>>>,
    /// Each text once.
    texts: FxHashMap<String, Arc<str>>,
}

impl Evidence {
    /// That what was seen of an input is wanted.
    pub fn want(&mut self, bug: &str, shown: &Shown) {
        self.seen.entry(bug.to_owned()).or_default().insert(shown.input.0.clone(), None);
    }

    /// Remembers what was seen, if it is wanted.
    pub fn take(&mut self, seen: Seen<'_>) {
        let Some(of_bug) = self.seen.get_mut(seen.bug) else { return };
        let Some(place) = of_bug.get_mut(seen.input) else { return };
        if place.is_none() || seen.supersedes {
            let texts = &mut self.texts;
            let text = texts.entry(seen.evidence.to_owned()).or_insert_with(|| seen.evidence.into());
            *place = Some((seen.verdict, Arc::clone(text)));
        }
    }

    /// What was seen of an input when it was judged as it is shown.
    pub fn of(&self, bug: &str, shown: &Shown) -> Option<Arc<str>> {
        let (verdict, text) = self.seen.get(bug)?.get(shown.input.bytes())?.as_ref()?;
        (*verdict == shown.verdict).then(|| Arc::clone(text))
    }
}
