"""Writes headers.jsonl: what numpy.save writes at the start of files, for hundreds of dtypes and shapes.

    python3 headers.py > headers.jsonl

A line is [canon, fortran_order, shape, version, text, length]: the dtype as judge.py writes it, and the text of the
header without the spaces and the newline that make it as long as length, magic and all.
"""
import io
import json
import os
import sys
import warnings

import numpy as np
from numpy.lib import format

if __name__ == "__main__":
    exec(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "judge.py")).read())

warnings.simplefilter("ignore")

simple = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", "f16", "c32", "U1", "U7", "S1", "S10", "V1", "V10",
          "M8", "M8[D]", "m8", "m8[25s]"]
units = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"]

# numpy/lib/tests/test_format.py
Pdescr = [("x", "i4", (2,)), ("y", "f8", (2, 2)), ("z", "u1")]
Ndescr = [
    ("x", "i4", (2,)),
    ("Info", [
        ("value", "c16"),
        ("y2", "f8"),
        ("Info2", [("name", "S2"), ("value", "c16", (2,)), ("y3", "f8", (2,)), ("z3", "u4", (2,))]),
        ("name", "S2"),
        ("z2", "b1")]),
    ("color", "S2"),
    ("info", [("Name", "U8"), ("Value", "c16")]),
    ("y", "f8", (2, 2)),
    ("z", "u1")]
i1, i2, i4, f8 = np.dtype("i1"), np.dtype("<i2"), np.dtype("<i4"), np.dtype("<f8")
dt2 = np.dtype({"names": ["a", "b"], "formats": [i4, i4], "offsets": [1, 6]})
ab = np.dtype({"names": ["a", "b"], "formats": [i1, i1], "offsets": [0, 4], "itemsize": 8})
padded = [
    np.dtype("i1, <i4, i1", align=True),
    dt2,
    np.dtype({"names": ["c", "d"], "formats": [i4, dt2]}),
    np.dtype({"names": ["a", "", "b"], "formats": [i4] * 3}),
    np.dtype({"names": ["a", "b"], "formats": [i4, i4], "offsets": [1, 6], "titles": ["aa", "bb"]}),
    np.dtype({"names": [], "formats": [], "itemsize": 8}),
]
nests = [
    np.dtype([("a", i1), ("b", i2), ("c", i4)], align=True),  # there as the base of a sub-array, which no array has
    np.dtype([("x", np.dtype((ab, (3,))), (4,))]),
    np.dtype([("x", (f8, (5,)), (2,))]),
    np.dtype([("x", np.dtype((np.dtype((ab, (3,))), (4,))))]),
    np.dtype([("a", np.dtype((np.dtype((np.dtype((np.dtype([("a", "<i8"), ("b", ab)]), (3,))), (4,))), (5,))))]),
]


def dtypes():
    for code in simple:
        for order in "<>":
            yield np.dtype(order + code)
    for unit in units:
        for count in ("", "2", "1000", "2147483647"):
            yield np.dtype("<M8[%s%s]" % (count, unit))
            yield np.dtype(">m8[%s%s]" % (count, unit))
    for n in (2, 9, 99, 100, 2**18 + 1, 2**29 - 1):
        yield np.dtype("<U%d" % n)
        yield np.dtype(">U%d" % n)
        yield np.dtype("S%d" % n)
        yield np.dtype("V%d" % n)
    for code in simple:
        for order in "<>":
            yield np.dtype([("x", order + code), ("y", order + code, (2, 3))])
            yield np.dtype({"names": ["x", "y"], "formats": [order + code] * 2, "offsets": [3, 103], "titles": [None, "t"], "itemsize": 999})
    for descr in (Pdescr, Ndescr):
        for order in "<>":
            yield np.dtype(descr).newbyteorder(order)
    yield from padded
    yield from nests
    yield np.dtype([("c", (f8, (5,)), (2,))])
    yield np.dtype([("empty", "S0"), ("none", "V0"), ("zero", "<f8", (2, 0)), ("struct", [])])
    yield np.dtype([])
    yield np.dtype([("a", [("b", [("c", [("d", [("e", "<f4")])])])])])
    for name in ["é", "ÿ", "Ā", "整形", "😀", "it's", '"', "'\"", "\\", "a\nb", "\r\t", "\0", "\x7f", "\x80", "\xa0", "\xad", " ", "\u0301",
                 "\u2028", "\ue000", "\U0010ffff", "x" * 300]:
        yield np.dtype([(name, "<f8")])
        yield np.dtype([(("title " + name, "n"), "<f8")])
    yield np.dtype({"names": ["a"], "formats": [i4], "itemsize": 2**31 - 1})


def line(dt, shape, fortran):
    f = io.BytesIO()
    format._write_array_header(f, {"descr": format.dtype_to_descr(dt), "fortran_order": fortran, "shape": shape}, None)
    b = f.getvalue()
    version, start = b[6], 10 if b[6] == 1 else 12
    text = b[start:].decode("utf8" if version == 3 else "latin1").rstrip(" \n")
    return [canon(dt), fortran, list(shape), version, text, len(b)]


def lines():
    for dt in dtypes():
        yield line(dt, (3,), False)
    for dt in (np.dtype("<f8"), np.dtype("|b1"), np.dtype(Ndescr).newbyteorder(">")):
        for shape in ((), (0,), (1,), (2, 3), (2, 0, 3), (2, 3, 5, 7), (1,) * 32, (10**6, 10**6), (0, 10**12)):
            yield line(dt, shape, False)
            if sum(n > 1 for n in shape) > 1 and 0 not in shape:
                yield line(dt, shape, True)
    for n in range(18):
        for fortran in (False, True) if n else (False,):
            for width in (29, 30, 31):
                yield line(np.dtype([(" " * width, "<i8")]), (2, 10**n) if fortran else (10**n, 2), fortran)


if __name__ == "__main__":
    # Where dtype and shape can be made, this is what numpy.save writes.
    for dt in dtypes():
        if dt.itemsize < 1 << 24 and not (dt.itemsize == 0 and dt.names is None):
            f = io.BytesIO()
            np.save(f, np.zeros(3, dt))
            g = io.BytesIO()
            format._write_array_header(g, {"descr": format.dtype_to_descr(dt), "fortran_order": False, "shape": (3,)}, None)
            assert f.getvalue().startswith(g.getvalue()), dt
    for l in lines():
        print(json.dumps(l, separators=(",", ":")))
