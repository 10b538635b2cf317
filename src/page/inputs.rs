//! The inputs that a task had judged, for a reader: put together by what was seen of them, those that are not as they
//! should be first, and no more of them than a page can hold.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::oracle::Verdict;
use crate::stage::{Exhibit, Record};
use crate::store::{Input, Judged, Seen};

/// How much text of inputs a page holds: of those that are not as they should be, and of the others.
const ROOM: [usize; 2] = [1_500_000, 4_500_000];
/// The most bytes of an input that are shown.
const LONGEST: usize = 2_000;
/// What an input takes beside its text.
const AROUND: usize = 45;
/// What a list takes beside its inputs, with its commands.
const LIST: usize = 1_000;

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
    /// Its derivation tree, as [`super::trees`] writes it.
    pub tree: Option<String>,
}

impl Shown {
    /// Whether it is shown as a whole.
    pub fn is_whole(&self) -> bool {
        self.input.bytes().len() <= LONGEST
    }

    /// The input as tables write it, cut if it is too long; and of how many bytes, then.
    pub fn text(&self) -> (String, Option<usize>) {
        let bytes = self.input.bytes();
        if self.is_whole() {
            return (self.input.to_escaped(), None);
        }
        // No character is cut in half.
        let end = (LONGEST - 3..=LONGEST).rev().find(|&end| bytes[end] & 0xc0 != 0x80).unwrap_or(LONGEST);
        (Input::from(&bytes[..end]).to_escaped(), Some(bytes.len()))
    }

    /// About how much of a page it takes.
    fn size(&self) -> usize {
        let text = self.input.bytes().iter().take(LONGEST);
        let escaped = |&byte: &u8| match byte {
            b'<' | b'>' | b'&' | b'"' => 5,
            b'\\' | b'\n' | b'\t' => 2,
            0x20.. => 1,
            _ => 4,
        };
        text.map(escaped).sum::<usize>() + AROUND
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
    /// How many are worth seeing, and not shown for want of room.
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
    /// The inputs of `record`, of a task that had `judged` judged; those that are worth seeing are shown.
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
                let number = place + 1;
                inputs.shown.push(Shown { number, input, verdict, mistake, evidence: None, tree: None });
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
    let mut take = |kind: usize, size: usize| {
        let left = room[kind].checked_sub(size);
        room[kind] = left.unwrap_or(0);
        left.is_some()
    };
    for inputs in lists {
        let all = inputs.shown.len();
        let kind = usize::from(inputs.mistakes() == 0);
        if all > 0 && take(kind, LIST) {
            inputs.shown.retain(|shown| take(usize::from(shown.mistake.is_none()), shown.size()));
        } else {
            inputs.shown.clear();
        }
        inputs.left_out += all - inputs.shown.len();
    }
}

/// A verdict with what was seen, by input; nothing as long as neither is known.
type SeenOf = FxHashMap<Box<[u8]>, Option<(Verdict, Arc<str>)>>;

/// What was seen of inputs that are shown.
#[derive(Default)]
pub struct Evidence {
    /// By bug.
    seen: FxHashMap<String, SeenOf>,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(number: usize, bytes: &[u8], mistake: Option<&str>) -> Shown {
        let mistake = mistake.map(str::to_owned);
        let input = bytes.into();
        Shown { number, input, verdict: Verdict::Pass, mistake, evidence: None, tree: None }
    }

    #[test]
    fn what_is_not_as_it_should_be_has_room_of_its_own() {
        let long = vec![b'<'; LONGEST];
        let list = |mistake| Inputs {
            all: 1000,
            shown: (1..=1000).map(|number| shown(number, &long, mistake)).collect(),
            ..Inputs::default()
        };
        let mut lists = [list(None), list(None), list(Some("made from F, did not fail"))];
        leave_out(&mut lists);
        let [first, second, third] = &lists;
        assert!(first.left_out > 0 && first.left_out + first.shown.len() == 1000);
        assert_eq!((second.left_out, second.shown.len()), (1000, 0), "there is no room left");
        assert!(third.shown.len() > 100 && third.left_out > 0);
        let size: usize = lists.iter().flat_map(|list| &list.shown).map(Shown::size).sum();
        assert!(size <= ROOM.iter().sum());
    }

    #[test]
    fn inputs_are_put_together_by_what_was_seen_and_mistakes_stand_first() {
        let evidence = |mut shown: Shown, text: &str| {
            shown.evidence = Some(text.into());
            shown
        };
        let inputs = Inputs {
            shown: vec![
                evidence(shown(1, b"a", None), "exit 0"),
                evidence(shown(2, b"b", Some("wrong")), "exit 0"),
                evidence(shown(3, b"c", None), "exit 1"),
                evidence(shown(4, b"d", None), "exit 0"),
            ],
            ..Inputs::default()
        };
        let groups = inputs.groups();
        let numbers = |group: &Group<'_>| group.inputs.iter().map(|shown| shown.number).collect::<Vec<_>>();
        assert_eq!(groups.iter().map(numbers).collect::<Vec<_>>(), [vec![2], vec![1, 4], vec![3]]);
        assert_eq!(inputs.mistakes(), 1);
    }

    #[test]
    fn a_long_input_is_cut_between_two_characters() {
        let mut bytes = "é".repeat(LONGEST).into_bytes();
        bytes.insert(0, b'a');
        let (text, whole) = shown(1, &bytes, None).text();
        assert_eq!(whole, Some(2 * LONGEST + 1));
        assert!(text.len() <= LONGEST && text.ends_with('é') && !text.contains('\\'));
        assert_eq!(shown(1, b"\xffa", None).text(), ("\\xffa".to_owned(), None));
    }

    #[test]
    fn what_was_seen_belongs_to_the_verdict_that_is_shown() {
        let mut evidence = Evidence::default();
        let one = shown(1, b"a", None);
        evidence.want("bug", &one);
        let seen =
            |input, verdict, evidence, supersedes| Seen { bug: "bug", input, verdict, evidence, supersedes };
        evidence.take(seen(b"b", Verdict::Pass, "not wanted", false));
        assert_eq!(evidence.of("bug", &one), None);
        evidence.take(seen(b"a", Verdict::Fail, "by a worker", false));
        assert_eq!(evidence.of("bug", &one), None, "it was judged otherwise");
        evidence.take(seen(b"a", Verdict::Pass, "later", false));
        assert_eq!(evidence.of("bug", &one), None, "what is first said counts");
        evidence.take(seen(b"a", Verdict::Pass, "by a fresh process", true));
        assert_eq!(evidence.of("bug", &one).as_deref(), Some("by a fresh process"));
        assert_eq!(evidence.of("other", &one), None);
    }
}
