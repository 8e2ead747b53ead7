# The slow judge of the page: what a picture should be, worked out with NumPy from the elements, the range and the
# map, and compared with what the browser drew. It shares nothing with the page but maps.txt.
import os

import numpy as np

STEPS = 256
NAN = [150, 142, 146]  # the colour of NaN in viridis, and in what has its colours in the elements
ROOM = 0.8  # of a pixel, by which the edge of a cell may be off


def load_maps(path):
    maps = {}
    for line in open(path, encoding="utf-8"):
        name, text = line.split()
        maps[name] = np.frombuffer(bytes.fromhex(text), np.uint8).reshape(STEPS, 3).astype(int)
    return maps


def shot(path, w, h):
    return np.fromfile(path, np.uint8).reshape(h, w, 4)[..., :3].astype(int)


def numbers(a, part):
    """Numbers of a; of 64 bits as long doubles, which hold any such integer, and the mean of any doubles."""
    if a.dtype.kind == "c":
        a = a.astype(complex)
        a = {"abs": np.abs, "angle": np.angle, "real": np.real, "imag": np.imag}[part or "abs"](a)
    return a.astype(np.longdouble if a.dtype.itemsize >= 8 else float)


def blocks_of_angles(z, by, bx):
    iy, ix = np.arange(0, z.shape[0], by), np.arange(0, z.shape[1], bx)
    there = ~np.isnan(z)
    add = lambda q: np.add.reduceat(np.add.reduceat(q, iy, 0), ix, 1)
    with np.errstate(invalid="ignore"):
        return np.where(add(there.astype(int)) > 0, np.angle(add(np.where(there, z, 0).astype(complex))), np.nan)


def plane(case):
    a = np.load(case["file"], mmap_mode="r")
    for f in case.get("field") or []:
        a = a[f]
    y, x, c = case["y"], case["x"], case.get("c", -1)
    at = list(case.get("at") or [0] * a.ndim)
    a = a[tuple(slice(None) if k in (y, x, c) else at[k] for k in range(a.ndim))]
    order = [k for k in (y, x, c) if k >= 0]
    a = a.transpose([sorted(order).index(k) for k in order])
    return a[None] if y < 0 else a


def blocks(p, by, bx, how):
    iy, ix = np.arange(0, p.shape[0], by), np.arange(0, p.shape[1], bx)
    reduce = lambda f, q: f.reduceat(f.reduceat(q, iy, 0), ix, 1)
    if by == bx == 1:
        return p
    if how != "mean":
        return reduce(np.fmin if how == "min" else np.fmax, p)
    there = ~np.isnan(p)
    with np.errstate(invalid="ignore", divide="ignore"):
        return reduce(np.add, np.where(there, p, 0)) / reduce(np.add, there.astype(float))


def colour_range(case, p, base):
    if case["range"] == "hand":
        return np.longdouble(case["lo"]), np.longdouble(case["hi"])
    of = p
    if case.get("stack"):
        of = numbers(np.load(case["file"], mmap_mode="r"), case.get("part")) - base
    f = np.sort(of[np.isfinite(of)])
    if f.size == 0:
        return np.longdouble(0), np.longdouble(1)
    if case["range"] == "extremes":
        lo, hi = f[0], f[-1]
    else:
        def q(t):
            k = t / 100 * np.longdouble(f.size - 1)
            i = int(np.floor(k))
            return f[i] + (f[min(i + 1, f.size - 1)] - f[i]) * (k - i)
        lo, hi = q(np.longdouble(case.get("plo", 1))), q(np.longdouble(case.get("phi", 99)))
        if lo == hi:
            lo, hi = f[0], f[-1]
    if "–" in case["map"]:
        hi = max(abs(lo), abs(hi))
        lo = -hi
    return lo, hi


def share(v, lo, hi, scale, gamma):
    """Where numbers lie from lo (0) to hi (1) on a scale."""
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        if scale == "log":
            return np.where(v > 0, np.log(np.where(v > 0, v, 1) / lo) / np.log(hi / lo), np.where(np.isnan(v), np.nan, -np.inf))
        if scale == "symlog":
            c = max(abs(lo), abs(hi)) / 1000
            f = lambda x: np.sign(x) * np.log1p(np.abs(x) / c)
            return (f(v) - f(lo)) / (f(hi) - f(lo))
        t = (v - lo) / (hi - lo)
        return np.where(t > 0, np.abs(t) ** gamma, t) if scale == "gamma" else t


def steps(v, lo, hi, scale="linear", gamma=1):
    """The colour of each number, and -1 for NaN."""
    with np.errstate(invalid="ignore", over="ignore"):
        if hi > lo:
            t = np.floor(share(v, lo, hi, scale, gamma) * STEPS)
        else:
            t = np.where(v < lo, 0, np.where(v > hi, STEPS - 1, STEPS // 2)).astype(np.longdouble)
    t = np.where(np.isnan(v), -1, np.clip(np.nan_to_num(t, nan=-1, posinf=STEPS - 1, neginf=0), 0, STEPS - 1))
    return np.where(np.isnan(v), -1, t).astype(int)


def judge_image(case, maps):
    g, img = case["geometry"], shot(case["shot"], case["w"], case["h"])
    raw = plane(case)
    rgb = raw.ndim == 3
    by, bx = 2 ** g["Ly"], 2 ** g["Lx"]
    for name, b, z in ("rows", by, g["Zy"]), ("columns", bx, g["Zx"]):
        if b > 1 and not 0.99 <= b * z < 2.01:
            return {"bad": -1, "said": f"a cell of {b} {name} has {b * z:.2f} pixels"}
    ox, oy = g["OriginX"], g["OriginY"]
    x_lo, x_hi = max(0, -g["X0"]) * g["Zx"] + ox, min(g["W"], (g["Nx"] - g["X0"]) * g["Zx"]) + ox
    y_lo, y_hi = max(0, -g["Y0"]) * g["Zy"] + oy, min(g["H"], (g["Ny"] - g["Y0"]) * g["Zy"]) + oy
    px = np.arange(int(np.ceil(x_lo)) + 1, int(np.floor(x_hi)) - 1)
    py = np.arange(int(np.ceil(y_lo)) + 1, int(np.floor(y_hi)) - 1, 3)  # one row in three says enough
    ex, ey = g["X0"] + (px + 0.5 - ox) / g["Zx"], g["Y0"] + (py + 0.5 - oy) / g["Zy"]
    # Lines between large cells, and the text in them, are no colours of elements.
    if by == bx == 1 and min(g["Zx"], g["Zy"]) >= 8:
        fx, fy = (ex % 1) * g["Zx"], (ey % 1) * g["Zy"]
        keep_x, keep_y = (fx > 1.8) & (fx < g["Zx"] - 1.8), (fy > 1.8) & (fy < g["Zy"] - 1.8)
        if g["Zx"] >= 40 and g["Zy"] >= 18:
            keep_y &= fy < 1.8 + 0.12 * g["Zy"]
        px, ex, py, ey = px[keep_x], ex[keep_x], py[keep_y], ey[keep_y]
    if not len(px) or not len(py):
        return {"bad": -1, "said": "no pixels"}
    got = img[py][:, px]

    def near(e, z, b, n):
        return [np.clip(np.floor((e + d * ROOM / z) / b).astype(int), 0, n - 1) for d in (-1, 0, 1)]

    if rgb:
        top = case.get("top", 255)
        cells = [blocks(raw[..., k].astype(float), by, bx, "mean") for k in range(raw.shape[2])]
        room = 1.01 if len(cells) == 3 else 2.5  # what is not opaque is rounded more than once
        share = lambda c: np.clip(np.nan_to_num(c) / top, 0, 1)
        want = np.stack([share(c) * 255 for c in cells[:3]], -1)
        want[np.isnan(cells[0] + cells[1] + cells[2])] = NAN
        if len(cells) == 4:  # what is not opaque lies over the ground of the map
            a = share(cells[3])[..., None]
            want = want * a + np.array(case["ground"]) * (1 - a)
        good = np.zeros(got.shape[:2], bool)
        for cy in near(ey, g["Zy"], by, want.shape[0]):
            for cx in near(ex, g["Zx"], bx, want.shape[1]):
                good |= (np.abs(got - want[cy][:, cx]) <= room).all(-1)
        said = ""
    else:
        # Long doubles have no fractions where integers of 64 bits are at most; the means of what is less have them.
        large = raw.dtype.kind in "iu" and raw.dtype.itemsize == 8 and case["range"] != "hand" and "–" not in case["map"]
        base = numbers(raw.flat[:1], None)[0] if large else 0
        p = numbers(raw, case.get("part")) - base
        lo, hi = colour_range(case, p, base)
        # What the bar says is what the range is, whether pixels tell or not.
        bar = [np.longdouble(t) - base for t in case["bar"].split(",") if t]
        if np.isfinite(p).any() and not (len(bar) == 2 and max(abs(bar[0] - lo), abs(bar[1] - hi)) <= max(hi - lo, abs(hi) * 1e-6) / STEPS):
            return {"bad": -1, "said": f"the bar is from {case['bar']}, and the range from {lo + base} to {hi + base}"}
        around = case.get("part") == "angle" and max(by, bx) > 1 and case["how"] == "mean"
        cells = blocks_of_angles(raw, by, bx) if around else blocks(p, by, bx, case["how"])
        scale, gamma = case.get("scale", "linear"), case.get("gamma", 1)
        first = np.min(numbers(raw, None)[numbers(raw, None) > 0]) if scale == "log" and lo <= 0 else lo
        t = steps(cells, first, hi, scale, gamma)
        table = maps[case["map"]][:: -1 if case.get("reversed") else 1]
        code = lambda c: (c[..., 0] << 16) | (c[..., 1] << 8) | c[..., 2]
        gc, tc = code(got), code(table)
        good = np.zeros(gc.shape, bool)
        # The page computes with float64. Where its numbers lie farther apart than colours, it may be off by one of them.
        gap = np.spacing(float(max(abs(first), abs(hi)))) / float(hi - lo) * STEPS if hi > lo else 0
        off = 1 + int(np.ceil(gap)) if 0.1 < gap < STEPS else 1
        nan_colour = None
        if (t < 0).any():
            # A pixel well inside of a cell of NaN: its colour is that of all of them, and in no map.
            cy, cx = near(ey, g["Zy"], by, t.shape[0]), near(ex, g["Zx"], bx, t.shape[1])
            inside = np.ones(gc.shape, bool)
            for a in cy:
                for b in cx:
                    inside &= t[a][:, b] < 0
            if inside.any():
                nan_colour = gc[inside][0]
                away = np.abs(table - [nan_colour >> 16, nan_colour >> 8 & 255, nan_colour & 255]).sum(1).min()
                if away < 24:
                    return {"bad": -1, "said": f"NaN is {nan_colour:06x}, which is next to a colour of {case['map']}"}
        for cy in near(ey, g["Zy"], by, t.shape[0]):
            for cx in near(ex, g["Zx"], bx, t.shape[1]):
                s = t[cy][:, cx]
                for d in range(-off, off + 1):
                    good |= (s >= 0) & (gc == tc[np.clip(s + d, 0, STEPS - 1)])
                if nan_colour is not None:
                    good |= (s < 0) & (gc == nan_colour)
                else:
                    good |= s < 0
        said = f"range {lo} to {hi}"
    out = {"bad": int((~good).sum()), "of": int(good.size), "said": said, "examples": []}
    for i, j in np.argwhere(~good)[:3]:
        y, x = int(np.floor(ey[i])), int(np.floor(ex[j]))
        what = f"{raw[y, x].tolist()}, which is {want[y // by, x // bx].round(1).tolist()}" if rgb else f"{p[y, x]}, in a cell of {cells[y // by, x // bx]}"
        out["examples"].append(f"pixel {px[j]}, {py[i]} of element [{y}, {x}] = {what}: colour {got[i, j].tolist()}")
    return out


def judge_lines(case):
    """Each column of pixels has ink from the least to the greatest of its elements, and nowhere else."""
    g, img = case["plot"], shot(case["shot"], case["w"], case["h"])
    a = np.load(case["file"], mmap_mode="r")
    for f in case.get("field") or []:
        a = a[f]
    at = list(case.get("at") or [0] * a.ndim)
    v = numbers(a[tuple(slice(None) if k == case["x"] else at[k] for k in range(a.ndim))], case.get("part"))
    scale, gamma = case.get("scale", "linear"), case.get("gamma", 1)
    # Numbers are distances from base. Long doubles near 2**64 have no fractions.
    origin = np.longdouble(g["Base"])
    base = origin if scale == "linear" else 0
    v = v - base
    n, w, h = len(v), g["W"], g["H"]
    x0, x1 = g["From"], g["To"]  # the elements at the left and right edge
    y0, y1 = np.longdouble(g["Lo"]) + (origin - base), np.longdouble(g["Hi"]) + (origin - base)
    order = np.arange(n)
    if case.get("along"):
        # What lies along x instead of the index, sorted, and what the left and right edge are of it.
        x = np.load(os.path.join(os.path.dirname(case["file"]), case["along"]))
        x = (x[case["alongfield"]] if "alongfield" in case else x).astype(np.longdouble if x.dtype.names else "i8").astype(np.longdouble)
        first, last = np.longdouble(g["XFrom"]) + np.longdouble(g["XBase"]), np.longdouble(g["XTo"]) + np.longdouble(g["XBase"])
        if case["along"] not in (g["Along"], g["Along"] + ".npy") and g["Along"] != case.get("alongfield"):
            return {"bad": -1, "said": f"along x is {g['Along']!r}"}
        order = np.argsort(x)
        order = order[(x[order] >= first) & (x[order] <= last)]
        if not {x[order[0]], x[order[-1]]} == {first, last}:
            return {"bad": -1, "said": f"x is from {first} to {last}, not of elements"}
        v, order = v[order], (x[order] - first) / (last - first)
        n = len(v)
    a, b = np.searchsorted(order, [x0, x1])
    f = v[a:b]
    f = f[np.isfinite(f)]
    if not f.size:
        f = np.array([y0 * 0.9 + y1 * 0.1, y0 * 0.1 + y1 * 0.9])  # any scale fits
    said = f"from {y0} to {y1}, of {f.min()} to {f.max()}, all from {base} on"
    span = f.max() - f.min()
    if not (y0 <= f.min() and y1 >= f.max()) or span > 0 and (y1 - y0) > 1.5 * span:
        return {"bad": -1, "said": "the scale does not fit: " + said}
    # The ticks, from 0 to 1 between the least and the greatest, are called what is there.
    texts, places = g["Ticks"].split(), [float(p) for p in g["Places"].split()]
    if not texts or len(texts) != len(places):
        return {"bad": -1, "said": f"ticks {texts} at {places}"}
    for text, place in zip(texts, places) if span > 0 and np.isfinite(v).any() else ():
        is_, want = np.longdouble(g["Offset"] or "0") - base + np.longdouble(text), f.min() * (1 - np.longdouble(place)) + f.max() * place
        if scale != "linear":  # where what the tick says is
            if abs(share(is_, np.min(f[f > 0]) if scale == "log" else f.min(), f.max(), scale, gamma) - place) > 1e-3:
                return {"bad": -1, "said": f"the tick {text} is at {place}"}
            continue
        if abs(is_ - want) > max(span / 500, abs(want + base) * 3e-16):
            return {"bad": -1, "said": f"the tick {text} beside {g['Offset']!r} is at {want}"}
    img = img[int(g["Y"]):int(g["Y"]) + int(h), int(g["X"]):int(g["X"]) + int(w)]
    ink = (img[..., 2] - img[..., 0]) > 14
    margin = 0.04  # of the plot, below the least and above the greatest
    least_, most_ = (np.min(f[f > 0]) if scale == "log" and f.min() <= 0 else f.min()), f.max()
    if scale == "linear":
        row = lambda q: float((y1 - q) / (y1 - y0)) * h
    else:
        row = lambda q: float(np.clip((1 + margin - share(q, least_, most_, scale, gamma)) / (1 + 2 * margin), -9, 10)) * h
    edge = x0 + (np.arange(-3, int(w) + 5)) * (x1 - x0) / w  # of columns, three more on either side
    cut = np.searchsorted(order, edge)
    least, most = np.full(len(cut) - 1, np.nan, np.longdouble), np.full(len(cut) - 1, np.nan, np.longdouble)
    up, down = np.zeros(len(least), bool), np.zeros(len(least), bool)
    for k in range(len(cut) - 1):
        s = v[cut[k]:cut[k + 1]]
        up[k], down[k] = (s == np.inf).any(), (s == -np.inf).any()  # these lie beyond the plot
        s = s[np.isfinite(s)]
        if s.size:
            least[k], most[k] = s.min(), s.max()
    bad, examples = 0, []
    for c in range(2, int(w) - 2):
        wide_lo, wide_hi = np.nan, np.nan
        if not np.isnan(least[c:c + 7]).all():
            wide_lo, wide_hi = np.nanmin(least[c:c + 7]), np.nanmax(most[c:c + 7])
        rows = np.flatnonzero(ink[:, c])
        wrong = ""
        if case["kind"] == "envelope":
            any_up, any_down = up[c:c + 7].any(), down[c:c + 7].any()
            if rows.size and np.isnan(wide_lo) and not any_up and not any_down:
                wrong = "ink where all is NaN"
            elif rows.size and (rows[0] < row(wide_hi) - 3 and not any_up or rows[-1] > row(wide_lo) + 3 and not any_down):
                wrong = f"ink from row {rows[0]} to {rows[-1]}, beyond {row(wide_hi):.1f} to {row(wide_lo):.1f}"
        if not wrong and not np.isnan(most[c + 3]):
            near = np.flatnonzero(ink[:, c - 2:c + 3].any(1))
            for q in (least[c + 3], most[c + 3]):
                if not -1 < row(q) < h:  # below a scale of powers
                    continue
                if not near.size or np.abs(near - row(q)).min() > 3:
                    wrong = f"no ink at row {row(q):.1f}, for {q}"
        if wrong:
            bad += 1
            if len(examples) < 3:
                examples.append(f"column {c}, elements {cut[c + 3]} to {cut[c + 4]}: {wrong}")
    return {"bad": bad, "of": int(w) - 4, "said": said, "examples": examples}


def judge(case, maps):
    return judge_lines(case) if case["mode"] == "lines" else judge_image(case, maps)
