"""Has cfn-lint look at a state machine in the Amazon States Language, with its rule E3601.

0: it finds nothing, 1: it finds something, which is told, 2: a syntax error.
"""
import json

from cfnlint.jsonschema import CfnTemplateValidator
from cfnlint.rules.resources.stepfunctions.StateMachineDefinition import StateMachineDefinition

rule, validator = StateMachineDefinition(), CfnTemplateValidator({})


def refuse(word):
    raise ValueError("unexpected %s" % word)


def judge(data):
    try:
        machine = json.loads(data.decode(), parse_constant=refuse)
        found = list(rule.validate(validator, None, {"Definition": machine}, {}))
    except ValueError as problem:
        return 2, "syntax error: %s\n" % problem
    except RecursionError:
        return 2, "syntax error: too deep\n"
    text = "".join("%s: %s\n" % ("/".join(map(str, problem.path)), problem.message) for problem in found)
    return (1 if found else 0), text
