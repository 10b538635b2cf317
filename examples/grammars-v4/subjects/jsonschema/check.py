"""Has jsonschema check a schema of draft 2020-12: each value of it, against the schema of schemas.

0: there is nothing wrong, 1: something is, which is told, 2: a syntax error.
"""
import json

from jsonschema import Draft202012Validator

schemas = Draft202012Validator(Draft202012Validator.META_SCHEMA)


def told(problem):
    rule = "/".join(str(part) for part in list(problem.schema_path)[-2:])
    return "error: %s: %s (%s)\n" % (problem.json_path, problem.message, rule)


def judge(data):
    try:
        schema = json.loads(data.decode())
        found = {told(one) for one in schemas.iter_errors(schema)}
    except ValueError as problem:
        return 2, "syntax error: %s\n" % problem
    except RecursionError:
        return 2, "syntax error: too deep\n"
    return (1, "".join(sorted(found))) if found else (0, "")
