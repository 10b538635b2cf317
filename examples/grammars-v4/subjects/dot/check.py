"""Says whether a graph in the DOT language has an edge of the other kind: `->` where it is undirected, `--` where it is directed.

0: it has none, 1: it has one, 2: a syntax error.
"""
import sys

sys.setrecursionlimit(4000)
KEYWORDS = ("strict", "graph", "digraph", "node", "edge", "subgraph")
DIGITS = "0123456789"


class Wrong(Exception):
    pass


def letter(c):
    return c == "_" or c.isascii() and c.isalpha() or c >= "\x80"


def tokens(text):
    at, end = 0, len(text)
    while at < end:
        c = text[at]
        if c in " \t\r\n":
            at += 1
        elif text.startswith("//", at) or c == "#":
            while at < end and text[at] != "\n" and (c == "/" or text[at] != "\r"):
                at += 1
        elif text.startswith("/*", at):
            at = text.find("*/", at + 2) + 2
            if at < 2:
                raise Wrong("unclosed comment")
        elif text.startswith("->", at) or text.startswith("--", at):
            at += 2
            yield text[at - 2:at], ""
        elif c in "{}[]=;,:":
            at += 1
            yield c, ""
        elif letter(c):
            first = at
            while at < end and (letter(text[at]) or text[at] in DIGITS):
                at += 1
            word = text[first:at].lower()
            yield (word if word in KEYWORDS else "id"), ""
        elif c in DIGITS + "-.":
            first = at
            if c == "-":
                at += 1
            digits = 0
            while at < end and text[at] in DIGITS:
                at += 1
                digits += 1
            if text[at:at + 1] == ".":
                at += 1
                while at < end and text[at] in DIGITS:
                    at += 1
                    digits += 1
            if not digits:
                raise Wrong("unexpected character")
            yield "id", ""
        elif c == '"':
            at += 1
            while text[at:at + 1] != '"':
                if at >= end:
                    raise Wrong("unclosed string")
                at += 2 if text[at] == "\\" else 1
            at += 1
            yield "id", ""
        elif c == "<":
            depth = 0
            while True:
                if at >= end:
                    raise Wrong("unclosed string")
                depth += {"<": 1, ">": -1}.get(text[at], 0)
                at += 1
                if depth == 0:
                    break
            yield "id", ""
        else:
            raise Wrong("unexpected character")
    yield "end", ""


class Parser:
    def __init__(self, text):
        self.tokens = [kind for kind, _ in tokens(text)]
        self.at = 0
        self.edges = set()

    def sees(self, *kinds):
        return self.tokens[self.at] in kinds

    def takes(self, *kinds):
        if self.sees(*kinds):
            self.at += 1
            return True
        return False

    def expect(self, *kinds):
        if not self.takes(*kinds):
            raise Wrong("expected " + kinds[0])

    def graph(self):
        self.takes("strict")
        directed = self.sees("digraph")
        self.expect("graph", "digraph")
        self.takes("id")
        self.statements()
        self.expect("end")
        return directed

    def statements(self):
        self.expect("{")
        while not self.takes("}"):
            self.statement()
            self.takes(";")

    def statement(self):
        if self.takes("graph", "node", "edge"):
            if not self.sees("["):
                raise Wrong("expected [")
            self.attributes()
            return
        if self.sees("id") and self.tokens[self.at + 1] == "=":
            self.at += 2
            self.expect("id")
            return
        node = self.end()
        edges = False
        while self.sees("->", "--"):
            self.edges.add(self.tokens[self.at])
            self.at += 1
            self.end()
            edges = True
        if node or edges:
            self.attributes()

    def end(self):
        """A node or a subgraph."""
        if self.takes("id"):
            if self.takes(":"):
                self.expect("id")
                if self.takes(":"):
                    self.expect("id")
            return True
        if self.takes("subgraph"):
            self.takes("id")
        self.statements()
        return False

    def attributes(self):
        while self.takes("["):
            while not self.takes("]"):
                self.expect("id")
                if self.takes("="):
                    self.expect("id")
                self.takes(";", ",")


def judge(data):
    try:
        parser = Parser(data.decode())
        directed = parser.graph()
    except UnicodeDecodeError:
        return 2, "syntax error: no UTF-8\n"
    except RecursionError:
        return 2, "syntax error: too deep\n"
    except Wrong as problem:
        return 2, "syntax error: %s\n" % problem
    if directed and "--" in parser.edges:
        return 1, "wrong edge: -- in a directed graph\n"
    if not directed and "->" in parser.edges:
        return 1, "wrong edge: -> in an undirected graph\n"
    return 0, ""
