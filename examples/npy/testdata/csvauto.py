"""Random CSV files, and the arrays that -dtype auto makes of them. csvauto_numpy_test.go runs this after table.py."""


def random_column(r, rows):
    """The kind, texts and values of a column."""
    kind = r.choice(["int", "int", "large", "float", "float", "bool", "time", "text"])
    if kind == "int":
        most = r.choice([9, 2**53, 2**63 - 1])
        values = [r.randint(-most, most) for _ in range(rows)]
    elif kind == "large":
        values = [2**64 - 1 - r.randrange(2**63) for _ in range(rows)]
    elif kind == "float":
        values = [r.choice([r.gauss(0, 1), r.gauss(0, 1) * 1e300, 5.0, 1e-310, float("nan"), -float("inf")]) for _ in range(rows)]
    elif kind == "bool":
        values = [r.random() < 0.5 for _ in range(rows)]
    elif kind == "time":
        unit = r.choice(["D", "m", "s", "ms", "us", "ns"])
        values = [np.datetime64(r.randrange(-(2**33), 2**33) if unit != "D" else r.randrange(-(10**5), 10**5), unit) for _ in range(rows)]
    else:
        some = ["a,b", 'say "x"', "\n", ";", "\t", "é", "|", " ", "#", "1", "名"]
        values = ["t" + "".join(r.choice(some) for _ in range(r.randrange(4))) for _ in range(rows)]
    texts = [repr(x) if kind == "float" else str(x) for x in values]
    if kind == "float":
        texts = [t.replace("nan", r.choice(["nan", "NaN"])) for t in texts]
    if kind == "bool":
        texts = [r.choice([t, t.lower(), t.upper()]) for t in texts]
    return kind, texts, values


def random_csv(seed, path):
    """Writes a CSV file. Returns the flags of npy convert that read it, and the expected array."""
    r = random.Random(seed)
    rows, width = r.choice([1, 2, 3, 20]), r.choice([1, 2, 3, 7])
    header = r.random() < 0.6
    delimiter, missing, fill = r.choice(",;\t| é"), r.choice(["", "NA", "-", "null"]), r.choice([None, None, 0, 7])
    columns = [random_column(r, rows) for _ in range(width)]
    if r.random() < 0.4:
        kind = r.choice("int float time text".split())
        alike = [c for c in [random_column(r, rows) for _ in range(40)] if c[0] == kind or kind == "float" and c[0] == "int"]
        columns = alike[:width] or columns
    if header and all(kind == "text" for kind, _, _ in columns):
        columns[0] = "int", ["7"] * rows, [7] * rows
    if not header and all(kind == "time" for kind, _, _ in columns):
        fill = None  # it would be a year
    names = ["f%d" % i for i in range(len(columns))]
    top = list(names)
    if header:
        top = ["c%d" % i for i in range(len(columns))]
        for i in range(len(top)):
            top[i] = r.choice([top[i], " é" + top[i], 'a"' + top[i], "x; " + top[i], "l\n" + top[i], top[i], ""])
        if "".join(top) == "":
            top[0] = "first"
        # The header is recognized by a name above a column that is not text.
        if not any(t != "" and c[0] != "text" for t, c in zip(top, columns)):
            top = ["h%d" % i for i in range(len(columns))]
        names = [t.strip() or n for t, n in zip(top, names)]
    fields = []
    for kind, texts, values in columns:
        holes = [r.random() < 0.2 for _ in texts] if r.random() < 0.5 else [False] * rows
        holes[r.randrange(rows)] = False
        if header and kind != "text":
            holes[0] = False
        texts[:] = [missing if h else t for t, h in zip(texts, holes)]
        fields.append(expected(kind, texts, values, holes, fill))
    with open(path, "w", newline="", encoding="utf-8") as f:
        w = csv.writer(f, delimiter=delimiter, quoting=r.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]), lineterminator=r.choice(["\n", "\r\n"]))
        w.writerows(([top] if header else []) + [list(x) for x in zip(*[texts for _, texts, _ in columns])])
    flags = ["-delimiter", "tab" if delimiter == "\t" else delimiter]
    if missing:
        flags += ["-missing", missing]
    if fill is not None:
        flags += ["-fill", str(fill)]
    return flags, table_of(names, fields, header)


def expected(kind, texts, values, holes, fill):
    """The elements of a column, and whether float64 stores them without loss."""
    text = np.array(texts)
    some = any(holes)
    if kind == "text":
        return text, True
    if kind == "time":
        a = np.array(values)
        a[np.array(holes)] = np.datetime64("NaT")
        return a, True
    if kind == "float":
        a = np.array(values, "f8")
        a[np.array(holes)] = np.nan if fill is None else fill
        return a, True
    if kind == "bool":
        if some and fill != 0:
            return text, True
        return np.array([x and not h for x, h in zip(values, holes)], "?"), True
    whole = [x for x, h in zip(values, holes) if not h]
    exact = all(abs(x) <= 2**53 for x in whole)
    if some and fill is None:
        if not exact:
            return text, True
        return np.array([np.nan if h else x for x, h in zip(values, holes)], "f8"), True
    whole = [fill if h else x for x, h in zip(values, holes)]
    return np.array(whole, "i8" if all(x < 2**63 for x in whole) else "u8"), exact


def table_of(names, fields, header):
    arrays, kinds = [a for a, _ in fields], {"f" if a.dtype.kind in "iuf" else a.dtype.kind for a, _ in fields}
    if not header and len(kinds) == 1:
        if kinds == {"M"}:  # NumPy's conversion of times wraps around
            together = np.stack(arrays, 1)
            if all(np.array_equal(together[:, i].astype(a.dtype), a, equal_nan=True) for i, a in enumerate(arrays)):
                return together
        elif kinds != {"f"} or len({a.dtype for a in arrays}) == 1:
            return np.stack(arrays, 1)
        elif all(a.dtype.kind != "f" for a in arrays) and min(int(a.min()) for a in arrays) >= 0:  # int64 and uint64
            return np.stack([a.astype("u8") for a in arrays], 1)
        elif all(exact for _, exact in fields):
            return np.stack([a.astype("f8") for a in arrays], 1)
    t = np.zeros(len(arrays[0]), [(n, a.dtype) for n, a in zip(names, arrays)])
    for n, a in zip(names, arrays):
        t[n] = a
    return t


def difference(want, got):
    """Where got differs from want, or "". Byte orders are not compared, as Go may run emulated in another one."""
    got = got.astype(got.dtype.newbyteorder("="))
    if got.dtype != want.dtype or got.shape != want.shape:
        return "dtype %s, shape %s; want %s, %s" % (got.dtype, got.shape, want.dtype, want.shape)
    for n in want.dtype.names or [None]:
        a, b = (want, got) if n is None else (want[n], got[n])
        if not np.array_equal(a, b, equal_nan=a.dtype.kind in "fM"):
            return "%s: %r; want %r" % (n, b, a)
    return ""
