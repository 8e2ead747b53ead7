"""Checks the output of stats -json for an array: exact for integers and times, within rounding errors for floats."""
import json
import math
from fractions import Fraction

import numpy as np


def random_selection(seed, a):
    r = np.random.RandomState(seed)
    if r.rand() < 0.5:
        return "..."
    return ",".join([r.choice([":", "::-1", "::2", "1:", "-3:", "::-3"]) for _ in range(a.ndim)] or ["..."])


def selected(a, selection):
    return eval("a[" + selection + "]")


def number(x):
    return {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}.get(x, x) if isinstance(x, str) else x


def same(x, y):
    return type(x) is type(y) and (x == y or x != x and y != y)


def near(x, y, within):
    return same(x, y) or abs(x - y) <= within


def complaints(text, a, bins=20):
    """Return the errors in the output for a with this number of bins, one message per line."""
    s = json.loads(text)
    bad = []

    def want(name, x):
        if not same(number(s[name]), x):
            bad.append("%s: got %r, want %r" % (name, s[name], x))

    def want_near(name, x, within, dtype="f8"):
        if not near(float(abs(np.dtype(dtype).type(number(s[name])))), abs(x), within) or number(s[name]) * x < 0:
            bad.append("%s: got %r, want %r, or no further off than %r" % (name, s[name], x, within))

    edges, counts = s["histogram"]["edges"], s["histogram"]["counts"]
    if counts and len(edges) != len(counts) + 1 or not 0 <= len(counts) <= bins:
        bad.append("%d edges, %d counts" % (len(edges), len(counts)))
    want("size", a.size)
    if s["shape"] != list(a.shape):
        bad.append("shape")
    with np.errstate(all="ignore"):
        if a.dtype.kind in "fc":
            reals(a, want, want_near, edges, counts, bad, bins)
        else:
            integers(a, want, want_near, edges, counts, bad)
        if "quantiles" in s:
            quantiles(a, s["quantiles"], bad)
    return "\n".join(bad)


def field_complaints(text, a, bins=20):
    """Return the errors in the output for the fields of the records a, one message per line."""
    bad, seen = [], []
    for line in text.splitlines():
        name = json.loads(line)["field"]
        seen.append(name)
        x = a
        for part in name.split("."):
            x = x[part]
        bad += [name + ": " + b for b in complaints(line, x, bins).splitlines()]
    if seen != ["a", "pos.x", "pos.y", "z"]:
        bad.append("fields: %r" % seen)
    return "\n".join(bad)


def quantile(v, q):
    """Return a quantile of sorted floats, exact where NumPy's overflows, and without its NaN for infinite floats."""
    place = q * (v.size - 1)
    k = math.floor(place)
    lo, hi, part = float(v[k]), float(v[min(k + 1, v.size - 1)]), place - k
    if part == 0 or lo == hi:
        return lo
    if math.isinf(lo) or math.isinf(hi):
        return lo + hi
    return float(Fraction(lo) + (Fraction(hi) - Fraction(lo)) * Fraction(part))


def quantiles(a, s, bad):
    got, q = [number(x) for x in s["values"]], s["q"]
    v = a[~(np.isnat(a) if a.dtype.kind in "mM" else np.isnan(a))].astype(a.dtype.newbyteorder("="))
    if v.size == 0 or a.dtype.kind == "c":
        want, within = [None] * len(q), 0
    elif a.dtype.kind in "mM":
        want, within = [int(x) for x in np.quantile(v, q).view("i8")], 0
    else:
        want = [quantile(np.sort(v.astype("f8"), axis=None), x) for x in q]
        finite = np.abs(v[np.isfinite(v)].astype("f8"))
        # Short floats are subtracted as such.
        within = {"f2": 2e-3, "f4": 2e-7}.get(v.dtype.str[1:], 1e-15) * float(finite.max() if finite.size else 0)
        within = within if np.isfinite(within) else 0
        if v.dtype == "f4":  # an element has the digits that tell it from others of its width
            got, want = ([float(np.float32(x)) for x in list] for list in (got, want))
            within += 2e-45
    for x, y, z in zip(q, got, want):
        if not near(y, z, within):
            bad.append("quantile %r: got %r, want %r" % (x, y, z))
    if len(got) != len(q):
        bad.append("%d quantiles" % len(got))


def reals(a, want, want_near, edges, counts, bad, bins):
    wide = np.abs(a.astype("c16")) if a.dtype.kind == "c" else a.astype("f8")
    v = wide[~np.isnan(wide)].ravel()
    want("nan", int(wide.size - v.size))
    want("posinf", int(np.sum(v == np.inf)))
    want("neginf", int(np.sum(v == -np.inf)))
    want("zeros", int(np.sum(v == 0)))
    finite = v[np.isfinite(v)]
    n = v.size
    if n == 0:
        for name in "min", "max", "mean", "std":
            want(name, None)
        want("sum", 0.0)
    else:
        # Magnitudes are rounded by another function.
        ulps = 2e-15 if a.dtype.kind == "c" else 0
        narrow = a.dtype if a.dtype.kind == "f" else "f8"  # the digits are those that tell it from others of its width
        want_near("min", float(v.min()), ulps * abs(v.min()), narrow)
        want_near("max", float(v.max()), ulps * abs(v.max()), narrow)
        with_sum = float(v.sum())
        if np.isfinite(np.abs(v).sum()):
            rounding = 4e-16 * float(np.abs(v).sum()) + ulps * abs(with_sum) + 5e-324
            exact = math.fsum(v)
            want_near("sum", exact, rounding)
            want_near("mean", exact / n, rounding / n + 2.3e-16 * abs(exact / n) + 5e-324)
            std = float(np.std(v.astype(np.longdouble)))
            if np.isfinite(std):
                want_near("std", std, 1e-12 * std + 1e-15 * float(np.abs(v).max()))
        elif finite.size == v.size:
            # Near the largest float, use a unit in which the sum does not overflow.
            exact = math.fsum(np.ldexp(v, -100))
            rounding = 4e-16 * float(np.abs(np.ldexp(v, -100)).sum())
            if abs(exact) - rounding > 2.0**924:
                want("sum", math.copysign(math.inf, exact))
            elif abs(exact) + rounding < 2.0**924:
                want_near("sum", math.ldexp(exact, 100), math.ldexp(rounding, 100) if rounding < 2.0**923 else math.inf)
            mean = math.ldexp(exact / n, 100)
            want_near("mean", mean, math.ldexp(rounding / n, 100) + 2.3e-16 * abs(mean))
            std = math.ldexp(float(np.std(np.ldexp(v, -100).astype(np.longdouble))), 100)
            want_near("std", std, 1e-12 * std + 1e-15 * float(np.abs(v).max()))
        else:
            want("sum", with_sum)
            want("mean", with_sum)
            want("std", math.nan)
    if finite.size == 0:
        if counts or edges:
            bad.append("a histogram of nothing")
        return
    if sum(counts) != finite.size:
        bad.append("histogram: %d elements, want %d" % (sum(counts), finite.size))
    if a.dtype.kind == "f":
        if edges[0] != finite.min() or edges[-1] != finite.max():
            bad.append("histogram: from %r to %r" % (edges[0], edges[-1]))
        if list(np.histogram(finite, bins=edges)[0]) != counts:
            bad.append("histogram: got %r, want %r" % (counts, list(np.histogram(finite, bins=edges)[0])))
        if len(counts) == bins and np.isfinite(edges[-1] - edges[0]):
            want_counts, want_edges = np.histogram(finite, bins=bins)
            if list(want_edges) != edges or list(want_counts) != counts:
                bad.append("histogram: it is not NumPy's: got %r, want %r" % (counts, list(want_counts)))


def integers(a, want, want_near, edges, counts, bad):
    times = a.dtype.kind in "mM"
    v = [int(x) for x in (a.astype(a.dtype.newbyteorder("=")).view("i8") if times else a).ravel()]
    size = len(v)
    if times:
        v = [x for x in v if x != -2**63]
    n = len(v)
    want("nan", size - n)
    want("posinf", 0)
    want("neginf", 0)
    want("zeros", v.count(0))
    dates = a.dtype.kind == "M"
    want("sum", None if dates else sum(v))
    if n == 0:
        for name in "min", "max", "mean", "std":
            want(name, None)
        if counts or edges:
            bad.append("a histogram of nothing")
        return
    lo, hi = min(v), max(v)
    want("min", bool(lo) if a.dtype.kind == "b" else lo)
    want("max", bool(hi) if a.dtype.kind == "b" else hi)
    if dates:
        want("mean", None)
        want("std", None)
    else:
        want("mean", float(Fraction(sum(v), n)))
        std = math.sqrt(Fraction(n * sum(x * x for x in v) - sum(v) ** 2, n * n))
        want_near("std", std, 1e-13 * std)
    widths = {y - x for x, y in zip(edges, edges[1:])}
    if edges[0] != lo or not edges[-2] <= hi < edges[-1] or len(widths) != 1:
        bad.append("histogram: edges %r for %d to %d" % (edges, lo, hi))
    want_counts = [0] * len(counts)
    width = widths.pop()
    for x in v:
        want_counts[(x - lo) // width] += 1
    if counts != want_counts:
        bad.append("histogram: got %r, want %r" % (counts, want_counts))
