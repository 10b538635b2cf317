"""Says whether a variable of a Prolog text occurs only once in its clause, as SWI-Prolog warns of; names that begin with _ may.

0: none does, 1: one does, 2: a syntax error. Terms are read as ISO Prolog has them, with its operators and those of SWI-Prolog
for declarations.
"""
import re

INFIX, PREFIX = {}, {}
for table, level, kind, names in (
        (INFIX, 1200, "xfx", ":- -->"), (PREFIX, 1200, "fx", ":- ?-"), (PREFIX, 1150, "fx", "dynamic discontiguous multifile public"),
        (INFIX, 1100, "xfy", "; |"), (INFIX, 1050, "xfy", "->"), (INFIX, 1000, "xfy", ","), (PREFIX, 900, "fy", "\\+"),
        (INFIX, 700, "xfx", "= \\= == \\== @< @> @=< @>= =.. is =:= =\\= < > =< >="), (INFIX, 200, "xfy", "^"),
        (INFIX, 600, "xfy", ":"), (INFIX, 500, "yfx", "+ - /\\ \\/"), (INFIX, 400, "yfx", "* / // rem mod << >>"),
        (INFIX, 200, "xfx", "**"), (PREFIX, 200, "fy", "- + \\")):
    for name in names.split():
        table[name] = level, kind

ESCAPE = r"\\(?:\n|[abrftnv\\'\"`]|[0-7]+\\|x[0-9a-fA-F]+\\)"
WORDS = re.compile(r"""(?P<space>(?:\s|%%[^\n]*|/\*[\s\S]*?\*/)+)
    |(?P<number>0b[01]+|0o[0-7]+|0x[0-9a-fA-F]+|0'(?:''|%(e)s|[^\\'\n])|\d+(?:\.\d+(?:[eE][+-]?\d+)?)?)
    |(?P<variable>[A-Z_]\w*)|(?P<atom>[a-z]\w*|[!;]|'(?:''|%(e)s|[^\\'\n])*')
    |(?P<text>"(?:""|%(e)s|[^\\"\n])*"|`(?:``|%(e)s|[^\\`\n])*`)
    |(?P<end>\.(?=\s|%%|\Z))|(?P<symbol>[-#$&*+./:<=>?@^~\\]+)|(?P<mark>[][(){},|])""" % {"e": ESCAPE}, re.ASCII | re.VERBOSE)


class Wrong(Exception):
    pass


def words(text):
    """Pairs of a kind and a text; a parenthesis that directly follows a word is of the kind `call`."""
    result, at, spaced = [], 0, True
    while at < len(text):
        found = WORDS.match(text, at)
        if not found:
            raise Wrong("unexpected character at %d" % at)
        kind, word = found.lastgroup, found.group()
        if kind == "number" and re.match(r"\w", text[found.end():found.end() + 1], re.ASCII):
            raise Wrong("unexpected character at %d" % found.end())
        if kind == "symbol":
            kind = "atom"
        if word == "(" and not spaced:
            kind = "call"
        spaced = kind == "space"
        if not spaced:
            result.append((kind, word))
        at = found.end()
    return result


class Reader:
    def __init__(self, words):
        self.words, self.at = words, 0

    def ahead(self):
        return self.words[self.at] if self.at < len(self.words) else ("", "")

    def take(self, *marks):
        kind, word = self.ahead()
        if kind not in ("mark", "call") or word not in marks:
            raise Wrong("expected %s before %r, word %d" % (" or ".join(marks), word, self.at))
        self.at += 1
        return word

    def list(self, *ends):
        """Terms with commas between, and what ends them."""
        self.term(999)
        while (mark := self.take(",", *ends)) == ",":
            self.term(999)
        return mark

    def first(self, limit):
        """Reads what an operator may follow, and answers with its priority."""
        kind, word = self.ahead()
        self.at += 1
        if kind in ("variable", "number", "text"):
            return 0
        if word == "(":
            self.term(1200)
            self.take(")")
            return 0
        if word == "[" or word == "{":
            close = {"[": "]", "{": "}"}[word]
            if self.ahead() == ("mark", close):
                self.at += 1
                if self.ahead()[0] == "call":
                    self.at += 1
                    self.list(")")
            elif word == "{":
                self.term(1200)
                self.take("}")
            elif self.list("|", "]") == "|":
                self.term(999)
                self.take("]")
            return 0
        if kind != "atom":
            raise Wrong("unexpected %r, word %d" % (word, self.at - 1))
        if self.ahead()[0] == "call":
            self.at += 1
            self.list(")")
            return 0
        after = self.ahead()
        if word == "-" and after[0] == "number":
            self.at += 1
            return 0
        level, type = PREFIX.get(word, (limit + 1, ""))
        if level <= limit and (after[1] not in INFIX or after[1] in PREFIX):
            here = self.at
            try:
                self.term(level if type == "fy" else level - 1)
                return level
            except Wrong:
                self.at = here      # The operator stands for itself.
        return 0

    def term(self, limit):
        left = self.first(limit)
        while True:
            kind, word = self.ahead()
            if kind not in ("atom", "mark") or word not in INFIX:
                return
            level, type = INFIX[word]
            if level > limit or left > (level if type == "yfx" else level - 1):
                return
            self.at += 1
            self.term(level if type == "xfy" else level - 1)
            left = level


def judge(data):
    once = []
    try:
        reader = Reader(words(data.decode()))
        while reader.at < len(reader.words):
            begin = reader.at
            reader.term(1200)
            if reader.ahead()[0] != "end":
                raise Wrong("expected an operator before %r, word %d" % (reader.ahead()[1], reader.at))
            reader.at += 1
            variables = [word for kind, word in reader.words[begin:reader.at] if kind == "variable" and word[0] != "_"]
            once += [word for word in variables if variables.count(word) == 1]
    except UnicodeDecodeError:
        return 2, "syntax error: no UTF-8\n"
    except Wrong as problem:
        return 2, "syntax error: %s\n" % problem
    except RecursionError:
        return 2, "syntax error: too deep\n"
    if once:
        return 1, "singleton variable %s\n" % once[0]
    return 0, ""
