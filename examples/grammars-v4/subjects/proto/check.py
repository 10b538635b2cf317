"""Says whether an enum of a proto3 file has two equal numbers and no `option allow_alias = true`.

0: none has, 1: one has, 2: a syntax error. Numbers are compared as numbers, and a word such as `option` or
`reserved` that begins a statement is that of the statement, as protoc has it.
"""
import sys

sys.setrecursionlimit(4000)
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
DIGITS = "0123456789"
KEYS = """int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64 bool string""".split()


class Wrong(Exception):
    pass


def tokens(text):
    at, end = 0, len(text)
    while at < end:
        c = text[at]
        if c in " \t\r\n\f\v":
            at += 1
        elif text.startswith("//", at):
            while at < end and text[at] != "\n":
                at += 1
        elif text.startswith("/*", at):
            at = text.find("*/", at + 2) + 2
            if at < 2:
                raise Wrong("unclosed comment")
        elif c in LETTERS:
            first = at
            while at < end and text[at] in LETTERS + DIGITS:
                at += 1
            yield "name", text[first:at]
        elif c in DIGITS or c == "." and text[at + 1:at + 2] in tuple(DIGITS):
            first = at
            while at < end and (text[at] in LETTERS + DIGITS + "." or text[at] in "+-" and text[at - 1] in "eE" and text[first:first + 2] not in ("0x", "0X")):
                at += 1
            yield number(text[first:at])
        elif c in "'\"":
            first = at
            at += 1
            while text[at:at + 1] != c:
                if at >= end or text[at] in "\n\0":
                    raise Wrong("unclosed string")
                at += 2 if text[at] == "\\" else 1
            at += 1
            yield "string", text[first + 1:at - 1]
        elif c in ";=()[]{}<>.,:+-":
            at += 1
            yield c, c
        else:
            raise Wrong("unexpected character")
    yield "end", ""


def number(text):
    if text[:2] in ("0x", "0X"):
        if len(text) > 2 and all(c in "0123456789abcdefABCDEF" for c in text[2:]):
            return "int", int(text[2:], 16)
    elif all(c in DIGITS for c in text):
        if text[0] != "0":
            return "int", int(text) if len(text) < 4000 else -1
        if all(c in "01234567" for c in text):
            return "int", int(text, 8)
    else:
        base, _, exponent = text.replace("E", "e").partition("e")
        whole, _, part = base.partition(".")
        if exponent[:1] in ("+", "-"):
            exponent = exponent[1:]
            if not exponent:
                raise Wrong("a wrong number")
        if all(c in DIGITS for c in whole + part + exponent) and (exponent or "e" not in text.lower()):
            return "float", text
    raise Wrong("a wrong number")


class Parser:
    def __init__(self, text):
        self.tokens = list(tokens(text))
        self.at = 0
        self.repeated = []

    def sees(self, kind, value=None):
        token = self.tokens[self.at]
        return token[0] == kind and (value is None or token[1] == value)

    def takes(self, kind, value=None):
        if self.sees(kind, value):
            self.at += 1
            return True
        return False

    def expect(self, kind, value=None):
        if not self.sees(kind, value):
            raise Wrong("expected %s" % (value or kind))
        self.at += 1
        return self.tokens[self.at - 1][1]

    def file(self):
        self.expect("name", "syntax")
        self.expect("=")
        self.expect("string", "proto3")
        self.expect(";")
        while not self.sees("end"):
            if self.takes(";"):
                continue
            word = self.expect("name")
            if word == "import":
                if not self.takes("name", "weak"):
                    self.takes("name", "public")
                self.expect("string")
                self.expect(";")
            elif word == "package":
                self.full_name()
                self.expect(";")
            elif word == "option":
                self.option()
            elif word == "message":
                self.message()
            elif word == "enum":
                self.enum()
            elif word == "extend":
                self.extend()
            elif word == "service":
                self.service()
            else:
                raise Wrong("unexpected " + word)

    def full_name(self):
        name = self.expect("name")
        while self.takes("."):
            name += "." + self.expect("name")
        return name

    def option_name(self):
        if self.takes("("):
            self.takes(".")
            name = "(" + self.full_name() + ")"
            self.expect(")")
            if self.takes("."):
                name += "." + self.full_name()
            return name
        return self.full_name()

    def assignment(self):
        name = self.option_name()
        self.expect("=")
        return name, self.constant()

    def option(self):
        result = self.assignment()
        self.expect(";")
        return result

    def constant(self):
        if self.takes("{"):
            while not self.takes("}"):
                self.expect("name")
                self.expect(":")
                self.constant()
                if not self.takes(","):
                    self.takes(";")
            return None
        if self.takes("string"):
            while self.takes("string"):
                pass
            return None
        if self.takes("-") or self.takes("+"):
            if not (self.takes("int") or self.takes("float") or self.takes("name", "inf") or self.takes("name", "nan")):
                raise Wrong("expected a number")
            return None
        if self.takes("int") or self.takes("float"):
            return None
        return self.full_name()

    def options(self):
        if self.takes("["):
            self.assignment()
            while self.takes(","):
                self.assignment()
            self.expect("]")

    def type(self):
        self.takes(".")
        self.full_name()

    def field(self, labels):
        if labels and self.sees("name"):
            ahead = self.tokens[self.at + 1]
            if (self.sees("name", "optional") or self.sees("name", "repeated")) and ahead[0] in ("name", "."):
                # `optional a = 1;` has a type of that name, `optional a b = 1;` a label.
                if ahead[0] == "." or self.tokens[self.at + 2][0] != "=":
                    self.at += 1
        self.type()
        self.expect("name")
        self.number()

    def number(self):
        self.expect("=")
        self.expect("int")
        self.options()
        self.expect(";")

    def reserved(self, signed):
        if self.takes("string"):
            while self.takes(","):
                self.expect("string")
        else:
            while True:
                self.sign(signed)
                self.expect("int")
                if self.takes("name", "to") and not self.takes("name", "max"):
                    self.sign(signed)
                    self.expect("int")
                if not self.takes(","):
                    break
        self.expect(";")

    def sign(self, signed):
        if signed:
            self.takes("-")

    def message(self):
        self.expect("name")
        self.expect("{")
        while not self.takes("}"):
            if self.takes(";"):
                continue
            if self.sees("name", "map") and self.tokens[self.at + 1][0] == "<":
                self.at += 2
                if self.expect("name") not in KEYS:
                    raise Wrong("expected the type of a key")
                self.expect(",")
                self.type()
                self.expect(">")
                self.expect("name")
                self.number()
            elif self.takes("name", "message"):
                self.message()
            elif self.takes("name", "enum"):
                self.enum()
            elif self.takes("name", "extend"):
                self.extend()
            elif self.takes("name", "option"):
                self.option()
            elif self.takes("name", "oneof"):
                self.expect("name")
                self.expect("{")
                while not self.takes("}"):
                    if self.takes("name", "option"):
                        self.option()
                    elif not self.takes(";"):
                        self.field(False)
            elif self.takes("name", "reserved"):
                self.reserved(False)
            else:
                self.field(True)

    def extend(self):
        self.type()
        self.expect("{")
        while not self.takes("}"):
            if not self.takes(";"):
                self.field(True)

    def enum(self):
        self.expect("name")
        self.expect("{")
        numbers, alias, repeated = set(), False, []
        while not self.takes("}"):
            if self.takes(";"):
                continue
            if self.takes("name", "option"):
                alias |= self.option() == ("allow_alias", "true")
            elif self.takes("name", "reserved"):
                self.reserved(True)
            else:
                name = self.expect("name")
                self.expect("=")
                minus = self.takes("-")
                value = self.expect("int")
                value = -value if minus else value
                self.options()
                self.expect(";")
                if value in numbers:
                    repeated.append(name)
                numbers.add(value)
        if not alias:
            self.repeated += repeated

    def service(self):
        self.expect("name")
        self.expect("{")
        while not self.takes("}"):
            if self.takes(";"):
                continue
            if self.takes("name", "option"):
                self.option()
                continue
            self.expect("name", "rpc")
            self.expect("name")
            self.of_rpc()
            self.expect("name", "returns")
            self.of_rpc()
            if self.takes("{"):
                while not self.takes("}"):
                    if not self.takes(";"):
                        self.expect("name", "option")
                        self.option()
            else:
                self.expect(";")

    def of_rpc(self):
        self.expect("(")
        if self.sees("name", "stream") and self.tokens[self.at + 1][0] == "name":
            self.at += 1
        elif self.sees("name", "stream") and self.tokens[self.at + 1][0] == ".":
            # `stream .a` and `stream.a` are the same words; either way a type follows.
            self.at += 1
        self.type()
        self.expect(")")


def judge(data):
    try:
        parser = Parser(data.decode())
        parser.file()
    except UnicodeDecodeError:
        return 2, "syntax error: no UTF-8\n"
    except RecursionError:
        return 2, "syntax error: too deep\n"
    except Wrong as problem:
        return 2, "syntax error: %s\n" % problem
    if parser.repeated:
        return 1, "\"%s\" uses the same enum value as another, without allow_alias\n" % parser.repeated[0]
    return 0, ""
