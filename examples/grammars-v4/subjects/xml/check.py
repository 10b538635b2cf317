"""Has expat read an XML document.

0: it is read, 1: it is not, and the message of expat is told.
"""

import pyexpat


def judge(data):
    try:
        pyexpat.ParserCreate().Parse(data, True)
    except pyexpat.ExpatError as problem:
        return 1, "error: %s\n" % problem
    except ValueError as problem:
        return 1, "error: %s\n" % type(problem).__name__
    return 0, ""
