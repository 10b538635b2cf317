"""Says whether an object of a JSON document has two equal keys: json.loads of Python, asked for the pairs.

0: none has, 1: one has, 2: a syntax error.
"""
import json


def judge(data):
    repeated = []

    def pairs(pairs):
        result = {}
        for key, value in pairs:
            if key in result:
                repeated.append(key)
            result[key] = value
        return result

    try:
        json.loads(data.decode(), object_pairs_hook=pairs)
    except ValueError as problem:
        return 2, "syntax error: %s\n" % problem
    except RecursionError:
        return 2, "syntax error: too deep\n"
    if repeated:
        return 1, "duplicate key %s\n" % json.dumps(repeated[0])
    return 0, ""
