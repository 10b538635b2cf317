"""Has Python's urllib split a URL and read its port.

0: the port is read, or there is none, 1: it is not, and the message of urllib is told.
"""
import urllib.parse


def judge(data):
    try:
        urllib.parse.urlsplit(data.decode()).port
    except ValueError as problem:
        return 1, "error: %s\n" % problem
    return 0, ""
