"""Says whether a Sieve script (RFC 5228) uses a command or a test of an extension that it does not require.

0: it does not, 1: it does, 2: the script is wrong otherwise: by a syntax error, a command or test that is not known here or has other arguments, or a
`require` behind other commands or of what is not known here.
"""
import re

WORDS = re.compile(r"""(?P<space>(?:\s|\#[^\n]*|/\*[\s\S]*?\*/)+)
    |(?P<multiline>text:[ \t]*(?:\#[^\n]*)?\r?\n(?:[^\n]*\n)*?\.\r?\n)|(?P<string>"(?:\\[\s\S]|[^"\\])*")
    |(?P<number>\d+[KMG]?(?!\w))|(?P<tag>:[a-z_]\w*)|(?P<name>[a-z_]\w*)|(?P<mark>[][(){},;])""", re.ASCII | re.IGNORECASE | re.VERBOSE)

# Each with its extension, its arguments (a string, a list of strings or one string, a number) and what else follows: a test, tests or a block.
COMMANDS = {
    "require": ("", "l"), "stop": ("", ""), "keep": ("", ""), "discard": ("", ""), "redirect": ("", "s"), "fileinto": ("fileinto", "s"),
    "reject": ("reject", "s"), "ereject": ("ereject", "s"), "vacation": ("vacation", "s"), "setflag": ("imap4flags", "l"), "addflag": ("imap4flags", "l"),
    "removeflag": ("imap4flags", "l"), "notify": ("enotify", "s"), "set": ("variables", "ss"), "addheader": ("editheader", "ss"),
    "deleteheader": ("editheader", "s"), "if": ("", "tb"), "elsif": ("", "tb"), "else": ("", "b"),
}
TESTS = {
    "true": ("", ""), "false": ("", ""), "not": ("", "t"), "allof": ("", "m"), "anyof": ("", "m"), "size": ("", "n"), "exists": ("", "l"),
    "header": ("", "ll"), "address": ("", "ll"), "envelope": ("envelope", "ll"), "body": ("body", "l"), "string": ("variables", "ll"),
    "hasflag": ("imap4flags", "l"), "currentdate": ("date", "sl"), "date": ("date", "ssl"),
}
EXTENSIONS = {extension for extension, _ in (*COMMANDS.values(), *TESTS.values()) if extension} | {"copy", "regex", "relational", "subaddress"}
# What these tags are given.
TAGS = {
    ":comparator": "s", ":days": "n", ":subject": "s", ":from": "s", ":addresses": "l", ":handle": "s", ":zone": "s", ":value": "s", ":count": "s",
    ":content": "l", ":message": "s", ":index": "n",
}


class Wrong(Exception):
    pass


def words(text):
    result, at = [], 0
    while at < len(text):
        found = WORDS.match(text, at)
        if not found:
            raise Wrong("unexpected character at %d" % at)
        if found.lastgroup != "space":
            result.append((found.lastgroup, found.group()))
        at = found.end()
    return result


class Reader:
    def __init__(self, words):
        self.words, self.at = words, 0
        self.required, self.missing = set(), []
        self.begun = False

    def ahead(self):
        return self.words[self.at] if self.at < len(self.words) else ("", "")

    def take(self, *marks):
        word = self.ahead()[1]
        if word not in marks:
            raise Wrong("expected %s before %r, word %d" % (" or ".join(marks), word, self.at))
        self.at += 1
        return word

    def string(self):
        kind, word = self.ahead()
        if kind not in ("string", "multiline"):
            raise Wrong("expected a string before %r, word %d" % (word, self.at))
        self.at += 1
        return word[1:-1] if kind == "string" else word

    def value(self, kind):
        """What is given to a command, a test or a tag."""
        if kind == "n":
            if self.ahead()[0] != "number":
                raise Wrong("expected a number before %r, word %d" % (self.ahead()[1], self.at))
            self.at += 1
            return []
        if kind == "s" or self.ahead()[1] != "[":
            return [self.string()]
        self.take("[")
        result = [self.string()]
        while self.take(",", "]") == ",":
            result.append(self.string())
        return result

    def tags(self):
        while self.ahead()[0] == "tag":
            tag = self.ahead()[1].lower()
            self.at += 1
            if tag in TAGS:
                self.value(TAGS[tag])

    def named(self, table, what):
        """A command up to its end, or a test."""
        kind, word = self.ahead()
        name = word.lower()
        if kind != "name" or name not in table:
            raise Wrong("unknown %s %r, word %d" % (what, word, self.at))
        self.at += 1
        extension, form = table[name]
        if extension and extension not in self.required:
            self.missing.append("%s needs %s" % (name, extension))
        given = []
        for kind in form:
            self.tags()
            if kind == "t":
                self.named(TESTS, "test")
            elif kind == "m":
                self.take("(")
                self.named(TESTS, "test")
                while self.take(",", ")") == ",":
                    self.named(TESTS, "test")
            elif kind == "b":
                self.take("{")
                self.commands()
                self.take("}")
            else:
                given.append(self.value(kind))
        self.tags()
        return name, given

    def commands(self):
        before = ""
        while self.ahead()[1] not in ("", "}"):
            name, given = self.named(COMMANDS, "command")
            if COMMANDS[name][1][-1:] != "b":
                self.take(";")
            if name in ("elsif", "else") and before not in ("if", "elsif"):
                raise Wrong("%s without if, word %d" % (name, self.at))
            if name == "require":
                if self.begun:
                    raise Wrong("require behind other commands, word %d" % self.at)
                unknown = set(given[0]) - EXTENSIONS
                if unknown:
                    raise Wrong("unknown extension %s" % min(unknown))
                self.required.update(given[0])
            else:
                self.begun = True
            before = name


def judge(data):
    try:
        reader = Reader(words(data.decode()))
        reader.commands()
        if reader.ahead()[1]:
            raise Wrong("unexpected }, word %d" % reader.at)
    except UnicodeDecodeError:
        return 2, "malformed: no UTF-8\n"
    except RecursionError:
        return 2, "malformed: too deep\n"
    except Wrong as problem:
        return 2, "malformed: %s\n" % problem
    if reader.missing:
        return 1, "not required: %s\n" % reader.missing[0]
    return 0, ""
