//! The plug-ins of one kind, by name: one line each, in the `mod.rs` of their folder.
//!
//! Each plug-in has settings of its own, whose keys it takes from a config itself ([`PlugInSettings`]). With certain
//! settings and under a label it is a [`Variant`]: what takes part in a campaign, so that one plug-in can be compared with
//! itself.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use super::diagnostic::{Diagnostics, Source};
use super::keys::{Document, Keys};

/// The settings of a plug-in. `M` is what makes a plug-in of the kind, or is one.
pub trait PlugInSettings<M>: Default + Serialize {
    /// The name of the plug-in in configs, on the command line and in tables; it is in this place alone.
    const NAME: &'static str;
    /// A key that says which plug-in is meant where a table does not: none but this plug-in has it.
    const TELLING_KEY: Option<&'static str> = None;

    /// Takes its keys; by default there are none. Errors are reported to the document.
    fn read(_keys: &mut Keys<'_>) -> Self {
        Self::default()
    }

    /// What makes the plug-in with these settings.
    fn make(self) -> M;
}

/// A plug-in: what it is called, and how its settings are read.
pub struct PlugIn<M> {
    name: &'static str,
    telling_key: Option<&'static str>,
    /// What makes it with the settings that the keys say, and these as JSON.
    read: fn(&mut Keys<'_>) -> (M, String),
    /// The same without any keys.
    default: fn() -> (M, String),
}

impl<M> Clone for PlugIn<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for PlugIn<M> {}

impl<M> PlugIn<M> {
    /// The plug-in with the settings `S`.
    pub const fn of<S: PlugInSettings<M>>() -> Self {
        Self {
            name: S::NAME,
            telling_key: S::TELLING_KEY,
            read: |keys| made(S::read(keys)),
            default: || made(S::default()),
        }
    }
}

fn made<M, S: PlugInSettings<M>>(settings: S) -> (M, String) {
    let text = serde_json::to_string(&settings).expect("settings have string keys only");
    (settings.make(), text)
}

/// A plug-in with certain settings, under a label.
#[derive(Clone)]
pub struct Variant<M> {
    /// What tasks and tables call it: the name of the plug-in unless the config says otherwise.
    pub label: Arc<str>,
    /// The name of the plug-in.
    pub name: &'static str,
    /// What makes it.
    pub make: M,
    /// Its settings as JSON, if they are not the default ones.
    settings: Option<String>,
}

impl<M> Variant<M> {
    /// All that results depend on, in words.
    pub fn identity(&self) -> String {
        let Self { label, name, settings, .. } = self;
        match settings {
            None if **label == **name => name.to_string(),
            _ => format!("{label}={name}{}", settings.as_deref().unwrap_or_default()),
        }
    }
}

impl<M> PartialEq for Variant<M> {
    fn eq(&self, other: &Self) -> bool {
        (&self.label, self.name, &self.settings) == (&other.label, other.name, &other.settings)
    }
}

impl<M> fmt::Debug for Variant<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.identity())
    }
}

/// All plug-ins of a kind.
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

    /// The same kind with these plug-ins, those of this registry among them.
    pub const fn with(&self, plug_ins: &'static [PlugIn<M>]) -> Self {
        Self { kind: self.kind, default: self.default, plug_ins }
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

    fn find(&self, name: &str) -> Option<&'static PlugIn<M>> {
        self.plug_ins.iter().find(|plug_in| plug_in.name == name)
    }

    /// The one called `name`, with its default settings.
    ///
    /// # Errors
    /// When there is none.
    pub fn get(&self, name: &str) -> Result<Variant<M>, UnknownPlugIn> {
        let unknown = || UnknownPlugIn { kind: self.kind, name: name.to_owned() };
        let found = self.find(name).ok_or_else(unknown)?;
        let (make, _) = (found.default)();
        Ok(Variant { label: found.name.into(), name: found.name, make, settings: None })
    }

    /// The plug-in of that name with the settings that `keys` say, under this label.
    pub(super) fn read(&self, name: &str, label: &str, keys: &mut Keys<'_>) -> Option<Variant<M>> {
        let found = self.find(name)?;
        let (make, settings) = (found.read)(keys);
        let (_, default) = (found.default)();
        let settings = Some(settings).filter(|settings| *settings != default);
        Some(Variant { label: label.into(), name: found.name, make, settings })
    }

    /// The one whose key tells that it is meant, if `has` one.
    pub(super) fn told(&self, has: impl Fn(&str) -> bool) -> Option<&'static str> {
        let is_told = |plug_in: &&PlugIn<M>| plug_in.telling_key.is_some_and(&has);
        self.plug_ins.iter().find(is_told).map(|plug_in| plug_in.name)
    }

    /// What an option of the command line says: a name, or a table as in a config, such as
    /// `{ name = "ddmin", units = "lines" }`; `keys` are added to it.
    ///
    /// # Errors
    /// Everything that is wrong in it.
    pub fn parse(&self, text: &str, keys: &[(&str, String)]) -> Result<Variant<M>, Diagnostics> {
        let inner = text.trim().strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        let mut entries =
            vec![inner.map_or_else(|| format!("name = {text:?}"), |inner| inner.trim().to_owned())];
        entries.extend(keys.iter().map(|(key, value)| format!("{key} = {value}")));
        let source = Source::new(
            format!("--{}", self.kind),
            format!("{} = [{{ {} }}]", self.kind, entries.join(", ")),
        );
        let document = Document::new(&source, std::path::Path::new(""));
        let mut all = document.keys()?;
        let mut found = all.variants(self.kind, self);
        all.end();
        document.finish(()).map(|()| found.pop().expect("a list without errors has its entry"))
    }
}

/// Plug-ins that are numbers, for the tests of this layer.
#[cfg(test)]
pub(super) mod sample {
    use super::*;

    #[derive(Default, Serialize)]
    struct One;

    impl PlugInSettings<u8> for One {
        const NAME: &'static str = "one";

        fn make(self) -> u8 {
            1
        }
    }

    #[derive(Default, Serialize)]
    struct Two {
        plus: u8,
    }

    impl PlugInSettings<u8> for Two {
        const NAME: &'static str = "two";
        const TELLING_KEY: Option<&'static str> = Some("plus");

        fn read(keys: &mut Keys<'_>) -> Self {
            Self { plus: keys.or("plus", 0) }
        }

        fn make(self) -> u8 {
            2 + self.plus
        }
    }

    pub(in super::super) const NUMBERS: Registry<u8> =
        Registry::new("number", &PlugIn::of::<Two>(), &[PlugIn::of::<One>(), PlugIn::of::<Two>()]);
}

#[cfg(test)]
mod tests {
    use super::sample::NUMBERS;

    #[test]
    fn plug_ins_are_found_by_their_names() {
        assert_eq!(NUMBERS.names().collect::<Vec<_>>(), ["one", "two"]);
        assert_eq!((NUMBERS.kind(), NUMBERS.default()), ("number", "two"));
        assert_eq!(NUMBERS.get("one").map(|variant| variant.make), Ok(1));
        assert_eq!(NUMBERS.get("three").unwrap_err().to_string(), "there is no number called `three`");
    }
    #[test]
    fn an_option_says_a_name_or_a_table() {
        let read = |text: &str| NUMBERS.parse(text, &[]).map(|variant| (variant.identity(), variant.make));
        assert_eq!(read("one").unwrap(), ("one".to_owned(), 1));
        assert_eq!(read("{ name = \"two\", plus = 0 }").unwrap(), ("two".to_owned(), 2));
        assert_eq!(read("{ name = \"mine\", plus = 3 }").unwrap(), ("mine=two{\"plus\":3}".to_owned(), 5));
        assert_eq!(NUMBERS.parse("two", &[("plus", "4".to_owned())]).unwrap().make, 6);
        let wrong = |text: &str| read(text).unwrap_err().to_string();
        assert!(wrong("tow").contains("did you mean `two`?"));
        assert!(wrong("{ name = \"two\", puls = 1 }").contains("did you mean `plus`?"));
        assert!(wrong("{").contains("--number"));
    }
}
