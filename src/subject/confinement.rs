//! How programs under test are kept from doing harm: what is asked for.

use serde::{Deserialize, Serialize};

/// How programs under test are confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Confinement {
    /// Not at all.
    None,
    /// By Landlock and a filter of system calls, in the namespaces of the user.
    Landlock,
    /// In namespaces of their own and by the former two; where the kernel allows no namespaces, by the former two.
    #[default]
    Namespaces,
}

impl Confinement {
    /// Whether anything confines programs.
    pub fn is_any(self) -> bool {
        self != Self::None
    }
}
