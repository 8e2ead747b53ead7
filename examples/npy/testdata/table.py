"""Random tables, and their rows of text as Python's csv writes them. csv_numpy_test.go runs this after internal/oracle/arrays.py."""
import csv
import io


def table_dtype(r):
    """A dtype of numbers or text, or a structured dtype of 1 to 40 values."""
    while True:
        t = dtype(r, r.choice([0, 0, 1, 3]))
        if 0 < len(columns(np.zeros(0, t))) <= 40 and t.itemsize > 0:
            return t


def columns(a, name=""):
    """Name and texts of each value of the elements of a."""
    found = []
    if a.ndim > 1:
        for idx in np.ndindex(a.shape[1:]):
            found += columns(a[(slice(None),) + idx], name + "[" + ",".join(map(str, idx)) + "]")
    elif a.dtype.names is not None:
        for f in a.dtype.names:
            found += columns(a[f], name + "." + f if name else f)
    else:
        found.append((name, texts_of(a)))
    return found


def texts_of(a):
    """The text of each element of one dimension: bytes, and long doubles, are hexadecimal."""
    t = a.dtype
    if t.kind == "V" or t.kind + str(t.itemsize) in ("f16", "c32"):
        b, size = a.tobytes(), t.itemsize
        return [b[i : i + size].hex() for i in range(0, len(b), size)]
    return [text_of(x, t) for x in a]


def text_of(x, t):
    if t.kind in "iu":
        return str(int(x))
    if t.kind == "S":
        return x.decode("latin-1")
    if t.kind == "m" and not np.isnat(x):
        return str(x.view("i8"))
    return str(x if t.str[1:] != "f2" else float(x))


def without_generic(a):
    """Dates without a unit have no value except NaT."""
    if a.dtype.names is not None:
        for f in a.dtype.names:
            without_generic(a[f])
    elif a.dtype.kind == "M" and np.datetime_data(a.dtype)[0] == "generic":
        a[...] = np.datetime64("NaT")


def random_table(seed):
    """A table, and its rows with the header."""
    r = random.Random(seed)
    t = table_dtype(r)
    records = t.names is not None
    n, m = r.choice([0, 1, 2, 3, 5, 17]), r.choice([1, 1, 2, 3, 9])
    shape = r.choice([(), (n,), (n,)]) if records else r.choice([(), (n,), (n, m), (n, m)])
    a = np.zeros(shape, t, order=r.choice("CF"))
    fill(r, a)
    if t.kind == "S" or t.kind == "U" and r.random() < 0.8:
        some = ["", "a,b", 'say "x"', "\r\n", "\n", "\r", " b", "c ", "#", "'", ";", "\t", "é", "\\.", "nan"]
        for i in range(a.size):
            s = "".join(r.choice(some) for _ in range(r.randrange(3)))
            a.flat[i] = s.encode("latin-1") if t.kind == "S" else s
    without_generic(a)
    if records:
        found = columns(a.reshape(-1))
        rows = [[name for name, _ in found]] + [list(x) for x in zip(*[texts for _, texts in found])]
    else:
        rows = [texts_of(row) for row in a.reshape((-1, 1) if a.ndim < 2 else a.shape)]
    return a, rows


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.reader(f))


def write_csv(path, rows, quote_all):
    with open(path, "w", newline="", encoding="utf-8") as f:
        csv.writer(f, quoting=csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL).writerows(rows)


def same_table(a, b, one):
    """Whether b is the result of converting a to CSV and back."""
    records = a.dtype.names is not None
    if records or one and a.ndim < 2:
        want = a.reshape(-1)
    else:
        want = a.reshape((-1, 1) if a.ndim < 2 else a.shape)
        if len(want) == 0:
            want = want.reshape(0, 0)
    if b.dtype != a.dtype or b.shape != want.shape:
        return "dtype %s, shape %s; want %s, %s" % (b.dtype, b.shape, a.dtype, want.shape)
    got = [texts for _, texts in columns(b.reshape(-1))]
    if got != [texts for _, texts in columns(want.reshape(-1))]:
        return "%r; want %r" % (b, want)
    return ""
