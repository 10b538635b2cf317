"""Has networkx read a graph in GML.

0: it is read, 1: it is not, and the message of networkx is told.
"""

import networkx


def judge(data):
    try:
        networkx.parse_gml(data.decode("ascii"))
    except networkx.NetworkXError as problem:
        return 1, "error: %s\n" % problem
    except RecursionError:
        return 1, "error: too deep\n"
    except Exception as problem:
        return 1, "error: %s\n" % type(problem).__name__
    return 0, ""
