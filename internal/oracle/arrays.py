"""Random dtypes and arrays of all kinds that NumPy saves without pickle."""
import random
import numpy as np

NAMES = ["x", "y", "pos", "é", "名前", "a b", "it's", 'say "x"', "back\\slash", "tab\t", "n.m", "f0", "ß", "𝛼", "\x7f"]


def simple(r):
    """Returns a dtype without fields."""
    order = r.choice("<>")
    kind = r.choice("biufcSUVMmbiufcSUVMmg")
    if kind == "b":
        return np.dtype("?")
    if kind in "iu":
        return np.dtype(order + kind + r.choice("1248"))
    if kind == "f":
        return np.dtype(order + "f" + r.choice("248"))
    if kind == "c":
        return np.dtype(order + "c" + r.choice(["8", "16"]))
    if kind == "g":
        return np.dtype(order + r.choice(["f16", "c32"]))
    if kind in "SUV":
        return np.dtype(order + kind + str(r.choice([1, 2, 3, 7, 20])))
    unit = r.choice(["", "[s]", "[25ms]", "[ns]", "[D]", "[Y]", "[as]", "[7h]"])
    return np.dtype(order + kind + "8" + unit)


def dtype(r, depth=4, most=6):
    """Returns a dtype, which may have fields nested up to depth, sub-arrays, titles and padding."""
    if depth == 0 or r.random() < 0.5:
        return simple(r)
    names = []
    for k in range(r.randrange(most)):
        name = r.choice(NAMES) if r.random() < 0.7 else "field%d" % k
        if name not in names:
            names.append(name)
    formats, offsets, titles, end = [], [], [], 0
    for name in names:
        f = dtype(r, depth - 1)
        if r.random() < 0.3:
            f = np.dtype((f, tuple(r.randrange(1, 4) for _ in range(r.randrange(1, 3)))))
        end += r.choice([0, 0, 1, 4])
        offsets.append(end)
        formats.append(f)
        titles.append("title of " + name if r.random() < 0.1 else None)
        end += f.itemsize
    end += r.choice([0, 0, 3])
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "titles": titles, "itemsize": end})


def many_fields(r):
    """Returns a structured dtype with 100 to 500 fields, which makes the header long."""
    return np.dtype([("a long name of a field, number %d" % k, simple(r)) for k in range(r.randrange(100, 501))])


def fill(r, a):
    """Fills a with random elements. Padding stays zero."""
    if a.dtype.names is not None:
        for name in a.dtype.names:
            fill(r, a[name])
        return
    kind, bits = a.dtype.kind, np.random.default_rng(r.getrandbits(32))
    if a.size == 0 or a.dtype.itemsize == 0:
        return
    if kind == "b":
        a[...] = bits.integers(0, 2, a.shape)
    elif kind in "iu":
        i = np.iinfo(a.dtype)
        a[...] = bits.integers(i.min, i.max, a.shape, dtype=a.dtype.newbyteorder("="), endpoint=True)
    elif kind in "fc":
        a[...] = bits.normal(size=a.shape) * 10
        if r.random() < 0.3:
            a.flat[r.randrange(a.size)] = r.choice([np.nan, np.inf, -0.0])
    elif kind in "mM":
        a.view(np.dtype("i8").newbyteorder(a.dtype.byteorder))[...] = bits.integers(-(2**40), 2**40, a.shape)
    elif kind == "S":
        a[...] = [bytes(r.randrange(256) for _ in range(a.dtype.itemsize)) for _ in range(a.size)] if a.ndim == 1 else b"\xe9t\xe9"
    elif kind == "U":
        a[...] = r.choice(["", "a", "é", "名前", "\U0001d6fc", "x" * 30])
    else:
        a[...] = np.void(bytes(r.randrange(256) for _ in range(a.dtype.itemsize)))


def array(r):
    """Returns an array of a random dtype, shape and order."""
    dt = many_fields(r) if r.random() < 0.01 else dtype(r)
    shape = tuple(r.choice([0, 1, 1, 2, 3, 4]) for _ in range(r.randrange(4)))
    a = np.zeros(shape, dt, order=r.choice("CF"))
    fill(r, a)
    return a


def same(a, b):
    """Reports whether two arrays have bitwise the same elements, in any byte orders. Padding does not count."""
    if a.shape != b.shape or a.dtype.names != b.dtype.names:
        return False
    if a.dtype.names is not None:
        return all(same(a[name], b[name]) for name in a.dtype.names)
    if a.dtype.kind in "mM":  # NumPy 1.24 does not swap times without a unit
        a, b = a.view(a.dtype.str[0] + "i8"), b.view(b.dtype.str[0] + "i8")
    return a.tobytes() == b.astype(a.dtype).tobytes()
