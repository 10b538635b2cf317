"""Has shapely, with GEOS, read a geometry.

0: it is read, 1: it is not, and what GEOS says is told.
"""
import shapely


def judge(data):
    try:
        shapely.from_wkt(data.decode())
    except (shapely.errors.ShapelyError, NotImplementedError, ValueError) as problem:
        return 1, "error: %s\n" % problem
    return 0, ""
