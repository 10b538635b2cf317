"""Says whether a script in SMT-LIB 2.6 asks for what belongs to an answer, as get-model does, when nothing has been checked since the last change: since
the beginning, or since a command that asserts, declares, defines, pushes or pops. Commands behind `exit` are never met.

0: it does not, 1: it does, 2: a syntax error, an unknown command, or more levels popped than there are. Terms are read and not understood.
"""
import re

WORDS = re.compile(r"""(?P<space>(?:[ \t\r\n]|;[^\n]*)+)|(?P<mark>[()])|(?P<string>"(?:""|[^"])*")|(?P<quoted>\|[^|\\]*\|)
    |(?P<word>:?[-\w+=/*%?!$~&^<>@.]+|\#x[0-9a-fA-F]+|\#b[01]+)""", re.ASCII | re.VERBOSE)

CHECKS = {"check-sat": 0, "check-sat-assuming": 1}
QUESTIONS = {"get-model": 0, "get-value": 1, "get-assignment": 0, "get-proof": 0, "get-unsat-core": 0, "get-unsat-assumptions": 0}
CHANGES = {
    "assert": 1, "declare-const": 2, "declare-datatype": 2, "declare-datatypes": 2, "declare-fun": 3, "declare-sort": 2, "define-fun": 4,
    "define-fun-rec": 4, "define-funs-rec": 2, "define-sort": 3, "push": 1, "pop": 1, "reset": 0, "reset-assertions": 0,
}
OTHERS = {"echo": 1, "exit": 0, "get-assertions": 0, "get-info": 1, "get-option": 1, "set-info": 2, "set-logic": 1, "set-option": 2}
COMMANDS = {**CHECKS, **QUESTIONS, **CHANGES, **OTHERS}


class Wrong(Exception):
    pass


def lists(text):
    """The expressions of a script: words, and lists of expressions."""
    at, open_lists = 0, [[]]
    while at < len(text):
        found = WORDS.match(text, at)
        if not found:
            raise Wrong("unexpected character at %d" % at)
        at, word = found.end(), found.group()
        if word == "(":
            open_lists.append([])
        elif word == ")":
            if len(open_lists) == 1:
                raise Wrong("unexpected ) at %d" % at)
            inner = open_lists.pop()
            open_lists[-1].append(inner)
        elif found.lastgroup != "space":
            open_lists[-1].append(word)
    if len(open_lists) > 1:
        raise Wrong("%d lists have no end" % (len(open_lists) - 1))
    return open_lists[0]


def first_question(commands):
    """The first question that nothing answers."""
    checked, levels, found = False, 0, None
    for command in commands:
        if not isinstance(command, list) or not command or not isinstance(command[0], str):
            raise Wrong("expected a command, not %s" % str(command)[:40])
        name, given = command[0], len(command) - 1
        if name not in COMMANDS:
            raise Wrong("unknown command %s" % name)
        if given != COMMANDS[name] and not (name == "set-info" and given == 1):
            raise Wrong("%s is given %d arguments" % (name, given))
        if name in ("push", "pop"):
            if not isinstance(command[1], str) or not re.fullmatch(r"0|[1-9]\d{0,8}", command[1], re.ASCII):
                raise Wrong("%s is not given a number" % name)
            levels += int(command[1]) if name == "push" else -int(command[1])
            if levels < 0:
                raise Wrong("more levels are popped than there are")
        if name == "reset":
            levels = 0
        if name == "exit":
            break
        if name in CHECKS:
            checked = True
        elif name in CHANGES:
            checked = False
        elif name in QUESTIONS and not checked:
            found = found or name
    return found


def judge(data):
    try:
        question = first_question(lists(data.decode()))
    except UnicodeDecodeError:
        return 2, "malformed: no UTF-8\n"
    except Wrong as problem:
        return 2, "malformed: %s\n" % problem
    if question:
        return 1, "nothing is checked before %s\n" % question
    return 0, ""
