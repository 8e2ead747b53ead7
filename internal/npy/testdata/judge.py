"""What NumPy says, for the tests in this folder. They run it in a Python of internal/oracle.

A dtype travels as a text, its canon: a simple type as its str, a sub-array as [2 3]base, a structured type as
{offset:name:title:type,...|itemsize} with names in hex.
"""
import ast
import io
import re
import tokenize
import warnings

import numpy as np
from numpy.lib import format

warnings.simplefilter("ignore")


def canon(dt):
    if dt.names is not None:
        fields = ""
        for name in dt.names:
            field = dt.fields[name]
            title = field[2] if len(field) > 2 else None
            fields += "%d:%s:%s:%s," % (field[1], hexed(name), "" if title is None else hexed(title), canon(field[0]))
        return "{%s|%d}" % (fields, dt.itemsize)
    if dt.subdtype is not None:
        base, shape = dt.subdtype
        return "[%s]%s" % (" ".join(map(str, shape)), canon(base))
    return dt.str


def hexed(name):
    return name.encode("utf-8", "surrogatepass").hex() if isinstance(name, str) else "?"


# What NumPy writes.


def build(spec):
    """The dtype of a spec of generate_test.go."""
    if spec.get("Code"):
        return np.dtype(spec["Code"])
    if spec.get("Base"):
        return np.dtype((build(spec["Base"]), tuple(spec["Shape"])))
    fields = spec.get("Fields") or []
    names = [f["Name"] for f in fields]
    formats = [build(f["Type"]) for f in fields]
    titles = [f.get("Title") or None for f in fields]
    if spec.get("Aligned"):
        return np.dtype({"names": names, "formats": formats, "titles": titles}, align=True)
    return np.dtype({"names": names, "formats": formats, "titles": titles, "offsets": [f["Offset"] for f in fields],
                     "itemsize": spec["Size"]})


def write(x):
    """The start of the file that numpy.save writes, and what is in it; or why there is none."""
    try:
        dt = build(x["Type"])
        shape, fortran = tuple(x["Shape"]), x["Fortran"]
        f = io.BytesIO()
        if x["Sparse"]:
            # Too large to be made: what numpy.save would say of it.
            d = {"descr": format.dtype_to_descr(dt), "fortran_order": fortran, "shape": shape}
            format._write_array_header(f, d, None)
            offset = f.tell()
        else:
            a = np.zeros(shape, dt, order="F" if fortran else "C")
            dt, fortran = a.dtype, a.flags.fnc
            np.save(f, a, allow_pickle=False)
            offset = f.tell() - a.nbytes
        return dict(Header=f.getvalue()[:offset], Canon=canon(dt), Shape=list(shape), Fortran=fortran, ItemSize=dt.itemsize)
    except Exception as e:
        return dict(Error="%s: %s" % (type(e).__name__, e))


# What NumPy reads.


def judge(b):
    """What NumPy's reader says of the header of a file: None where it refuses it."""
    try:
        f = io.BytesIO(b)
        version = format.read_magic(f)
        format._check_version(version)
        shape, fortran, dt = format._read_array_header(f, version, max_header_size=1 << 30)
    except (ValueError, TypeError, IndexError, KeyError, AttributeError, SyntaxError, OverflowError, MemoryError,
            RecursionError, tokenize.TokenError):
        return None
    except Exception as e:
        raise RuntimeError("a new kind of refusal for %r" % b) from e
    return dict(Canon=canon(dt), Shape=[str(int(n)) for n in shape], Fortran=fortran, Offset=f.tell(), Facts=facts(b, version, shape, dt))


def resave(b):
    """The header that numpy.save writes of what it reads in b; None where it would read another dtype in that."""
    f = io.BytesIO(b)
    shape, fortran, dt = format._read_array_header(f, format.read_magic(f))
    descr = format.dtype_to_descr(dt)
    try:
        if canon(format.descr_to_dtype(descr)) != canon(dt):
            return None
    except ValueError:
        return None
    f = io.BytesIO()
    format._write_array_header(f, {"descr": descr, "fortran_order": fortran, "shape": shape}, None)
    return f.getvalue()


def facts(b, version, shape, dt):
    """What is odd about a header that NumPy accepts: the names of refusals_test.go."""
    out = set()
    text = b[10 if version == (1, 0) else 12:].decode("utf8" if version == (3, 0) else "latin1")
    if version < (3, 0):
        text = format._filter_header(text)
    text = text.lstrip(" \t")
    tree = ast.parse(text, mode="eval").body
    d = ast.literal_eval(text)

    if dt.hasobject:
        out.add("object")
    if dt.subdtype is not None:
        out.add("sub-array")
    if len(tree.keys) > 3:
        out.add("key twice")
    if any(isinstance(n, bool) for n in shape):
        out.add("boolean dimension")
    size = max(dt.itemsize, 1)
    for n in shape:
        if n:
            size *= n
    if any(n < 0 for n in shape) or len(shape) > 64 or size + len(b) >= 1 << BITS:
        out.add("dimension")
    walk(d["descr"], out)

    if "\\N" in text:
        out.add("escape by name")
    if "\\u" in text.lower() and any(re.search("[\ud800-\udfff]", n.value) for n in ast.walk(tree)
                                     if isinstance(n, ast.Constant) and isinstance(n.value, str)):
        out.add("surrogate")
    for n in ast.walk(tree):
        if isinstance(n, ast.UnaryOp) and "(" in between(text, n):
            out.add("sign before parentheses")
    lines = split(text)
    outside = b"".join(lines[:tree.lineno - 1] + lines[tree.end_lineno - 1:])
    if b"\f" in b or re.search(rb"\\[\r\n]|\r(?!\n)", outside):
        out.add("outside of brackets")
    return sorted(out)


def between(text, n):
    lines = split(text)[n.lineno - 1:n.operand.lineno]
    lines[-1] = lines[-1][:n.operand.col_offset]
    lines[0] = lines[0][n.col_offset:]
    return b"".join(l.split(b"#")[0] for l in lines).decode()


def split(text):
    """The lines of a text as Python counts them, with their ends."""
    return re.findall(rb"[^\r\n]*(?:\r\n|\r|\n|$)", text.encode())


def walk(descr, out):
    if isinstance(descr, str):
        code(descr, out)
    elif isinstance(descr, tuple):
        if len(descr) > 2:
            out.add("container")
        walk(descr[0], out)
        block(descr[0], descr[1], out)
    else:
        if not isinstance(descr, list):
            out.add("container")
        for field in descr:
            if not isinstance(field, tuple):
                out.add("container")
            field = list(field)
            name = field[0]
            if isinstance(name, tuple) and not isinstance(name[0], str):
                out.add("title")
            walk(field[1], out)
            if len(field) > 2:
                block(field[1], field[2], out)


def block(base, shape, out):
    dt = format.descr_to_dtype(base)
    number = isinstance(shape, int)
    if not number and not (isinstance(shape, (tuple, list)) and all(isinstance(n, int) for n in shape)):
        out.add("second type")
    if shape == [] and dt.subdtype is not None:
        out.add("second type")
    if number and dt.itemsize == 0 and dt.names is None and not 0 <= shape < (1 << 29 if dt.kind == "U" else 1 << 31):
        out.add("size")
    if dt.subdtype is not None and dt.base.itemsize * np.prod(dt.shape) < dt.itemsize and shape not in ((), 1):
        out.add("block of empty blocks")


def code(s, out):
    dt = np.dtype(s)
    number = re.search("[0-9]+", s[:s.find("[")] if "[" in s else s)
    counts = re.findall("[0-9]+", s[s.find("["):]) if "[" in s else []
    if dt.hasobject:
        out.add("object")
    elif (re.search(r"[^\w\[\]/<>|=?]|^[<>|=]?[0-9]", s) or number and int(number[0]) >= 1 << 31
            or re.match("[<>|=]?U", s) and number and int(number[0]) >= 1 << 29
            or any(not 0 < int(n) < 1 << 31 for n in counts) or re.search(r"\[[-0]", dt.str)):
        out.add("code")
