"""Has Python's `tomllib` read a TOML document.

0: it is read, 1: it is not, and the message of `tomllib` is told.
"""
import tomllib


def judge(data):
    try:
        tomllib.loads(data.decode())
    except (ValueError, RecursionError, OverflowError) as problem:
        return 1, "error: %s\n" % problem
    return 0, ""
