"""Says whether an article of a BibTeX database has no year: what plain.bst complains of with "empty year in ...".

0: all have one, 1: one has none, 2: the database is malformed. The words are those of BibTeX; moreover, % begins a comment
between them. As in plain.bst, nothing is asked of an article with a crossref. Of two equal fields the first counts.
"""
import re

SPACE = re.compile(r"(?:\s|%[^\n]*)*")
NAME = re.compile(r"[^\s\"#%'(),={}]+")


class Malformed(Exception):
    pass


class Reader:
    def __init__(self, text):
        self.text, self.at = text, 0

    def ahead(self):
        self.at = SPACE.match(self.text, self.at).end()
        return self.text[self.at:self.at + 1]

    def take(self, characters):
        c = self.ahead()
        if c == "" or c not in characters:
            raise Malformed("expected %s at %d" % (characters, self.at))
        self.at += 1
        return c

    def name(self):
        self.ahead()
        found = NAME.match(self.text, self.at)
        if not found:
            raise Malformed("expected a name at %d" % self.at)
        self.at = found.end()
        return found.group()

    def quoted(self, end):
        """What stands between braces or quotes, in which braces are balanced."""
        begin, depth = self.at, 0
        while self.at < len(self.text):
            c = self.text[self.at]
            self.at += 1
            if c == end and depth == 0:
                return self.text[begin:self.at - 1]
            if c == "{":
                depth += 1
            elif c == "}":
                depth -= 1
                if depth < 0:
                    break
        raise Malformed("unbalanced braces at %d" % begin)

    def value(self):
        result = ""
        while True:
            if self.ahead() in ("{", '"'):
                result += self.quoted("}" if self.take('{"') == "{" else '"')
            else:
                result += self.name()
            if self.ahead() != "#":
                return result
            self.take("#")

    def entry(self):
        self.take("@")
        kind = self.name().lower()
        close = "}" if self.take("{(") == "{" else ")"
        key = self.name()
        fields = {}
        while self.take("," + close) == ",":
            if self.ahead() == close:
                continue
            name = self.name().lower()
            self.take("=")
            fields.setdefault(name, self.value())
        return kind, key, fields


def judge(data):
    without = []
    try:
        reader = Reader(data.decode())
        while reader.ahead():
            kind, key, fields = reader.entry()
            if kind == "article" and "crossref" not in fields and not fields.get("year", "").strip():
                without.append(key)
    except UnicodeDecodeError:
        return 2, "malformed: no UTF-8\n"
    except Malformed as problem:
        return 2, "malformed: %s\n" % problem
    if without:
        return 1, "empty year in %s\n" % without[0]
    return 0, ""
