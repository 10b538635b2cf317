//! Where the patterns of an expression occur in an input: what `validate --explain` shows.

use serde_json::{Value, json};

use crate::base::limits::Limits;
use crate::base::lines::Lines;
use crate::parse::Forest;
use crate::pattern::Expression;
use crate::tree::Tree;
use crate::validate::{Answer, Survey, Unanswered};

/// Longer texts of occurrences are cut, in characters.
const WIDEST: usize = 60;

/// Where patterns occur in a derivation tree or two of an input.
pub struct Explanation {
    /// Whether there are other derivation trees than those shown.
    is_ambiguous: bool,
    /// The trees: the first one of the input, and another that differs in whether it satisfies.
    trees: Vec<Shown>,
    /// The names of the patterns.
    names: Vec<String>,
}

/// A derivation tree, as far as it is shown.
struct Shown {
    satisfies: bool,
    /// In document order; of occurrences at one node, in the order of the patterns.
    occurrences: Vec<Place>,
}

/// An occurrence of a pattern.
struct Place {
    /// The pattern's number.
    pattern: usize,
    /// In bytes.
    start: usize,
    end: usize,
    /// Counted from 1.
    line: usize,
    column: usize,
    text: String,
}

impl Explanation {
    /// Explains the answer for the input of `forest`.
    ///
    /// # Errors
    /// When the input is too ambiguous, or another limit is reached.
    pub fn new(
        expression: &Expression,
        forest: &Forest,
        answer: Answer,
        limits: &Limits,
    ) -> Result<Self, Unanswered> {
        let first = Shown::new(expression, forest, &forest.first_tree());
        let other = match answer {
            Answer::Some => {
                let by_names = expression.without_surroundings(forest.grammar());
                Survey::with_trees(&by_names, forest, Survey::DEFAULT_LIMIT, limits)?.tree(!first.satisfies)
            }
            Answer::Every | Answer::None => None,
        };
        let other = other.map(|tree| Shown::new(expression, forest, &tree));
        Ok(Self {
            is_ambiguous: forest.is_ambiguous(),
            trees: std::iter::once(first).chain(other).collect(),
            names: expression.patterns.iter().map(|named| named.name.clone()).collect(),
        })
    }

    /// The explanation as lines of text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (index, shown) in self.trees.iter().enumerate() {
            let which = match (self.is_ambiguous, index) {
                (false, _) => "",
                (true, 0) => "  the first parse",
                (true, _) => "  another parse",
            };
            if self.is_ambiguous {
                let verb = if shown.satisfies { "satisfies" } else { "does not satisfy" };
                text.push_str(&format!("{which} {verb} the expression:\n"));
            }
            let indent = if self.is_ambiguous { "    " } else { "  " };
            for Place { pattern, start, end, line, column, text: what } in &shown.occurrences {
                text.push_str(&format!(
                    "{indent}{} at line {line}, column {column}, bytes {start}..{end}: {what}\n",
                    self.names[*pattern]
                ));
            }
            for (pattern, name) in self.names.iter().enumerate() {
                if shown.occurrences.iter().all(|place| place.pattern != pattern) {
                    text.push_str(&format!("{indent}{name} occurs nowhere\n"));
                }
            }
        }
        text
    }

    /// The explanation as members of a JSON object: `ambiguous`, `occurrences` in the first parse, and
    /// `otherwise`, the occurrences in a parse that differs from it in whether it satisfies.
    pub fn json(&self) -> [(&'static str, Value); 4] {
        let of = |shown: Option<&Shown>| shown.map_or(Value::Null, |shown| self.json_of(shown));
        [
            ("ambiguous", self.is_ambiguous.into()),
            ("first_satisfies", self.trees.first().map(|shown| shown.satisfies).into()),
            ("occurrences", of(self.trees.first())),
            ("otherwise", of(self.trees.get(1))),
        ]
    }

    fn json_of(&self, shown: &Shown) -> Value {
        let place = |place: &Place| {
            json!({
                "pattern": self.names[place.pattern],
                "start": place.start,
                "end": place.end,
                "line": place.line,
                "column": place.column,
            })
        };
        shown.occurrences.iter().map(place).collect()
    }
}

impl Shown {
    fn new(expression: &Expression, forest: &Forest, tree: &Tree) -> Self {
        let (grammar, input) = (forest.grammar(), forest.input());
        let all = expression.occurrences(grammar, tree);
        let spans = tree.spans(grammar);
        let lines = Lines::new(input);
        let mut found: Vec<(usize, usize, (usize, usize))> = Vec::new();
        for (pattern, of_pattern) in all.iter().enumerate() {
            found.extend(of_pattern.iter().map(|one| (one.begin, pattern, spans[one.node])));
        }
        found.sort_unstable();
        let place = |(_, pattern, (start, end)): (usize, usize, (usize, usize))| {
            let (line, column) = lines.position(start);
            Place { pattern, start, end, line, column, text: shortened(&input[start..end]) }
        };
        let occurrences = found.into_iter().map(place).collect();
        Self { satisfies: expression.formula.holds(&all), occurrences }
    }
}

/// A text on one line, its middle left out when it is long.
fn shortened(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let count = text.chars().count();
    let escape = |part: &str| part.escape_debug().to_string().replace("\\\"", "\"").replace("\\'", "'");
    if count <= WIDEST {
        return escape(&text);
    }
    let from = |skipped: usize| text.char_indices().nth(skipped).map_or(text.len(), |(at, _)| at);
    format!("{} ... {}", escape(&text[..from(WIDEST / 2)]), escape(&text[from(count - WIDEST / 2)..]))
}
