"""Says whether a field or directive of a GraphQL document has two arguments of one name.

0: none has, 1: one has, 2: a syntax error. The syntax is that of the specification of October 2021.
"""
import sys

sys.setrecursionlimit(4000)
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
DIGITS = "0123456789"
LOCATIONS = """QUERY MUTATION SUBSCRIPTION FIELD FRAGMENT_DEFINITION FRAGMENT_SPREAD INLINE_FRAGMENT VARIABLE_DEFINITION
SCHEMA SCALAR OBJECT FIELD_DEFINITION ARGUMENT_DEFINITION INTERFACE UNION ENUM ENUM_VALUE INPUT_OBJECT
INPUT_FIELD_DEFINITION""".split()


class Wrong(Exception):
    pass


def tokens(text):
    at, end = 0, len(text)
    if text[:1] == "\ufeff":
        at = 1
    while at < end:
        c = text[at]
        if c in " \t\r\n,":
            at += 1
        elif c == "#":
            while at < end and text[at] not in "\r\n":
                at += 1
        elif c in LETTERS:
            first = at
            while at < end and text[at] in LETTERS + DIGITS:
                at += 1
            yield "name", text[first:at]
        elif c in "!$&()[]{}:=@|":
            at += 1
            yield c, c
        elif text.startswith("...", at):
            at += 3
            yield "...", "..."
        elif text.startswith('"""', at):
            at += 3
            while not text.startswith('"""', at):
                if at >= end:
                    raise Wrong("unterminated block string")
                at += 4 if text.startswith('\\"""', at) else 1
            at += 3
            yield "string", ""
        elif c == '"':
            at += 1
            while text[at:at + 1] != '"':
                if at >= end or text[at] in "\r\n":
                    raise Wrong("unterminated string")
                if text[at] != "\\":
                    at += 1
                elif text[at + 1:at + 2] == "u":
                    if len(text) < at + 6 or any(h not in "0123456789abcdefABCDEF" for h in text[at + 2:at + 6]):
                        raise Wrong("invalid escape")
                    at += 6
                elif text[at + 1:at + 2] and text[at + 1] in '"\\/bfnrt':
                    at += 2
                else:
                    raise Wrong("invalid escape")
            at += 1
            yield "string", ""
        elif c == "-" or c in DIGITS:
            if c == "-":
                at += 1
            first = at
            while at < end and text[at] in DIGITS:
                at += 1
            if at == first or at > first + 1 and text[first] == "0":
                raise Wrong("invalid number")
            if text[at:at + 1] == ".":
                at += 1
                first = at
                while at < end and text[at] in DIGITS:
                    at += 1
                if at == first:
                    raise Wrong("invalid number")
            if text[at:at + 1] in ("e", "E"):
                at += 1
                if text[at:at + 1] in ("+", "-"):
                    at += 1
                first = at
                while at < end and text[at] in DIGITS:
                    at += 1
                if at == first:
                    raise Wrong("invalid number")
            if at < end and text[at] in LETTERS + ".":
                raise Wrong("invalid number")
            yield "number", ""
        else:
            raise Wrong("unexpected character")
    yield "end", ""


class Parser:
    def __init__(self, text):
        self.tokens = list(tokens(text))
        self.at = 0
        self.repeated = []

    def next(self):
        token = self.tokens[self.at]
        self.at += 1
        if token[0] == "end":
            raise Wrong("unexpected end")
        return token

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

    def name(self):
        return self.expect("name")

    def many(self, open, element, close):
        self.expect(open)
        element()
        while not self.takes(close):
            element()

    def optional(self, open, element, close):
        if self.sees(open):
            self.many(open, element, close)
            return True
        return False

    def document(self):
        self.definition()
        while not self.sees("end"):
            self.definition()

    def definition(self):
        if self.sees("{"):
            return self.selections()
        described = self.takes("string")
        word = self.name()
        if word == "extend" and not described:
            return self.type_system(self.name(), True)
        if word in ("query", "mutation", "subscription") and not described:
            if self.sees("name"):
                self.name()
            self.optional("(", self.variable_definition, ")")
            self.directives(False)
            self.selections()
        elif word == "fragment" and not described:
            if self.name() == "on":
                raise Wrong("unexpected on")
            self.expect("name", "on")
            self.name()
            self.directives(False)
            self.selections()
        else:
            self.type_system(word, False)

    def variable_definition(self):
        self.expect("$")
        self.name()
        self.expect(":")
        self.type()
        if self.takes("="):
            self.value(True)
        self.directives(True)

    def type(self):
        if self.takes("["):
            self.type()
            self.expect("]")
        else:
            self.name()
        self.takes("!")

    def selections(self):
        self.many("{", self.selection, "}")

    def selection(self):
        if self.takes("..."):
            if self.sees("name") and not self.sees("name", "on"):
                self.name()
                self.directives(False)
                return
            if self.takes("name", "on"):
                self.name()
            self.directives(False)
            self.selections()
            return
        self.name()
        if self.takes(":"):
            self.name()
        self.arguments(False)
        self.directives(False)
        if self.sees("{"):
            self.selections()

    def arguments(self, constant):
        names = set()

        def argument():
            name = self.name()
            if name in names:
                self.repeated.append(name)
            names.add(name)
            self.expect(":")
            self.value(constant)
        self.optional("(", argument, ")")

    def directives(self, constant):
        some = False
        while self.takes("@"):
            self.name()
            self.arguments(constant)
            some = True
        return some

    def value(self, constant):
        if self.takes("["):
            while not self.takes("]"):
                self.value(constant)
        elif self.takes("{"):
            while not self.takes("}"):
                self.name()
                self.expect(":")
                self.value(constant)
        elif self.takes("$"):
            if constant:
                raise Wrong("unexpected variable")
            self.name()
        elif not (self.takes("name") or self.takes("number") or self.takes("string")):
            raise Wrong("expected a value")

    def type_system(self, word, extends):
        if word == "schema":
            def operation():
                if self.name() not in ("query", "mutation", "subscription"):
                    raise Wrong("expected an operation")
                self.expect(":")
                self.name()
            some = self.directives(True)
            if extends:
                some |= self.optional("{", operation, "}")
            else:
                self.many("{", operation, "}")
                some = True
        elif word == "scalar":
            self.name()
            some = self.directives(True)
        elif word in ("type", "interface"):
            self.name()
            some = self.implements()
            some |= self.directives(True)
            some |= self.optional("{", self.field_definition, "}")
        elif word == "union":
            self.name()
            some = self.directives(True)
            if self.takes("="):
                some = True
                self.takes("|")
                self.name()
                while self.takes("|"):
                    self.name()
        elif word == "enum":
            self.name()
            some = self.directives(True)
            some |= self.optional("{", self.enum_value, "}")
        elif word == "input":
            self.name()
            some = self.directives(True)
            some |= self.optional("{", self.input_value, "}")
        elif word == "directive" and not extends:
            self.expect("@")
            self.name()
            self.optional("(", self.input_value, ")")
            self.takes("name", "repeatable")
            self.expect("name", "on")
            self.takes("|")
            some = True
            while True:
                if self.name() not in LOCATIONS:
                    raise Wrong("unknown location")
                if not self.takes("|"):
                    break
        else:
            raise Wrong("unexpected " + word)
        if extends and not some:
            raise Wrong("an extension of nothing")

    def implements(self):
        if not self.takes("name", "implements"):
            return False
        self.takes("&")
        self.name()
        while self.takes("&"):
            self.name()
        return True

    def field_definition(self):
        self.takes("string")
        self.name()
        self.optional("(", self.input_value, ")")
        self.expect(":")
        self.type()
        self.directives(True)

    def input_value(self):
        self.takes("string")
        self.name()
        self.expect(":")
        self.type()
        if self.takes("="):
            self.value(True)
        self.directives(True)

    def enum_value(self):
        self.takes("string")
        if self.name() in ("true", "false", "null"):
            raise Wrong("a reserved name")
        self.directives(True)


def judge(data):
    try:
        parser = Parser(data.decode())
        parser.document()
    except UnicodeDecodeError:
        return 2, "syntax error: no UTF-8\n"
    except RecursionError:
        return 2, "syntax error: too deep\n"
    except Wrong as problem:
        return 2, "syntax error: %s\n" % problem
    if parser.repeated:
        return 1, "there can be only one argument named \"%s\"\n" % parser.repeated[0]
    return 0, ""
