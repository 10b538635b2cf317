"""Says whether a source of Solidity has a function in an interface that is not declared external. What is within functions is passed over.

0: it has none, 1: it has one, or something else is wrong with what is defined, 2: a syntax error.
"""
import re

WORDS = re.compile(r"""(?P<space>(?:\s|//[^\n\r]*|/\*[\s\S]*?\*/)+)
    |(?P<string>"(?:\\[\s\S]|[^"\\\n\r])*"|'(?:\\[\s\S]|[^'\\\n\r])*')
    |(?P<number>(?:\d|\.\d)[\w.]*)|(?P<pragma>pragma(?![\w$])[^;]*;)|(?P<name>[a-zA-Z_$][\w$]*)|(?P<mark>[][(){};,.:?=<>!~+*/%&|^-])""", re.ASCII | re.VERBOSE)
CLOSES = {"(": ")", "[": "]", "{": "}"}
VISIBLE = {"external", "public", "internal", "private"}
MUTABLE = {"pure", "view", "payable"}


class Wrong(Exception):
    pass


def words(text):
    result, at = [], 0
    while at < len(text):
        found = WORDS.match(text, at)
        if not found:
            raise Wrong("unexpected character at %d" % at)
        if found.lastgroup not in ("space", "pragma"):
            result.append((found.lastgroup, found.group()))
        at = found.end()
    return result


class Reader:
    def __init__(self, words):
        self.words, self.at, self.problems = words, 0, []

    def ahead(self, further=0):
        at = self.at + further
        return self.words[at][1] if at < len(self.words) else ""

    def take(self, *wanted):
        word = self.ahead()
        if word not in wanted:
            raise Wrong("expected %s before %r, word %d" % (" or ".join(wanted), word, self.at))
        self.at += 1
        return word

    def name(self):
        if self.at == len(self.words) or self.words[self.at][0] != "name":
            raise Wrong("expected a name before %r, word %d" % (self.ahead(), self.at))
        self.at += 1
        return self.words[self.at - 1][1]

    def group(self, opens):
        """Passes over what is in brackets, and these."""
        self.take(opens)
        ends = [CLOSES[opens]]
        while ends:
            word = self.ahead()
            if not word:
                raise Wrong("missing %s at the end" % ends[-1])
            self.at += 1
            if self.words[self.at - 1][0] != "mark":
                continue
            if word in CLOSES:
                ends.append(CLOSES[word])
            elif word in CLOSES.values() and word != ends.pop():
                raise Wrong("unexpected %s, word %d" % (word, self.at - 1))

    def rest(self):
        """Passes over what is up to a semicolon."""
        while self.ahead() != ";":
            if self.ahead() in CLOSES:
                self.group(self.ahead())
            elif self.ahead() in ("", ")", "]", "}"):
                raise Wrong("expected ; before %r, word %d" % (self.ahead(), self.at))
            else:
                self.at += 1
        self.at += 1

    def head(self):
        """What follows the parameters of a function, up to its end: how it is seen, whether a modifier is called, and whether there is a body."""
        found, modified = {}, False
        while self.ahead() not in (";", "{", "returns"):
            word = self.name()
            kind = "visibility" if word in VISIBLE else "mutability" if word in MUTABLE else word
            if kind in ("visibility", "mutability", "virtual", "override"):
                if kind in found:
                    raise Wrong("%s is given twice, word %d" % (kind, self.at))
                found[kind] = word
                if kind == "override" and self.ahead() == "(":
                    self.group("(")
                continue
            modified = True
            while self.ahead() == ".":
                self.at += 1
                self.name()
            if self.ahead() == "(":
                self.group("(")
        if self.ahead() == "returns":
            self.at += 1
            self.group("(")
        if self.ahead() == "{":
            self.group("{")
            return found.get("visibility"), modified, True
        self.take(";")
        return found.get("visibility"), modified, False

    def function(self, where):
        kind = self.name()
        name = self.name() if kind == "function" else kind
        self.group("(")
        visible, modified, body = self.head()
        if where == "interface":
            if visible != "external":
                self.problems.append("functions in interfaces must be declared external: %s" % name)
            if modified or body:
                self.problems.append("functions in interfaces have neither modifiers nor bodies: %s" % name)
        elif where:
            if not visible:
                self.problems.append("no visibility specified: %s" % name)
        elif visible or not body:
            self.problems.append("functions outside of contracts have a body and no visibility: %s" % name)

    def element(self, where):
        """What may stand in a contract, and outside."""
        word = self.ahead()
        if word == "function" and self.ahead(1) != "(" or word in ("fallback", "receive") and self.ahead(1) == "(":
            self.function(where)
        elif word in ("struct", "enum"):
            self.at += 1
            self.name()
            self.group("{")
        elif word == "constructor" or word == "modifier":
            self.at += 1
            if word == "modifier":
                self.name()
            if word == "constructor" or self.ahead() == "(":
                self.group("(")
            self.head()
            if where in ("", "interface"):
                self.problems.append("misplaced %s" % word)
        else:
            if where == "interface" and word not in ("event", "error", "type"):
                self.problems.append("misplaced variable or directive")
            self.rest()

    def unit(self):
        while self.ahead():
            if self.ahead() == "abstract":
                self.at += 1
                self.take("contract")
                self.at -= 1
            where = self.ahead()
            if where not in ("contract", "interface", "library"):
                self.element("")
                continue
            self.at += 1
            self.name()
            while self.ahead() != "{":
                if self.ahead() == "(":
                    self.group("(")
                else:
                    if self.ahead() not in (".", ","):
                        self.name()
                    else:
                        self.at += 1
            self.at += 1
            while self.ahead() != "}":
                self.element(where)
            self.at += 1


def judge(data):
    try:
        reader = Reader(words(data.decode()))
        reader.unit()
    except UnicodeDecodeError:
        return 2, "malformed: no UTF-8\n"
    except Wrong as problem:
        return 2, "malformed: %s\n" % problem
    return (1 if reader.problems else 0), "".join("error: %s\n" % problem for problem in reader.problems)
