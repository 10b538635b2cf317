//! Reading configs.

use super::*;
use proptest::prelude::*;

fn read(text: &str) -> Result<Config, Diagnostics> {
    Config::read(&Source::new("quick.toml", text), Path::new("configs/quick.toml"))
}

#[test]
fn an_empty_config_is_the_papers_setting() {
    let config = read("").unwrap();
    assert_eq!(config.title, "quick");
    assert_eq!(config.settings, Settings::default());
    assert_eq!(config.settings.reduce.reducers.identity(), "perses");
    assert_eq!(config.subject_folder, Path::new("configs/../subjects"));
    assert_eq!(config.bugs.of(&["a", "b"]).unwrap(), ["a", "b"]);
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let errors: Vec<String> = [
        "sead = 1",
        "[generalize]\nchekcs = 10",
        "[generalize]\nchecks = 0",
        "[produce]\nlength = \"9..3\"\npaths = 1",
        "producers = [{ name = \"uniform\", length = \"9..3\" }, { name = \"coverage\", paths = 1 }]",
        "generalizers = [{ name = \"strict\", generalizer = \"ddset\", cheks = 7, characteristic = \"askd\" }]",
        "reducers = [\"persus\"]\n[oracle]\ntimeout_as = \"passed\"\nverdict = \"papers\"",
        "producers = []",
        "seed = \"one\"",
        "title = \"../elsewhere\"",
        "seed = ",
        "[transform]\nlenght = 3",
        "[workers]\njudged_again = 2",
        "[workers]\nuse = \"no\"",
        "[instantiate]\ninputs = 0",
        "repetitions = 0",
        "repetitions = 4_294_967_296",
        "repetitions = 10001",
        "repetitions = 4294967295",
    ]
    .into_iter()
    .map(|text| read(text).unwrap_err().to_string())
    .collect();
    insta::assert_snapshot!(errors.join("\n\n"));
}

/// As seen from the folder of the configs; tests run in the folder of the project.
const JSON: &str = "../grammars/json.ebnf";

/// An entry `[[expressions]]` on the grammar of JSON.
fn entry(name: &str, text: &str) -> String {
    format!("[[expressions]]\nname = \"{name}\"\ngrammar = {JSON:?}\n{text}\n")
}

#[test]
fn expressions_are_read_with_their_grammars() {
    let inline = r#"expression = '<json E & !N> where <item E> is "\"\": <elt>", <elt N> is "null"'"#;
    let escaped = r#"expression = "<elt S>\nwhere <string S> is '\"a\"'""#;
    let text = format!("{}{}transformers = [\"symbolic\"]\n", entry("a b", inline), entry("c", escaped));
    let config = read(&text).unwrap();
    let [first, second] = &config.settings.specialize.expressions[..] else { panic!("{config:?}") };
    assert_eq!((first.name.as_str(), first.file.as_str()), ("a b", JSON));
    assert_eq!(first.expression.formula_text(), "E & !N");
    assert!(Arc::ptr_eq(&first.grammar, &second.grammar), "a grammar is read once");
    assert_eq!(second.grammar.name(second.expression.start).to_string(), "<elt>");
    assert_eq!((&*first.transformers[0], &*second.transformers[0]), ("automaton", "symbolic"));
    // No bug takes part unless the config says so; then they do as ever.
    assert!(config.bugs.is_none());
    assert_eq!(config.bugs.of(&["a", "b"]).unwrap(), [""; 0]);
    let config = read(&format!("bugs = []\n{text}")).unwrap();
    assert!(!config.bugs.is_none());
    assert_eq!(config.bugs.of(&["a", "b"]).unwrap(), ["a", "b"]);
}

#[test]
fn names_of_bugs_are_looked_up_beside_whatever_else_is_wrong() {
    let subjects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/subjects");
    let text = format!(
        "sead = 1\nsubject_folder = {:?}\nbugs = [\"no-such-bug\", {{ name = \"*\", grammars = [\"taylored\"] }}]\n",
        subjects.display().to_string()
    );
    let errors = read(&text).unwrap_err();
    let messages: Vec<&str> = errors.0.iter().map(Diagnostic::message).collect();
    assert_eq!(messages.len(), 3, "{errors}");
    assert!(messages[0].contains("sead"), "{errors}");
    assert_eq!(messages[1], "there is no bug called `no-such-bug`");
    assert_eq!(messages[2], "no bug that takes part has a grammar called `taylored`");
}

#[test]
fn what_is_wrong_with_expressions_and_commands_is_told_with_its_place() {
    let good = r#"expression = '<json E> where <item E> is "\"\": <elt>"'"#;
    let external = |text: &str| format!("[[command_transformers]]\n{text}\n");
    let missing = |name| entry(name, good).replace("json.ebnf", "jsn.ebnf");
    let texts = [
        entry("a", ""),
        entry("a", &format!("{good}\nexpression_file = \"a.expression\"")),
        entry("a", "expression_file = \"a.expression\""),
        entry("a/b", good),
        entry("a", good) + &entry("a", good),
        entry("a", &format!("{good}\ntransformers = [\"automatn\", \"symbolic\", \"symbolic\"]")),
        entry("a", "expression = '''\n<json E> where\n  <itm E> is \"\"'''"),
        entry("a", r#"expression = "<json E> where <item E> is \"\\\"\"""#),
        missing("a") + &missing("b"),
        entry("a", good).replace("../grammars/json.ebnf", "../tests/cmd/files/wrong.ebnf"),
        entry("a", good).replace("expression =", "expresion ="),
        external("name = \"symbolic\"\ncommand = [\"sh\"]"),
        external("name = \"mine\"\ncommand = [\"no-such-program\"]\ntimeout = \"1 day\""),
        external("name = \"mine\"\ncommand = [\"sh\", \"{fil}\"]"),
        format!("transformers = [\"mine\"]\n{}", external("name = \"mine\"\ncommand = []")),
        external("command = [\"sh\"]"),
        format!("transformers = [\"min\"]\n{}", external("name = \"mine\"\ncommand = [\"sh\"]")),
    ];
    let errors = texts.map(|text| read(&text).unwrap_err().to_string());
    insta::assert_snapshot!(errors.join("\n\n"));
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "([a-z]{1,8} ?= ?[0-9\"\\[\\]a-z]{0,6}\n|\\[[a-z]{0,9}\\]\n|.{0,9}){0,8}") {
        let _ = read(&text);
    }
}
