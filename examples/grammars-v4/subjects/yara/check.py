"""Says whether a string in rules of YARA has two modifiers that do not go together. Conditions are passed over.

0: none has, 1: one has, or the strings are wrong otherwise, 2: a syntax error.
"""
import re

SPACE = re.compile(r"(?:\s|//[^\n]*|/\*[\s\S]*?\*/)*")
TEXT = re.compile(r'"(?:\\[\s\S]|[^"\\\n])*"')
REGEX = re.compile(r"/(?![/*])(?:\\.|[^/\\\n])+/i?s?")
HEX = re.compile(r"\{(?:\s|//[^\n]*|/\*[\s\S]*?\*/|[0-9a-fA-F?()\[\]|~-])+\}")
NAME = re.compile(r"[a-zA-Z_]\w*", re.ASCII)
STRING = re.compile(r"\$\w*", re.ASCII)
VALUE = re.compile(r'"(?:\\[\s\S]|[^"\\\n])*"|true\b|false\b|-?\d+\b|0x[0-9a-fA-F]+\b', re.ASCII)
REST = re.compile(r"""[\w$#@!()\[\],.<>=+*%&|^~\\:-]""", re.ASCII)
MARK = re.compile(r"[{}=:()]")

# What each may not stand with.
APART = {
    "nocase": {"xor", "base64", "base64wide"}, "xor": {"nocase", "base64", "base64wide"}, "fullword": {"base64", "base64wide"},
    "base64": {"nocase", "xor", "fullword"}, "base64wide": {"nocase", "xor", "fullword"}, "wide": set(), "ascii": set(), "private": set(),
}
TEXTS_ALONE = {"xor", "base64", "base64wide"}
WORDS = set("""all and any ascii at base64 base64wide condition contains endswith entrypoint false filesize for fullword global import icontains iendswith
    iequals in include int16 int16be int32 int32be int8 int8be istartswith matches meta nocase none not of or private rule startswith strings them true uint16
    uint16be uint32 uint32be uint8 uint8be wide xor defined""".split())


class Wrong(Exception):
    pass


class Reader:
    def __init__(self, text):
        self.text, self.at = text, 0
        self.problems, self.rules = [], set()

    def look(self, form):
        self.at = SPACE.match(self.text, self.at).end()
        found = form.match(self.text, self.at)
        return found.group() if found else ""

    def take(self, form, what):
        found = self.look(form)
        if not found:
            raise Wrong("expected %s at %d" % (what, self.at))
        self.at += len(found)
        return found

    def mark(self, wanted):
        if self.look(MARK) != wanted:
            raise Wrong("expected %s at %d" % (wanted, self.at))
        self.at += 1

    def word(self, *wanted):
        if self.look(NAME) in wanted:
            return self.take(NAME, "")
        return ""

    def identifier(self):
        name = self.take(NAME, "a name")
        if name in WORDS:
            raise Wrong("%s is no name, at %d" % (name, self.at))
        return name

    def string(self):
        name = self.take(STRING, "a string")
        self.mark("=")
        for kind, form in (("text", TEXT), ("hex", HEX), ("regex", REGEX)):
            if self.look(form):
                self.take(form, kind)
                break
        else:
            raise Wrong("expected the value of %s at %d" % (name, self.at))
        given = []
        while modifier := self.word(*APART):
            if modifier in given:
                self.problems.append("%s has %s twice" % (name, modifier))
            if kind == "hex" and modifier != "private" or kind == "regex" and modifier in TEXTS_ALONE:
                raise Wrong("a string of this kind is not %s, at %d" % (modifier, self.at))
            for other in given:
                if other in APART[modifier]:
                    self.problems.append("invalid modifier combination of %s: %s %s" % (name, other, modifier))
            given.append(modifier)
            if modifier in ("base64", "base64wide") and self.look(MARK) == "(":
                self.mark("(")
                if len(self.take(TEXT, "an alphabet")) != 66:
                    self.problems.append("the alphabet of %s has not 64 characters" % name)
                self.mark(")")
        return name

    def rule(self):
        while self.word("private", "global"):
            pass
        if not self.word("rule"):
            raise Wrong("expected a rule at %d" % self.at)
        name = self.identifier()
        if name in self.rules:
            self.problems.append("there are two rules %s" % name)
        self.rules.add(name)
        if self.look(MARK) == ":":
            self.mark(":")
            self.identifier()
            while self.look(NAME):
                self.identifier()
        self.mark("{")
        if self.word("meta"):
            self.mark(":")
            while self.look(NAME) not in ("", "strings", "condition"):
                self.identifier()
                self.mark("=")
                self.take(VALUE, "a value")
        if self.word("strings"):
            self.mark(":")
            names = [self.string()]
            while self.look(STRING):
                names.append(self.string())
            for one in set(names) - {"$"}:
                if names.count(one) > 1:
                    self.problems.append("there are two strings %s" % one)
        if not self.word("condition"):
            raise Wrong("expected a condition at %d" % self.at)
        self.mark(":")
        empty = True
        while self.look(MARK) != "}":
            self.take(TEXT if self.look(TEXT) else REGEX if self.look(REGEX) else REST, "a condition or }")
            empty = False
        if empty:
            raise Wrong("expected a condition at %d" % self.at)
        self.mark("}")

    def rules_of_all(self):
        while self.look(REST) or self.look(MARK):
            if self.word("import", "include"):
                self.take(TEXT, "a string")
            else:
                self.rule()
        if self.at < len(self.text):
            raise Wrong("unexpected character at %d" % self.at)


def judge(data):
    try:
        reader = Reader(data.decode())
        reader.rules_of_all()
    except UnicodeDecodeError:
        return 2, "malformed: no UTF-8\n"
    except Wrong as problem:
        return 2, "malformed: %s\n" % problem
    return (1 if reader.problems else 0), "".join("error: %s\n" % problem for problem in sorted(reader.problems))
