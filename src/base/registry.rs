//! The plug-ins of one kind, by name: one line each, in the `mod.rs` of their folder.

/// A plug-in: what it is called, in this place alone, and what makes one.
#[derive(Clone, Copy, Debug)]
pub struct PlugIn<M> {
    /// The name used in configs, on the command line and in tables.
    pub name: &'static str,
    /// Makes one.
    pub make: M,
}

/// All plug-ins of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Registry<M: 'static> {
    kind: &'static str,
    default: &'static str,
    plug_ins: &'static [PlugIn<M>],
}

/// There is no plug-in of a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {kind} called `{name}`")]
pub struct UnknownPlugIn {
    /// What was looked for.
    pub kind: &'static str,
    /// By this name.
    pub name: String,
}

impl<M> Registry<M> {
    /// The plug-ins of a kind (`reducer`), of which one is used unless another is asked for.
    pub const fn new(kind: &'static str, default: &PlugIn<M>, plug_ins: &'static [PlugIn<M>]) -> Self {
        Self { kind, default: default.name, plug_ins }
    }

    /// What they are: `reducer`.
    pub const fn kind(&self) -> &'static str {
        self.kind
    }

    /// The one that is used unless another is asked for.
    pub const fn default(&self) -> &'static str {
        self.default
    }

    /// The names of all.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &'static str> + Clone + use<M> {
        self.plug_ins.iter().map(|plug_in| plug_in.name)
    }

    /// What makes the one called `name`.
    ///
    /// # Errors
    /// When there is none.
    pub fn get(&self, name: &str) -> Result<&'static M, UnknownPlugIn> {
        let found = self.plug_ins.iter().find(|plug_in| plug_in.name == name);
        let unknown = || UnknownPlugIn { kind: self.kind, name: name.to_owned() };
        found.map(|plug_in| &plug_in.make).ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: PlugIn<fn() -> u8> = PlugIn { name: "one", make: || 1 };
    const TWO: PlugIn<fn() -> u8> = PlugIn { name: "two", make: || 2 };
    const NUMBERS: Registry<fn() -> u8> = Registry::new("number", &TWO, &[ONE, TWO]);

    #[test]
    fn plug_ins_are_found_by_their_names() {
        assert_eq!(NUMBERS.names().collect::<Vec<_>>(), ["one", "two"]);
        assert_eq!((NUMBERS.kind(), NUMBERS.default()), ("number", "two"));
        assert_eq!(NUMBERS.get("one").map(|make| make()), Ok(1));
        assert_eq!(NUMBERS.get("three").unwrap_err().to_string(), "there is no number called `three`");
    }
}
