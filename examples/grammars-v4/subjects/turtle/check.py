"""Says whether a name in a Turtle document (RDF 1.1 Turtle) has a prefix that is not declared before it, by `@prefix` or PREFIX.

0: none has, 1: one has, 2: a syntax error. IRIs are not resolved. A long string in single quotes may also be one of the grammar that is used here, where a
`'` needs no other character behind it and a backslash need not escape.
"""
import re

LETTER = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd"
    "\U00010000-\U000effff"
)
INNER = LETTER + "_0-9\u00b7\u0300-\u036f\u203f\u2040-"
PREFIX = "[%s](?:[.%s]*[%s])?" % (LETTER, INNER, INNER)
ESCAPED = r"%[0-9A-Fa-f]{2}|\\[_~.!$&'()*+,;=/?#@%-]"
LOCAL = "(?:[%s_:0-9]|%s)(?:(?:[.:%s]|%s)*(?:[:%s]|%s))?" % (LETTER, ESCAPED, INNER, ESCAPED, INNER, ESCAPED)
NUMBERED = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"
ESCAPE = NUMBERED + r"""|\\[tbnrf"'\\]"""

# Of several that match, the longest is meant.
TOKENS = [(kind, re.compile(form)) for kind, form in (
    ("space", r"(?:[ \t\r\n\f]|#[^\r\n]*)+"),
    ("iri", r'<(?:[^\x00-\x20<>"{}|^`\\]|%s)*>' % NUMBERED),
    ("name", "(?:%s)?:(?:%s)?" % (PREFIX, LOCAL)),
    ("word", PREFIX),
    ("blank", r"_:[%s_0-9](?:[.%s]*[%s])?|\[[ \t\r\n]*\]" % (LETTER, INNER, INNER)),
    ("number", r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]+|[0-9]*\.[0-9]+|[0-9]+)"),
    ("string", r'"""(?:"{0,2}(?:[^"\\]|%s))*"""|"(?:[^"\\\r\n]|%s)*"' % (ESCAPE, ESCAPE)),
    ("string", r"'''(?:'{0,2}(?:[^'\\]|%s))*'''|'(?:[^'\\\r\n]|%s)*'" % (ESCAPE, ESCAPE)),
    ("string", r"""'''(?:[\^"'\\]|\\[tbnrf]|%s)*'''""" % NUMBERED),
    ("at", "@[a-zA-Z]+(?:-[a-zA-Z0-9]+)*"),
    ("mark", r"\^\^|[].,;()[]"),
)]


class Wrong(Exception):
    pass


def tokens(text):
    """The kind of each token, the token, and where it begins."""
    at = 0
    while at < len(text):
        kind, end = "", at
        for other, form in TOKENS:
            found = form.match(text, at)
            if found and found.end() > end:
                kind, end = other, found.end()
        if not kind:
            raise Wrong("unexpected character at %d" % at)
        if kind != "space":
            yield kind, text[at:end], at
        at = end
    yield "end", "", at


class Document:
    def __init__(self, text):
        self.tokens, self.next = list(tokens(text)), 0
        self.declared, self.missing = set(), []

    def ahead(self, *wanted):
        """Whether the next token is one of these: a mark, a word, or any of a kind."""
        kind, token, _ = self.tokens[self.next]
        return kind in wanted or kind in ("mark", "word", "at") and token in wanted

    def take(self, *wanted):
        _, token, at = self.tokens[self.next]
        if not self.ahead(*wanted):
            raise Wrong("expected %s at %d" % (" or ".join(wanted), at))
        self.next += 1
        return token

    def skip(self, mark):
        if self.ahead(mark):
            self.next += 1
            return True
        return False

    def keyword(self, wanted):
        """SPARQL's words may be written in any case."""
        kind, token, _ = self.tokens[self.next]
        if kind == "word" and token.upper() == wanted:
            self.next += 1
            return True
        return False

    def iri(self):
        if self.ahead("name"):
            prefix = self.take("name").partition(":")[0]
            if prefix not in self.declared:
                self.missing.append(prefix)
        else:
            self.take("iri")

    def declaration(self):
        _, name, at = self.tokens[self.next]
        self.take("name")
        if name.index(":") < len(name) - 1:
            raise Wrong("expected a prefix at %d" % at)
        self.take("iri")
        self.declared.add(name[:-1])

    def statement(self):
        if self.skip("@prefix"):
            self.declaration()
            self.take(".")
        elif self.skip("@base"):
            self.take("iri")
            self.take(".")
        elif self.keyword("PREFIX"):
            self.declaration()
        elif self.keyword("BASE"):
            self.take("iri")
        else:
            self.triples()
            self.take(".")

    def triples(self):
        if self.ahead("["):
            self.properties()
            if self.ahead("."):
                return
        elif self.ahead("("):
            self.collection()
        elif not self.skip("blank"):
            self.iri()
        self.predicates()

    def predicates(self):
        self.predicate()
        while self.skip(";"):
            if not self.ahead(";", ".", "]"):
                self.predicate()

    def predicate(self):
        if not self.skip("a"):
            self.iri()
        self.object()
        while self.skip(","):
            self.object()

    def properties(self):
        self.take("[")
        self.predicates()
        self.take("]")

    def collection(self):
        self.take("(")
        while not self.skip(")"):
            self.object()

    def object(self):
        if self.ahead("["):
            self.properties()
        elif self.ahead("("):
            self.collection()
        elif self.skip("string"):
            if self.skip("^^"):
                self.iri()
            else:
                self.skip("at")
        elif self.ahead("iri", "name"):
            self.iri()
        else:
            self.take("blank", "number", "true", "false")

    def read(self):
        while not self.ahead("end"):
            self.statement()


def judge(data):
    try:
        document = Document(data.decode())
        document.read()
    except UnicodeDecodeError:
        return 2, "malformed: no UTF-8\n"
    except RecursionError:
        return 2, "malformed: too deep\n"
    except Wrong as problem:
        return 2, "malformed: %s\n" % problem
    if document.missing:
        return 1, "error: prefix not declared: %s:\n" % document.missing[0]
    return 0, ""
