"""Random arrays, and what NumPy prints for them.

numpy_test.go asks random_array, str and as_json of NumPy as it runs. As a program, this writes the table print.json,
so that print is also tested where there is no NumPy:

    /usr/bin/python3 testdata/arrays.py > testdata/print.json
"""
import base64
import io
import json
import zlib

import numpy as np


def random_shape(r):
    k = r.randint(10)
    if k == 0:
        return ()
    if k == 1:
        return (r.choice([0, 1, 5, 1000, 1001, 2000]),)
    if k == 2:
        return (r.randint(60),)
    if k == 3:
        return tuple(r.randint(0, 8, r.randint(1, 6)))
    if k == 4:
        return tuple(r.randint(1, 200, 2))
    if k == 5:
        return tuple(r.randint(1, 12, 3))
    if k == 6:
        return (r.randint(1, 5), r.randint(1, 40))
    if k == 7:
        return tuple(r.randint(1, 5, r.randint(1, 7)))
    if k == 8:
        return (r.randint(1, 1200),)
    return (r.randint(1, 8),)


def random_floats(r, n, dtype):
    """Floats that make NumPy choose: notation, digits, widths, special values."""
    k = r.randint(12)
    if k == 0:
        x = r.randn(n)
    elif k == 1:
        x = r.randn(n) * 10.0 ** r.randint(-10, 10)
    elif k == 2:
        x = r.randn(n) * 10.0 ** r.randint(-10, 10, n)
    elif k == 3:
        x = r.randint(-1000, 1000, n)
    elif k == 4:
        x = r.randint(-100000000, 100000001, n)
    elif k == 5:
        x = r.randint(-100, 100, n) / r.choice([4, 10, 7, 100])
    elif k == 6:  # any bits
        size = np.dtype(dtype).itemsize
        x = np.frombuffer(r.bytes(n * size), "u%d" % size).view("f%d" % size)
    elif k == 7:
        x = 2.0 ** r.randint(-1074, 1023, n)
    elif k == 8:
        x = 2.0 ** r.randint(-20, 26, n)
    elif k == 9:
        x = r.choice([0.0, -0.0, 1, 1e8, 99999999.5, 0.0001, 0.00009999999, 1000, 0.1, 123456789.0, 1e16, 1e-5, 1e23], n)
    elif k == 10:
        x = np.round(r.rand(n), r.randint(9)) * 10.0 ** r.randint(-3, 4)
    else:
        x = r.rand(n) * r.choice([1e-4, 1e-3, 1, 1e3, 1e7])
    with np.errstate(all="ignore"):
        x = np.array(x).astype(dtype)
    if r.rand() < 0.3:
        some = r.rand(n) < r.choice([0.05, 0.5, 1])
        x[some] = r.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], some.sum())
    return x


def random_text(r):
    some = [r.randint(32, 127), r.randint(0x800), 39, 34, 92, 0x3042, 0xD7A3, 0xD800, 0xE000, 0x1F600, 0x10FFFF]
    return "".join(chr(c) for c in r.choice(some, r.randint(6)))


def random_array(seed, kinds="bbiiiiuuuufffffffffffccccc"):
    r = np.random.RandomState(seed)
    shape = random_shape(r)
    n = int(np.prod(shape, dtype=int))
    k = r.choice(list(kinds))
    if k == "b":
        a = r.randint(0, 2, n).astype(bool)
    elif k in "iu":
        dtype = np.dtype(k + r.choice(list("1248")))
        small = r.rand() < 0.5
        a = r.randint(0, 100, n).astype(dtype) if small else np.frombuffer(r.bytes(n * dtype.itemsize), dtype)
    elif k == "f":
        a = random_floats(r, n, r.choice(["f2", "f4", "f8"]))
    elif k == "c":
        part = r.choice(["f4", "f8"])
        a = np.empty(n, "c8" if part == "f4" else "c16")
        a.real, a.imag = random_floats(r, n, part), random_floats(r, n, part)
    elif k == "S":
        a = np.array([r.bytes(r.randint(9)) for _ in range(n)], "S9")
    elif k == "U":
        a = np.array([random_text(r) for _ in range(n)], "U6")
    elif k == "V":
        a = np.frombuffer(r.bytes(3 * n), "V3")
    elif k in "Mm":
        unit = r.choice(["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"])
        if r.rand() < 0.3 and unit != "W":  # weeks overflow in NumPy
            count, limit = "", 2**62
        else:
            count, limit = r.choice(["", "2", "25"]), 50000
        a = r.randint(-limit, limit, n).astype("%s8[%s%s]" % (k, count, unit))
        a[r.rand(n) < r.choice([0, 0, 0.2, 1])] = "NaT"
    else:
        a = np.zeros(n, np.dtype([("x", "f4"), ("v", ">i2", (2, 2)), ("s", "S3"), ("n", [("a", "f8"), ("z", "c8", (1,))]),
                                  ("t", "M8[D]"), ("b", "?"), ("c", "?", (2,)), ("u", ">U2")], align=bool(r.randint(2))))
        a["x"], a["n"]["a"] = random_floats(r, n, "f4"), random_floats(r, n, "f8")
        a["v"] = r.randint(-99, 99, (n, 2, 2))
        a["s"] = [r.bytes(2) for _ in range(n)]
        a["t"] = r.randint(0, 99999, n)
        a["b"] = r.randint(0, 2, n)
        a["u"] = "é"
        if r.rand() < 0.3:
            a = a[["t"]].copy()
    a = a.reshape(shape)
    if r.rand() < 0.3:
        a = np.asfortranarray(a)
    if r.rand() < 0.3:
        a = a.astype(a.dtype.newbyteorder())
    return a


def element_json(x):
    kind = x.dtype.kind
    if kind == "f":
        if np.isfinite(x):
            return str(x) if x.dtype.itemsize > 2 else repr(float(x))  # shortest for its own type, or for float64
        return '"NaN"' if np.isnan(x) else '"Infinity"' if x > 0 else '"-Infinity"'
    if kind == "c":
        return "[" + element_json(x.real) + "," + element_json(x.imag) + "]"
    if kind == "b":
        return "true" if x else "false"
    return str(int(x))


def as_json(a):
    """The output of print -json for numbers, except for the last digit: if two texts are equally short and equally near,
    as 0.00024414062 and 0.00024414063 are to a float32 of 2**-12, NumPy takes the even one and Go the other."""
    if a.ndim == 0:
        return element_json(a[()])
    return "[" + ",".join(as_json(part) for part in a) + "]"


def same_as_json(text, a):
    """Whether text equals as_json(a), or is as short and reads back as the same elements."""
    want = as_json(a)
    if text == want or len(text) != len(want) or a.dtype.kind not in "fc":
        return text == want

    def words(s):
        return s.replace("[", "").replace("]", "").replace('"', "").split(",")

    float_type = a.real.dtype.newbyteorder("=")
    return np.array(words(text), float_type).tobytes() == np.array(words(want), float_type).tobytes()


def matches(got, x):
    """Whether got, the parsed output of print -json, equals the array or element x of any dtype."""
    if isinstance(x, np.ndarray):
        if x.ndim == 0:
            return matches(got, x[()])
        return len(got) == len(x) and all(matches(got[i], x[i, ...]) for i in range(len(x)))
    kind = x.dtype.kind
    if kind == "S":
        return got == bytes(x).decode("latin-1")
    if kind == "U":
        return got == str(x)
    if kind in "Mm":
        return got == int(x.astype("i8"))
    if x.dtype.names is not None:
        return list(got) == list(x.dtype.names) and all(matches(got[name], x[name]) for name in got)
    if kind == "V":
        return got == bytes(x).hex()
    if kind == "c":
        return matches(got[0], x.real) and matches(got[1], x.imag)
    if kind == "f":
        y = x.dtype.type(got) if x.dtype.itemsize > 2 else float(got)
        return y == x and np.signbit(y) == np.signbit(x) or np.isnan(x) and got == "NaN"
    return got == x


def table():
    arrays = [
        np.arange(1001), np.arange(1000), np.linspace(0, 1, 2000), np.arange(10000).reshape(100, 100) % 251 - 125.5,
        np.arange(6 * 7 * 8 * 5).reshape(6, 7, 8, 5), np.arange(2000).reshape(2, 1000) % 2 == 0,
        np.arange(1200).reshape(1200, 1), np.arange(1200.0).reshape(1, 1200) * 1e-7, np.zeros((7, 1000, 0)),
        np.arange(3000).view("M8[m]"), np.full((9, 9, 9, 9), 1 - 2.5j, ">c8"),
    ]
    arrays += [random_array(seed) for seed in range(200)]
    arrays += [random_array(seed, "SUVMms") for seed in range(200)]
    for a in arrays:
        f = io.BytesIO()
        np.save(f, a)
        file, want = zlib.compress(f.getvalue(), 9), str(a)
        if len(file) <= 2000 and len(want) <= 2000 and not (a.ndim == 0 and "\ud800" in want):
            yield {"file": base64.b64encode(file).decode(), "want": want}


if __name__ == "__main__":
    print(json.dumps(list(table()), indent=0))
