"""Says whether a style sheet has a declaration with `!important` within an @keyframes rule, where CSS ignores it.

0: it has none, 1: it has one, 2: the style sheet is malformed. The words are those of CSS Syntax Level 3, escapes
included. As PostCSS does, everything between braces is read as a list of at-rules, rules and declarations.
"""

HEX = "0123456789abcdefABCDEF"
SPACE = " \t\n\r\f"
KEYFRAMES = ("keyframes", "-webkit-keyframes", "-moz-keyframes", "-o-keyframes")


class Malformed(Exception):
    pass


def start(c):
    return c == "_" or c.isascii() and c.isalpha() or c >= "\x80"


def part(c):
    return start(c) or c == "-" or c in "0123456789" and c != ""


def words(text):
    """Pairs of a kind and a value: ident, at, function, hash, string, url, number, space, and single characters."""
    result = []
    at, end = 0, len(text)

    def escape(at):
        return text[at:at + 1] == "\\" and at + 1 < end and text[at + 1] not in "\n\r\f"

    def begins(at):
        """Whether a name begins here."""
        if text[at:at + 1] == "-":
            at += 1
            if text[at:at + 1] == "-":
                return True
        return at < end and start(text[at]) or escape(at)

    def unescape(at):
        at += 1
        if text[at] not in HEX:
            return text[at], at + 1
        digits = ""
        while at < end and len(digits) < 6 and text[at] in HEX:
            digits += text[at]
            at += 1
        if text[at:at + 2] == "\r\n":
            at += 2
        elif at < end and text[at] in SPACE:
            at += 1
        code = int(digits, 16)
        return "\ufffd" if code == 0 or code > 0x10ffff or 0xd800 <= code < 0xe000 else chr(code), at

    def name(at):
        value = ""
        while at < end:
            if part(text[at]):
                value += text[at]
                at += 1
            elif escape(at):
                c, at = unescape(at)
                value += c
            else:
                break
        return value, at

    while at < end:
        c = text[at]
        if text.startswith("/*", at):
            close = text.find("*/", at + 2)
            if close < 0:
                raise Malformed("unclosed comment")
            at = close + 2
        elif c in SPACE:
            while at < end and text[at] in SPACE:
                at += 1
            result.append(("space", ""))
        elif c in "\"'":
            at += 1
            while True:
                if at >= end or text[at] in "\n\r\f":
                    raise Malformed("unclosed string")
                if text[at] == c:
                    at += 1
                    break
                if text[at] == "\\":
                    at += 2 if text[at + 1:at + 3] != "\r\n" else 3
                else:
                    at += 1
            result.append(("string", ""))
        elif c in "0123456789" or c == "." and text[at + 1:at + 2].isdecimal() and text[at + 1].isascii():
            while at < end and text[at] in "0123456789":
                at += 1
            if at + 1 < end and text[at] == "." and text[at + 1] in "0123456789":
                at += 1
                while at < end and text[at] in "0123456789":
                    at += 1
            if text[at:at + 1] == "%":
                at += 1
            elif begins(at):
                _, at = name(at)
            result.append(("number", ""))
        elif text.startswith("<!--", at):
            at += 4
            result.append(("space", ""))
        elif text.startswith("-->", at):
            at += 3
            result.append(("space", ""))
        elif begins(at):
            value, at = name(at)
            if text[at:at + 1] != "(":
                result.append(("ident", value))
                continue
            at += 1
            if value.lower() == "url":
                ahead = at
                while ahead < end and text[ahead] in SPACE:
                    ahead += 1
                if text[ahead:ahead + 1] not in ("'", '"'):
                    at = ahead
                    while text[at:at + 1] != ")":
                        if at >= end or text[at] in "\"'(" or text[at] < " " and text[at] not in SPACE:
                            raise Malformed("bad url")
                        if text[at] in SPACE:
                            while at < end and text[at] in SPACE:
                                at += 1
                            if text[at:at + 1] != ")":
                                raise Malformed("bad url")
                        elif text[at] == "\\":
                            if not escape(at):
                                raise Malformed("bad url")
                            _, at = unescape(at)
                        else:
                            at += 1
                    at += 1
                    result.append(("url", ""))
                    continue
            result.append(("(", ""))
        elif c == "@" and begins(at + 1):
            value, at = name(at + 1)
            result.append(("at", value))
        elif c == "#" and at + 1 < end and (part(text[at + 1]) or escape(at + 1)):
            _, at = name(at + 1)
            result.append(("hash", ""))
        else:
            at += 1
            result.append((c, ""))
    return result


def important(statement):
    """Whether the words are a declaration that ends with `!important`."""
    statement = [word for word in statement if word[0] != "space"]
    if len(statement) < 4 or statement[-1][0] != "ident" or statement[-1][1].lower() != "important" or statement[-2][0] != "!":
        return False
    at = 1 if statement[0][0] == "*" else 0
    return statement[at][0] == "ident" and statement[at + 1][0] == ":"


def find(words):
    pairs = {"(": ")", "[": "]", "{": "}"}
    found = False
    open = []           # What closes each open bracket, and whether the brace is that of a keyframes rule.
    keyframes = 0       # How many of the open braces are.
    statement = []
    for word in words:
        kind = word[0]
        inside = bool(open) and open[-1][0] != "}"
        if kind in ("(", "[") or kind == "{" and inside:
            open.append((pairs[kind], False))
            statement.append(word)
        elif kind == "{":
            first = next((word for word in statement if word[0] != "space"), ("", ""))
            is_keyframes = first[0] == "at" and first[1].lower() in KEYFRAMES
            open.append(("}", is_keyframes))
            keyframes += is_keyframes
            statement = []
        elif kind in (")", "]", "}"):
            if not open or open[-1][0] != kind:
                raise Malformed("unexpected " + kind)
            if kind == "}" and not any(o[0] != "}" for o in open):
                found |= keyframes > 0 and important(statement)
                statement = []
                keyframes -= open[-1][1]
            else:
                statement.append(word)
            open.pop()
        elif kind == ";" and not inside:
            found |= keyframes > 0 and important(statement)
            statement = []
        else:
            statement.append(word)
    if open:
        raise Malformed("expected " + open[-1][0])
    return found


def judge(data):
    try:
        if find(words(data.decode())):
            return 1, "unexpected !important within @keyframes\n"
    except UnicodeDecodeError:
        return 2, "malformed: no UTF-8\n"
    except Malformed as problem:
        return 2, "malformed: %s\n" % problem
    return 0, ""
