"""Random arrays, random flags of npy take, and the rows that NumPy and Python take. take_numpy_test.go runs this after
internal/oracle/arrays.py and table.py."""
import operator
from fractions import Fraction

from numpy.lib import recfunctions

OPERATORS = {"=": operator.eq, "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
             ">=": operator.ge}


def taken_dtype(r, depth=2):
    """A dtype with few fields, some of them structures or sub-arrays, packed or aligned."""
    if depth == 0 or r.random() < 0.4:
        if r.random() < 0.4:
            return np.dtype(r.choice(["<f8", ">f8", "<f4", ">f4", "<f2", "<i8", ">u8", "|i1", "<i4"]))
        t = simple(r)
        while t.str[1:] in ("f16", "c32") or t.kind in "mM" and np.datetime_data(t)[0] == "generic":
            t = simple(r)
        return t
    names = r.sample(["x", "pos", "é", "a b", "n.m", "x=1", "it's", "."], r.randrange(1, 5))
    fields = []
    for name in names:
        t = taken_dtype(r, depth - 1)
        if r.random() < 0.2:
            t = np.dtype((t, r.choice([(2,), (1, 3)])))
        fields.append((name, t))
    return np.dtype(fields, align=r.random() < 0.3)


def few_values(r, t):
    """A few values of dtype t, many of them special."""
    kind, n = t.kind, r.randrange(1, 6)
    if kind == "b":
        some = [False, True]
    elif kind in "iu":
        i = np.iinfo(t)
        some = [i.min, i.min + 1, i.max, i.max - 1, 0, 1, 2, 3, 10, i.max // 3]
    elif kind in "fc":
        some = [float("nan"), float("inf"), -float("inf"), -0.0, 0.0, 0.1, 1.5, -2.25, 3, float(np.finfo(t).max)]
        if kind == "c":
            some = [complex(r.choice(some), r.choice(some)) for _ in some]
    elif kind == "S":
        some = [b"", b"a", b"ab", b"abc", b"b c", b"\xe9", b"\xff", b"a\x00b", b" ", b"="]
    elif kind == "U":
        some = ["", "a", "ab", "abc", "b c", "é", "ÿ", "名", "\U0001d6fc", "a\x00b", " "]
    elif kind in "mM":
        some = [-(2**63), 0, 1, 2, -1, 59, 60, 366, -719000, 20000]
    else:
        some = [bytes([r.randrange(2) * 255] * t.itemsize) for _ in range(3)]
    return [r.choice(some) for _ in range(n)]


def fill_few(r, a):
    if a.dtype.names is not None:
        for name in a.dtype.names:
            fill_few(r, a[name])
        return
    values = few_values(r, a.dtype)
    if a.dtype.kind in "mM":
        a = a.view(a.dtype.str[0] + "i8")
    for idx in np.ndindex(a.shape):
        a[idx] = np.void(values[0]) if a.dtype.kind == "V" else r.choice(values)


def columns_of(t, shape, path=""):
    """The paths of columns of rows, with functions that return them. shape is the shape of a row."""
    if t.subdtype is not None:
        t, shape = t.base, shape + t.shape
    if t.names is not None:
        found = []
        for name in t.names:
            for text, get in columns_of(t[name], shape, path + "." + name if path else name):
                found.append((text, lambda a, get=get, name=name: get(a[name])))
        return found
    quoted = "'%s'" % path if set(path) & set("=<>!") or path == "." else path
    if "'" in path:
        quoted = '"%s"' % path
    if shape == ():
        return [(quoted, lambda a: a)]
    return [(quoted + str(list(idx)), lambda a, idx=idx: a[(slice(None),) + idx]) for idx in np.ndindex(shape)]


def condition(r, t, column):
    """The text of an operator and a value, and whether the elements of column satisfy it."""
    others = np.zeros(2, t)
    fill_few(r, others)
    x = r.choice(list(column)) if len(column) > 0 and r.random() < 0.8 else r.choice(list(others))
    op = r.choice(list(OPERATORS))
    f = OPERATORS[op]
    equality = op in ("=", "==", "!=")
    if t.kind == "b":
        v = bool(x)
        return op + (r.choice([" True", "1"]) if v else r.choice(["false", " 0"])), f(column, v)
    if t.kind in "iu":
        text = r.choice([str(x), str(x), "%d.5" % x, "%d.0" % x, str(int(x) + 1), str(int(x) - 1), "1e30", "-1e25", "0.1",
                         "1e-5", hex(int(x))])
        v = Fraction(int(text, 16)) if "0x" in text else Fraction(text)
        return op + " " + text, np.array([f(Fraction(int(y)), v) for y in column], bool)
    if t.kind == "f":
        if r.random() < 0.2 or x != x:
            if equality:
                return op + r.choice([" nan", " NaN"]), np.isnan(column) if op != "!=" else ~np.isnan(column)
            return op + " nan", np.zeros(len(column), bool)
        text = r.choice([repr(float(x))] * 5 + ["0.1", "inf", "-Inf", "1e39", "-1e300", "0", "1.5e0"])
        with np.errstate(over="ignore"):
            v = float(t.newbyteorder("=").type(float(text)))
        if np.isinf(v):
            v = float(text)
        return op + text, f(column.astype("f8"), v)
    if t.kind == "c":
        op = r.choice(["=", "!="])
        if r.random() < 0.3 or not np.isfinite(x):
            return op + " nan", np.isnan(column) if op == "=" else ~np.isnan(column)
        return op + " " + str(complex(x)), OPERATORS[op](column, complex(x))
    if t.kind in "SU":
        text = x.decode("latin-1") if t.kind == "S" else str(x)
        if r.random() < 0.3:
            text += r.choice(["a", "\x01", "é", "名"])
        all = [y.decode("latin-1") if t.kind == "S" else str(y) for y in column]
        quoted = text
        if text == "" or text != text.strip() or text[0] in "=<>!'\"" or r.random() < 0.2:
            quoted = "'" + text + "'"
        return op + quoted, np.array([f(y, text) for y in all], bool)
    if t.kind in "mM":
        if np.isnat(x) or r.random() < 0.1:
            if equality:
                return op + " nat", np.isnat(column) if op != "!=" else ~np.isnat(column)
            return op + " NaT", np.zeros(len(column), bool)
        if t.kind == "m":
            v = int(x.astype("i8")) + r.choice([-1, 0, 0, 1])
            text, count = str(v), column.astype("i8")
            ok = np.array([f(int(y), v) for y in count], bool)
        else:
            text = str(x)
            if r.random() < 0.3:
                text = r.choice([text[:10], "2024", "1970-01-01T00:00:01", "1970-01-02T03"])
            ok = times_compare(column, text, f)
        missing = np.isnat(column)
        return op + text, (ok & ~missing) | (missing & (op == "!="))
    v = bytes(x)
    op = r.choice(["=", "!="])
    return op + v.hex(), np.array([OPERATORS[op](bytes(y), v) for y in column], bool)


def times_compare(column, text, f):
    """Compares times exactly, as fractions of a second or a month."""
    unit, _ = np.datetime_data(column.dtype)
    fine = "M" if unit in "YM" else "as"
    if fine == "M":
        v = np.datetime64(text)
        m = v.astype("M8[M]")
        rest = 0 if v == m.astype(v.dtype) and m.astype("M8[D]").astype("M8[s]") == np.datetime64(text, "s") else Fraction(1, 2)
        v = Fraction(int(m.astype("i8"))) + rest
        return np.array([f(Fraction(int(y)), v) for y in column.astype("M8[M]").astype("i8")], bool)
    count = {"W": 604800, "D": 86400, "h": 3600, "m": 60, "s": 1, "ms": Fraction(1, 10**3), "us": Fraction(1, 10**6),
             "ns": Fraction(1, 10**9), "ps": Fraction(1, 10**12), "fs": Fraction(1, 10**15), "as": Fraction(1, 10**18)}
    seconds, dot, digits = text.partition(".")
    v = int(np.datetime64(seconds, "s").astype("i8")) + Fraction(int(digits or 0), 10 ** len(digits))
    tick = np.datetime_data(column.dtype)[1] * count[unit]
    return np.array([f(int(y) * tick, v) for y in column.astype(column.dtype.newbyteorder("=")).view("i8")], bool)


def key(x):
    """A value that is equal for rows that take -unique treats as equal."""
    if isinstance(x, np.ndarray):
        return tuple(key(y) for y in x)
    if isinstance(x, np.void) and x.dtype.names is not None:
        return tuple(key(x[name]) for name in x.dtype.names)
    if isinstance(x, (np.floating, np.complexfloating)):
        return "nan" if np.isnan(x) else complex(x) + 0
    if isinstance(x, (np.datetime64, np.timedelta64)):
        return "nat" if np.isnat(x) else int(x.astype("i8"))
    return bytes(x) if isinstance(x, np.void) else x


def sorted_rows(column, descending):
    """A stable order of a column; NaN and NaT are last."""
    kind = column.dtype.kind
    missing = np.isnat(column) if kind in "mM" else np.isnan(column) if kind == "f" else np.zeros(len(column), bool)
    values = [int(y) for y in column.astype("i8")] if kind in "mM" else list(column)
    present = sorted((i for i in range(len(column)) if not missing[i]), key=lambda i: values[i], reverse=descending)
    return np.array(present + list(np.flatnonzero(missing)), int)


def take_case(seed, path):
    """Saves an array at path. Returns flags of take; taken has the rows that they take."""
    global a, taken
    r = random.Random(seed)
    t = taken_dtype(r)
    n = r.choice([0, 1, 2, 5, 9, 30, 200])
    shape = (n,) if t.names is not None or r.random() < 0.5 else (n,) + r.choice([(1,), (3,), (2, 2)])
    a = np.zeros(shape, t, order=r.choice("CCF"))
    fill_few(r, a)
    np.save(path, a)
    columns = columns_of(t, shape[1:])
    flags, rows = [], np.arange(n)
    fields = None
    if t.names is not None and r.random() < 0.4:
        fields = r.sample(t.names, r.randrange(1, len(t.names) + 1))
        flags += ["-fields", ",".join(fields)]
    narrow = a if fields is None else recfunctions.repack_fields(a[fields], recurse=True)
    if r.random() < 0.15:
        rows, items = [], []
        for _ in range(r.randrange(1, 4)):
            if n > 0 and r.random() < 0.6:
                i = r.randrange(-n, n)
                items.append(str(i))
                rows.append(i % n)
            else:
                s = slice(r.choice([None, 1, -2]), r.choice([None, 3, -1]), r.choice([None, 2, -1, -3]))
                items.append(":".join("" if x is None else str(x) for x in (s.start, s.stop, s.step)))
                rows += list(range(n)[s])
        taken = narrow[np.array(rows, int)]
        return flags + ["-rows", ",".join(items)]
    for _ in range(r.choice([0, 1, 1, 2])):
        path, get = r.choice(columns)
        text, ok = condition(r, get(a).dtype, get(a))
        flags += ["-where", (path or r.choice(["", ". "])) + r.choice(["", " "]) + text]
        rows = rows[np.asarray(ok, bool)[rows]]
    if r.random() < 0.25:
        flags.append("-unique")
        seen, first = set(), []
        for i in rows:
            k = key(narrow[i])
            if k not in seen:
                seen.add(k)
                first.append(i)
        rows = np.array(first, int)
    path, get = r.choice(columns)
    if r.random() < 0.4 and get(a).dtype.kind not in "cV":
        descending = r.random() < 0.5
        flags += ["-sort", path or r.choice(["", "."])] + ["-desc"] * descending
        rows = rows[sorted_rows(get(a)[rows], descending)]
    if r.random() < 0.4:
        m = r.choice([0, 1, 2, 7, 1000])
        flags += ["-n", str(m)]
        rows = rows[:m]
    taken = narrow[rows]
    return flags


def complaint(path):
    """Says how the array in the file differs from taken."""
    b = np.load(path)
    if b.shape != taken.shape or not same(b, taken):
        return "%r; want %r" % (b, taken)
    if b.dtype.names is None and b.dtype != taken.dtype:
        return "dtype %s; want %s" % (b.dtype, taken.dtype)
    return ""


def csv_complaint(path):
    """Says how the CSV file differs from taken."""
    if taken.dtype.names is not None:
        found = columns(taken)
        want = [[name for name, _ in found]] + [list(x) for x in zip(*[texts for _, texts in found])]
    else:
        want = [texts_of(row) for row in taken.reshape((-1, 1) if taken.ndim < 2 else taken.shape)]
    got = read_csv(path)
    return "" if got == want else "%r; want %r" % (got, want)
