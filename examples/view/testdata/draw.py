# Random arrays of all kinds, and random views of them, for TestRandomPixels. draw(seed, n, save) returns them as
# the test's table of pixelCases has them.
import numpy as np


def elements(r, shape, code):
    n = int(np.prod(shape))
    d = np.dtype(code)
    if d.kind == "b":
        return r.random(shape) < r.choice([0.5, 0.02, 0])
    if d.kind in "iu":
        info = np.iinfo(d)
        lo, hi = int(info.min), int(info.max)
        match r.integers(5):
            case 0:
                a = r.integers(lo, hi, shape, dtype=d.newbyteorder("="), endpoint=True)
            case 1:  # labels
                a = r.integers(0, 9, shape)
            case 2:  # few of them
                a = np.where(r.random(shape) < 3 / max(n, 1), hi, 7)
            case 3:  # near the end of what there is
                a = np.asarray(hi, d) - r.integers(0, min(100, hi), shape).astype(d)
            case _:
                a = (np.arange(n).reshape(shape) % (min(hi, 2**62) - 2)).astype(d)
        return a.astype(d)
    match r.integers(8):
        case 0:
            a = r.normal(size=shape)
        case 1:
            a = np.exp(r.normal(0, 3, shape))
        case 2:
            a = r.choice([1e3, 1e9, -1e15, 1.7e18 if d.itemsize >= 8 else 5]) + r.normal(size=shape)
        case 3:
            a = np.where(r.random(shape) < 3 / max(n, 1), r.choice([-1, 1], shape), 0.0)
        case 4:
            a = np.linspace(-1, 1, n).reshape(shape)
        case 5:
            a = np.full(shape, r.normal())
        case 6:
            a = np.cumsum(r.normal(size=shape), int(r.integers(len(shape))))
        case _:
            a = r.normal(size=shape) * r.choice([1e-30, 1e30, 1e4])
    if d.kind == "c":
        a = a * np.exp(1j * np.linspace(0, 20, n).reshape(shape))
    with np.errstate(over="ignore"):
        a = a.astype(d)
    if r.integers(3) == 0:  # NaN: some, a block, or every other one
        match r.integers(3):
            case 0:
                a[r.random(shape) < 0.2] = np.nan
            case 1:
                a[tuple(slice(0, (k + 1) // 2) for k in shape)] = np.nan
            case _:
                a.reshape(-1)[::2] = np.nan
    if r.integers(6) == 0 and n:
        a.reshape(-1)[r.integers(0, n, 3)] = r.choice([np.inf, -np.inf], 3)
    return a


def shape_of(r):
    match r.integers(7):
        case 0:
            return [int(r.integers(1, 9)), int(r.integers(1000, 200000))]
        case 1:
            return [int(r.integers(1000, 200000)), int(r.integers(1, 9))]
        case 2:
            return [int(r.integers(1, 30)), int(r.integers(1, 30))]
        case 3:
            return [int(k) for k in r.integers(300, 1500, 2)]
        case 4:
            return [int(r.integers(1, 12)), int(r.integers(20, 500)), int(r.integers(20, 500))]
        case 5:
            return [int(k) for k in r.integers(1, 40, int(r.integers(3, 5)))]
        case _:
            return [int(10 ** r.uniform(0, 6))]


def draw(seed, n, maps):
    r = np.random.default_rng(seed)
    names, cases = list(maps), []
    for i in range(n):
        code = str(r.choice(list("<>"))) + str(r.choice("b1 i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16".split()))
        shape = shape_of(r)
        colours = r.integers(8) == 0
        if colours:
            shape = [int(k) for k in r.integers(2, 900, 2)] + [int(r.integers(3, 5))]
            code = str(r.choice(["u1", "<u2", "f2", ">f4"]))
            a = r.random(shape) if code[-2] == "f" else r.integers(0, np.iinfo(code).max, shape, endpoint=True)
            a = a.astype(code)
        else:
            a = elements(r, shape, code)
        a = np.asarray(a, order=str(r.choice(["C", "F"])))
        name = f"{i}"
        np.save(name + ".npy", a)
        dims = len(shape)
        at = [int(r.integers(k)) for k in shape]
        want, view = {"at": at}, ["at=" + ",".join(map(str, at))]
        lines = not colours and r.integers(3) == 0
        part = ""
        if a.dtype.kind == "c":
            part = str(r.choice(["abs", "real", "imag", "angle"]))
            view.append("part=" + part)
            want["part"] = part
        if lines:
            x = int(r.integers(dims))
            want["x"] = x
            view += ["mode=lines", f"lx={x}", "over=-1"]
            if r.integers(2) and shape[x] > 20:
                lo, hi = sorted(int(k) for k in r.choice(shape[x], 2, replace=False))
                if hi - lo > 8:
                    view += [f"from={lo}", f"to={hi}"]
        else:
            view.append("mode=image")
            if colours:
                y, x = 0, 1
                want["c"] = 2
                want["top"] = 1 if a.dtype.kind == "f" else int(np.iinfo(a.dtype).max)
            elif dims == 1:
                y, x = -1, 0
            else:
                y, x = (int(k) for k in r.choice(dims, 2, replace=False))
                view += [f"y={y}", f"x={x}", "rgb=0"]  # three of any numbers may look like colours
            want["y"], want["x"] = y, x
            h, w = 1 if y < 0 else shape[y], shape[x]
            if not colours:
                large = a.dtype.kind in "iu" and a.dtype.itemsize == 8  # which may have no zero for the middle of a map
                m = str(r.choice([k for k in names if k != "cyclic" and not (large and "–" in k)]))
                how = str(r.choice(["mean", "min", "max"]))
                want |= {"map": m, "how": how}
                view += ["map=" + m.replace("–", "%E2%80%93"), "how=" + how]
                if part == "angle":
                    want |= {"range": "hand", "lo": -np.pi, "hi": np.pi}
                elif a.dtype.kind == "b":
                    want |= {"range": "hand", "lo": 0, "hi": 1}
                else:
                    match r.integers(3):
                        case 0:
                            want["range"] = "extremes"
                            view.append("range=extremes")
                        case 1 if not large:
                            lo, hi = sorted(float(k) for k in r.normal(size=2))
                            want |= {"range": "hand", "lo": lo, "hi": hi}
                            view += ["range=hand", f"colours={lo!r},{hi!r}"]
                        case _:
                            plo, phi = float(r.choice([0, 0.1, 1, 5])), float(r.choice([50, 99, 99.9, 100]))
                            want |= {"plo": plo, "phi": phi}
                            view += [f"plo={plo:g}", f"phi={phi:g}"]
                want["stack"] = any(k > 1 for j, k in enumerate(shape) if j not in (y, x))
                if r.integers(3) == 0:
                    view.append("perFrame=1")
                    want["stack"] = False
            thin = 20 * min(h, w) < max(h, w)
            match 1 if thin else r.integers(3):
                case 0:
                    z = float(10 ** r.uniform(-1, 1.9))
                    z = max(z, 300 / max(h, w) / 2)
                    view += [f"zx={z:.4f}", f"zy={z:.4f}", f"cx={r.integers(w)}", f"cy={r.integers(h)}"]
                    view.append("stretch=0")
                case 1:
                    view.append("stretch=1")
        window = [int(r.integers(420, 1600)), int(r.integers(320, 1000))]
        cases.append({"name": name, "view": "&".join(view), "want": repr(want), "size": window,
                      "said": f"{a.dtype.str} {tuple(shape)}"})
    return cases
