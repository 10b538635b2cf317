"""Has Python's `tomllib` read a TOML document.

0: it is read, 1: it is not, and the message of `tomllib` is told.
"""
import sys
import tomllib


def judge(data):
    try:
        tomllib.loads(data.decode())
    except (ValueError, RecursionError, OverflowError) as problem:
        return 1, "error: %s\n" % problem
    return 0, ""


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        code, text = judge(file.read())
    sys.stderr.write(text)
    sys.exit(code)
