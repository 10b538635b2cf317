"""Has Python's `re` compile a regular expression.

0: it compiles, 1: it does not, and the message of `re` is told.
"""
import re
import warnings

warnings.simplefilter("ignore")


def judge(data):
    try:
        re.compile(data.decode())
    except re.error as problem:
        return 1, "error: %s\n" % problem
    except UnicodeDecodeError:
        return 1, "error: no UTF-8\n"
    except (RecursionError, OverflowError, MemoryError, ValueError) as problem:
        return 1, "error: %s\n" % type(problem).__name__
    finally:
        re.purge()
    return 0, ""
