"""Reads the arrays referenced by npy refs with fsspec, zarr, Dask and xarray, on a cluster of two worker processes, and
compares them with NumPy. TestDask runs it (make test-dask). By hand, in an empty directory:

    PATH=bin:$PATH python3 dask_refs.py          all cases, and the code of DASK.md
    PATH=bin:$PATH python3 dask_refs.py bench    the figures of DASK.md

NDMAP_DASK_SETS is the number of random sets (60), and NDMAP_SEED their seed (1).
"""
import http.server
import itertools
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
import urllib.parse
import warnings

import dask
import dask.array as da
import distributed
import fsspec
import numpy as np
import xarray as xr
import zarr

HERE = os.path.dirname(os.path.abspath(__file__))
TAIL = 1 << 20  # incomplete chunks up to this size are copied


def npy(*args):
    """Runs the tool."""
    done = subprocess.run(["npy", *args], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError("npy %s: exit status %d: %s" % (" ".join(args), done.returncode, done.stderr))
    npy.stderr = done.stderr
    return done.stdout


class RangeHandler(http.server.BaseHTTPRequestHandler):
    """Serves only byte ranges of files below the working directory, as object stores do."""
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # the header and the body in one packet
    ranges = set()  # the requests: path, first and last byte

    def do_GET(self):
        path = urllib.parse.unquote(self.path).lstrip("/")
        if path != os.path.normpath(path):
            self.send_error(403)  # the client has not resolved the dot segments
            return
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if not asked or not os.path.isfile(path):
            self.send_error(404 if asked else 403)
            return
        first, last = map(int, asked.groups())
        with open(path, "rb") as f:
            f.seek(first)
            body = f.read(last + 1 - first)
        self.ranges.add((path, first, last))
        self.send_response(206)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Range", "bytes %d-%d/%d" % (first, first + len(body) - 1, os.path.getsize(path)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class RangeServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


# ---- What is read ----

DTYPES = (
    ["|b1", "|i1", "|u1"]
    + [o + t for t in "i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16".split() for o in "<>"]
    + ["|S1", "|S7", "<U1", ">U5", "|V3", "<f16", "<c32"]
    + ["<>"[k % 2] + "M8[%s]" % u for k, u in enumerate("Y M W D h m s ms us ps fs as".split())]
    + ["<M8[ns]", ">M8[ns]"]
    + ["<m8[ns]", ">m8[25s]", "<m8", ">M8[10us]"]
    + [
        [("x", "<f4"), ("n", "<i2")],
        [("x", ">f8"), ("n", "|u1"), ("name", "|S5")],
        [("pos", "<f4", (3,)), ("box", ">i2", (2, 2))],
        [("inner", [("a", ">c8"), ("b", "<U2")], (2,)), ("t", "<M8[ms]")],
        [("h\u00f6he", "<f2"), ("\u65e5\u672c\U0001f600", "|b1")],
    ]
)


def elements(dtype, shape, order="C", seed=0):
    """An array of random bytes, restricted to valid elements."""
    dtype = np.dtype(dtype)
    rng = np.random.default_rng([seed, dtype.itemsize, *shape])
    n = int(np.prod(shape, dtype=int))
    if dtype.kind == "b":
        a = rng.integers(0, 2, n).astype(dtype)
    elif dtype.kind == "U":
        a = np.array(["".join(map(chr, rng.integers(65, 0x3000, dtype.itemsize // 4))) for _ in range(n)], dtype)
    elif dtype.fields:
        a = np.zeros(n, dtype)
        for name in dtype.names:
            base = dtype[name].base
            a[name] = elements(base, (n, *dtype[name].shape), seed=seed)
    else:
        a = np.frombuffer(rng.bytes(n * dtype.itemsize), dtype).copy()
    return np.array(a.reshape(shape), order=order)


class Case:
    """Files, how to join them, and the resulting array."""

    def __init__(self, name, arrays, want, *args, save=None, tail=None):
        self.name, self.arrays, self.want, self.args = name, arrays, want, args
        self.save = save or save_npy
        self.tail = tail  # the axis along which tail continues data; None: there is no tail


def save_npy(folder, arrays):
    for i, a in enumerate(arrays):
        np.save("%s/%d.npy" % (folder, i), a)
    return ["%s/%d.npy" % (folder, i) for i in range(len(arrays))]


def save_savez(folder, arrays):
    np.savez(folder + "/savez.npz", **{"m%d" % i: a for i, a in enumerate(arrays)})
    return ["%s/savez.npz:m%d" % (folder, i) for i in range(len(arrays))]


def save_pack(folder, arrays):
    npy("pack", folder + "/pack.npz", *("sub/%d=%s" % (i, f) for i, f in enumerate(save_npy(folder, arrays))))
    return ["%s/pack.npz:sub/%d" % (folder, i) for i in range(len(arrays))]


def save_odd_name(folder, arrays):
    path = folder + "/a b%20#\u00e9?{{x}}.npy"
    np.save(path, arrays[0])
    return [path]


def cases():
    for k, dtype in enumerate(DTYPES):  # rows of 5, of which 3 make a chunk: 7 rows are padded, and 6 are not
        a = elements(dtype, (6 + k % 2, 5), "CF"[k // 2 % 2])
        row = a.nbytes // len(a) if k // 2 % 2 == 0 else a.nbytes // 5
        yield Case("dtype %s" % (dtype,), [a], a, "-chunk", str(3 * row))
    shapes = [(), (1,), (13,), (6, 4), (1, 7), (5, 1), (7, 3, 4), (3, 2, 5, 4), (1, 1, 1, 1), (0,), (3, 0, 2), (0, 4)]
    for shape, order in itertools.product(shapes, "CF"):
        if order == "F" and len(shape) < 2:
            continue
        a = elements("<i4", shape, order)
        for chunk in (1, 20, 1 << 20) if 1 < a.size < 30 else (20, 96) if a.size > 1 else (64,):
            yield Case("shape %s, order %s, chunks of %d bytes" % (shape, order, chunk), [a], a, "-chunk", str(chunk))
    for shape, order in itertools.product([(), (5,), (4, 3), (2, 3, 4)], "CF"):
        if order == "F" and len(shape) < 2:
            continue
        files = [elements(">i2", shape, order, seed) for seed in range(3)]
        for axis in range(-1, len(shape)):
            yield Case("3 of shape %s, order %s, stacked along axis %d" % (shape, order, axis), files, np.stack(files, axis).astype(">i2"),
                       "-stack", str(axis), "-chunk", str(8 if axis else 1 << 20))
    for shape, order in itertools.product([(6,), (4, 3), (2, 3, 4)], "CF"):
        if order == "F" and len(shape) < 2:
            continue
        for axis in range(len(shape)):
            for last in (0, -1, 2):  # its extra length
                third = tuple(n + last * (k == axis) for k, n in enumerate(shape))
                files = [elements("<f4", s, order, seed) for seed, s in enumerate([shape, shape, third])]
                outermost = axis == (0 if order == "C" else len(shape) - 1)
                yield Case("3 of shape %s, order %s, concatenated along axis %d, the last %+d" % (shape, order, axis, last),
                           files, np.concatenate(files, axis), "-concat", str(axis), "-chunk", str(1 << 20 if last else 16),
                           tail=axis if last > 0 and not outermost else None)
    files = [elements("|S3", s) for s in [(0, 2), (4, 2), (0, 2), (8, 2), (3, 2)]]
    yield Case("files of 0, 4, 0, 8 and 3 rows", files, np.concatenate(files), "-concat", "0", "-chunk", "24")
    for order, save in itertools.product("CF", [save_savez, save_pack]):
        files = [elements(">f8", (5, 3), order, seed) for seed in range(2)]
        yield Case("%s, order %s" % (save.__name__[5:], order), files, np.stack(files).astype(">f8"), "-stack", "0", "-chunk", "80", save=save)
    a = elements("<u2", (9, 2))
    yield Case("a file whose name is no URL", [a], a, "-chunk", "8", save=save_odd_name)
    yield Case("a file without a header", [a], a[1:], "-chunk", "8", "-raw", "<u2", "-shape", "-1,2", "-offset", "132")
    for order in "CF":
        a = elements("|u1", (1009, 3001), order)
        n = [1009, 3001][order == "F"]
        rows = 2 * (TAIL // (a.size // n) + 1)
        yield Case("a tail, order %s" % order, [a], a, "-chunk", str(rows * (a.size // n)), tail="CF".index(order))
        files = [elements("|i1", (1024, 1100), order), elements("|i1", (1024, 1100), order, 1), elements("|i1", (1024, 1024), order, 2)]
        if order == "F":
            files = [f.T.copy("F") for f in files]
        axis = "FC".index(order)
        yield Case("a last file that is tail, order %s" % order, files, np.concatenate(files, axis), "-concat", str(axis), tail=axis)
        files = [elements("|i1", (1009, 4001), order, seed) for seed in range(2)]
        yield Case("a tail of each file, order %s" % order, files, np.stack(files, 1), "-stack", "1", "-chunk", str(1 << 20), tail=[0, 2][order == "F"])


# ---- How it is read ----


def open_dask(fo):
    """The arrays of a group, by name, as Dask arrays."""
    names = zarr.open_group("reference://", mode="r", storage_options={"fo": fo}).array_keys()
    return {name: da.from_zarr("reference://", component=name, storage_options={"fo": fo}) for name in names}


def open_xarray(fo):
    """The same through xarray, which would otherwise join an axis of S1 to one text."""
    with xr.open_zarr("reference://", consolidated=False, storage_options={"fo": fo}, concat_characters=False) as ds:
        return {name: ds[name].data for name in ds.variables}


def has_xarray(dtype):
    """Whether xarray supports such elements: its times are in nanoseconds, and it converts >U5 to <U20."""
    if dtype.kind in "biufc":
        return dtype.str[1:] not in ("f16", "c32")
    return dtype.kind == "S" or dtype.str in ("<U1", "<M8[ns]", "<m8[ns]")


def parts_of(case, fo):
    """The expected arrays of the group, by name."""
    if case.tail is None:
        return {"data": case.want}
    tail = zarr.open_group("reference://", mode="r", storage_options={"fo": fo})["tail"]
    if dict(tail.attrs, _ARRAY_DIMENSIONS=0) != {"_ARRAY_DIMENSIONS": 0, "continues": "data", "axis": case.tail}:
        raise AssertionError("%s: tail has the attributes %s" % (case.name, dict(tail.attrs)))
    return dict(zip(["data", "tail"], np.split(case.want, [-tail.shape[case.tail]], case.tail)))


def compare(name, got, want, native=False):
    got = np.asarray(got)
    if native:  # xarray supports no other byte order
        want = want.astype(want.dtype.newbyteorder("="))
    if got.dtype != want.dtype or got.dtype.str != want.dtype.str or got.shape != want.shape or got.tobytes() != want.tobytes():
        raise AssertionError("%s: got %s %s, want %s %s\n%.500s\n%.500s" % (name, got.dtype, got.shape, want.dtype, want.shape, got, want))


def check(client, base):
    made = list(cases())
    for k in range(0, len(made), 25):  # some at a time: a call of the cluster takes longer than a case
        todo, size = [], 0
        for i, case in enumerate(made[k:k + 25], k):
            folder = "case%d" % i
            os.mkdir(folder)
            files = case.save(folder, case.arrays)
            fo, remote = os.path.abspath(folder + "/refs.json"), os.path.abspath(folder + "/http.json")
            npy("refs", *case.args, fo, *files)
            npy("refs", *case.args, "-base", base, remote, *files)
            ways = {"Dask, files": open_dask(fo), "Dask, HTTP": open_dask(remote)}
            if has_xarray(case.want.dtype):
                ways["xarray"] = open_xarray(fo)
            with open(remote) as f:
                size += sum(ref[2] for ref in json.load(f)["refs"].values() if isinstance(ref, list))
            todo.append((case, parts_of(case, fo), ways))
        RangeHandler.ranges.clear()
        got = client.compute([ways for _, _, ways in todo], sync=True)
        for (case, want, _), ways in zip(todo, got):
            for way, arrays in ways.items():
                if set(arrays) != set(want):
                    raise AssertionError("%s: %s: arrays %s, want %s" % (case.name, way, set(arrays), set(want)))
                for name in want:
                    compare("%s: %s: %s" % (case.name, way, name), arrays[name], want[name], way == "xarray")
            print("equal: %s (%s)" % (case.name, "; ".join(ways)), flush=True)
        asked = sum(last + 1 - first for _, first, last in RangeHandler.ranges)
        if asked != size:
            raise AssertionError("%d bytes were asked of the server, and %d are referred to" % (asked, size))
    return len(made)


def read_on_worker(fo):
    """Reads all of data without Dask, in a worker."""
    return os.getpid(), zarr.open_group("reference://", mode="r", storage_options={"fo": fo})["data"][...].tobytes()


def check_workers(client):
    """Each of two processes reads the references."""
    a = elements("<f8", (300, 7))
    np.save("workers.npy", a)
    npy("refs", "-chunk", "560", "workers.json", "workers.npy")
    fo = os.path.abspath("workers.json")
    addresses = list(client.scheduler_info()["workers"])
    read = [client.submit(read_on_worker, fo, workers=[w], pure=False) for w in addresses]
    pids = set()
    for pid, b in client.gather(read):
        pids.add(pid)
        if b != a.tobytes():
            raise AssertionError("a worker read other elements")
    if len(pids) != 2 or os.getpid() in pids:
        raise AssertionError("worker processes: %s; want two, beside %d" % (pids, os.getpid()))
    fs = fsspec.filesystem("reference", fo=fo)
    if fs.cat_file("data/29.0") != a[290:].tobytes():
        raise AssertionError("fsspec read other bytes")
    print("equal: read by two worker processes, zarr and fsspec", flush=True)


# ---- Chunks that are asked for together ----

NAMES = ["trades", "today", "day9", "day10", "day11", "a", "b b", "B", "z%20", "~", "_", "-", "\u00e9", "\u65e5\u672c", "\U0001f600", "sub/x", "sub.d/a"]


def random_set(rng):
    """Files whose names are not sorted, how to join them, and the resulting array."""
    dtype = np.dtype(rng.choice(["<f8", ">i2", "|u1", "|S3"]))
    order = rng.choice("CF")
    shape = [rng.randint(1, 6) for _ in range(rng.randint(0, 4))]
    join = rng.choice(["stack", "concat", "concat"] if shape else ["stack"])
    n = rng.randint(1, 5)
    axis = rng.randint(-len(shape) - (join == "stack"), len(shape) - (join == "concat"))
    shapes = [list(shape) for _ in range(n)]
    if join == "concat" and rng.random() < 0.3:
        shapes[-1][axis] = rng.randint(1, 6)
    files = [elements(dtype, s, order, rng.randrange(1 << 30)) for s in shapes]
    want = np.stack(files, axis) if join == "stack" else np.concatenate(files, axis)
    chunk = rng.randint(files[0].nbytes // 16 + 1, files[0].nbytes + 1)
    args = ["-" + join, str(axis), "-chunk", str(chunk)]
    names = rng.sample(NAMES, n)
    if rng.random() < 0.2:  # all in one file
        names = ["one.npz:" + name for name in names]
    return args, names, files, want.astype(dtype)


def save_set(names, files):
    os.makedirs("sub", exist_ok=True)
    os.makedirs("sub.d", exist_ok=True)
    if names[0].startswith("one.npz:"):
        inside = list(zip([name[8:] for name in names], files))
        np.savez("one.npz", **dict(sorted(inside)))  # in another order
        return names
    for name, a in zip(names, files):
        np.save(name + ".npy", a)
    return [name + ".npy" for name in names]


def random_slice(rng, shape):
    s = []
    for n in shape:
        lo, hi = rng.randrange(n), rng.randint(1, n)  # zarr fails if nothing is selected
        s.append(rng.choice([slice(None), slice(min(lo, hi - 1), hi), slice(None, None, 2), slice(lo, None, rng.randint(1, 3)), lo]))
    return tuple(s[:rng.randint(0, len(s))])


def check_set(rng, what, data, want, single):
    """Reads chunks one by one and, unless single, several at a time."""
    compare(what + ": chunk by chunk", da.from_zarr(data).compute(scheduler="synchronous"), want)
    if single:
        return
    compare(what + ": data[...]", data[...], want)
    for _ in range(3):
        s = random_slice(rng, want.shape)
        compare("%s: data[%s]" % (what, s), data[s], want[s])
    if want.ndim:
        picked = [sorted(rng.sample(range(n), rng.randint(1, n)), reverse=rng.random() < 0.5) for n in want.shape]
        compare("%s: data.oindex[%s]" % (what, picked), data.oindex[tuple(picked)], want[np.ix_(*picked)])
        mask = np.array([True] + [rng.random() < 0.5 for _ in range(want.size - 1)]).reshape(want.shape)
        compare("%s: data.vindex[%s]" % (what, mask.tolist()), data.vindex[mask], want[mask])
    blocks = tuple(min(n, 2 * c) for n, c in zip(want.shape, data.chunks))
    compare(what + ": in blocks of several chunks", da.from_zarr(data, chunks=blocks).compute(scheduler="synchronous"), want)


def check_sets(n, seed, base):
    """Random sets, read in this process: files, below base, and in memory, where names are like those of an object store. With the
    usual max_gap fsspec merges ranges of what is as small as here, and then confuses nothing; with -1 it merges none."""
    print("NDMAP_SEED=%d draws the sets" % seed, flush=True)
    memory = fsspec.filesystem("memory")
    done, refused, others, warned, stored = 0, 0, 0, 0, 0
    k = 0
    while done < n:
        rng = random.Random("%d %d" % (seed, k))
        k += 1
        folder = os.path.abspath("set%d" % k)
        os.mkdir(folder)
        home = os.getcwd()
        os.chdir(folder)
        args, names, files, want = random_set(rng)
        files = save_set(names, files)
        try:
            where = {0: base + "/set%d" % k, 1: "file://" + folder, 2: "memory://set%d" % k, 3: "memory://set%d" % k}.get(k % 8)
            npy("refs", *args, *(["-base", where] if where else []), "refs.json", *files)
            single = "warning" in npy.stderr
            if k % 8 in (2, 3):
                stored += 1
                warned += single
                for name in {name.split(":")[0] for name in files}:
                    with open(name, "rb") as f:
                        memory.pipe("/set%d/%s" % (k, name), f.read())
            elif single:
                raise AssertionError("NDMAP_SEED=%d, set %d: npy refs %s -base %s %s: %s" % (seed, k, " ".join(args), where, files, npy.stderr))
        except RuntimeError as e:
            if ": exit status 1: npy: " not in str(e):
                raise
            refused += 1
            continue
        finally:
            os.chdir(home)
        done += 1
        fo = folder + "/refs.json"
        with open(fo) as f:
            others += any(isinstance(ref, list) and "./" in ref[0] for ref in json.load(f)["refs"].values())
        for gap in (-1, 64000):
            group = zarr.open_group("reference://", mode="r", storage_options={"fo": fo, "max_gap": gap})
            parts = {"data": want}
            if "tail" in group:
                axis = group["tail"].attrs["axis"]
                parts = dict(zip(["data", "tail"], np.split(want, [-group["tail"].shape[axis]], axis)))
            for name, part in parts.items():
                check_set(rng, "NDMAP_SEED=%d, set %d: npy refs %s %s, max_gap %d: %s" % (seed, k, " ".join(args), files, gap, name), group[name], part, single)
        shutil.rmtree(folder)
        memory.store.clear()
    print("equal: %d random sets, %d of them with dot segments; %d in memory, with %d warnings; %d more were refused" % (
        done, others, stored, warned, refused), flush=True)
    if n >= 40 and not (0 < others < n and 0 < warned < stored):
        raise AssertionError("too few sets of a kind")


def check_help(base):
    """Runs the examples of npy refs -help, and reads all of data in one go."""
    home = os.getcwd()
    os.mkdir("help")
    os.chdir("help")
    t = elements("<f8", (31, 24))
    trades = elements([("time", "<M8[s]"), ("symbol", "|S4"), ("price", "<f8"), ("size", "<i4")], (8,), seed=1)
    today = elements(trades.dtype, (8,), seed=2)
    other = elements("<f8", (31, 24), seed=3)
    frames = elements("<u2", (2, 48, 64), seed=4)
    np.save("temperature.npy", t)
    np.save("trades.npy", trades)
    np.save("today.npy", today)
    np.savez("data.npz", temperature=other)
    with open("frames.raw", "wb") as f:
        f.write(bytes(512) + frames.tobytes())
    wants = {"temperature.json": t, "trades.json": np.concatenate([trades, today]), "two.json": np.stack([t, other]), "frames.json": frames}
    lines = npy("refs", "-help").split("\nexamples:\n")[1].splitlines()
    for line in lines:
        args = [base + "/help" if a == "https://host/data" else a for a in shlex.split(line)]
        npy(*args[1:])
    os.chdir(home)  # where the server has its files
    for line in lines:
        out = next(a for a in line.split() if a.endswith(".json"))
        for gap in (-1, 64000):
            group = zarr.open_group("reference://", mode="r", storage_options={"fo": os.path.abspath("help/" + out), "max_gap": gap})
            compare(line, group["data"][...], wants[out])
        del wants[out]
        print("equal:" + line, flush=True)
    if wants:
        raise AssertionError("no example makes %s" % sorted(wants))


# ---- DASK.md ----


def check_document():
    """Runs the code of the document, in order, and compares what it computes."""
    with open(os.path.join(HERE, "..", "DASK.md"), encoding="utf-8") as f:
        blocks = re.findall(r"^```(sh|python)\n(.*?)^```$", f.read(), re.M | re.S)
    days = [elements("<f4", (n, 50, 20), seed=n) for n in (240, 240, 100)]
    for a in days:
        a[...] = np.arange(a.size).reshape(a.shape) % 1000
    for i, a in enumerate(days):
        np.save("day%d.npy" % (i + 1), a)
    odd = [days[0][:7], days[1][:31].astype(">f4"), days[2][:5].copy("F")]
    for i, a in enumerate(odd):
        np.save("odd%d.npy" % (i + 1), a)
    names = {}
    for language, code in blocks:
        if language == "sh":
            if code.startswith("npy "):
                subprocess.run(["sh", "-e", "-c", code], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        else:
            exec(compile(code, "DASK.md", "exec"), names)
    whole = np.concatenate(days)
    for name, want in {
        "mean": whole.mean(0),
        "largest": whole.max(),
        "row": whole[480],
        "odd_mean": np.concatenate(odd).mean(0),
        "all_sum": np.float64(whole.sum(dtype="f8")),
    }.items():
        if not np.allclose(names[name], want, rtol=1e-5):
            raise AssertionError("DASK.md: %s is %s, want %s" % (name, names[name], want))
    a = elements("<i4", (1009, 1001))
    np.save("whole.npy", a)
    npy("refs", "-chunk", str(2 * TAIL), "whole.json", "whole.npy")
    compare("DASK.md: whole, with a tail", names["whole"](os.path.abspath("whole.json")).compute(), a)
    names["client"].close()
    print("equal: the code of DASK.md, %d blocks" % len(blocks), flush=True)


# ---- Figures ----


def bench(client):
    a = np.lib.format.open_memmap("bench.npy", "w+", "<f8", (2048, 65536))
    for i in range(0, len(a), 64):
        a[i:i + 64] = np.random.default_rng(i).random((64, 65536))
    a.flush()
    npy("refs", "bench.json", "bench.npy")
    fo = os.path.abspath("bench.json")
    path = os.path.abspath("bench.npy")
    data = da.from_zarr("reference://", component="data", storage_options={"fo": fo})

    def read(block_id):
        return np.asarray(np.load(path, mmap_mode="r")[block_id[0] * 128:][:128])

    blocks = da.map_blocks(read, chunks=((128,) * 16, (65536,)), dtype="f8", meta=np.empty((0, 0)))
    ways = {
        "Dask, references": lambda: data.mean(axis=0).compute(),
        "Dask, map_blocks": lambda: blocks.mean(axis=0).compute(),
        "NumPy, np.load(mmap_mode='r')": lambda: np.load(path, mmap_mode="r").mean(axis=0),
        "npy reduce": lambda: npy("reduce", "-force", "-op", "mean", "-axis", "0", path, "mean.npy"),
    }
    times = {name: [] for name in ways}
    for _ in range(8):
        for name, do in ways.items():
            start = time.perf_counter()
            do()
            times[name].append(time.perf_counter() - start)
    want = a.mean(axis=0)
    for got in (data.mean(axis=0).compute(), blocks.mean(axis=0).compute(), np.load("mean.npy")):
        if not np.allclose(got, want, rtol=1e-12):
            raise AssertionError("the means differ")
    print("%s, %d MiB, load %s" % (a.shape, a.nbytes >> 20, os.getloadavg()))
    for name, t in times.items():
        t = sorted(t[1:])  # the first round fills the page cache
        print("%-32s median %.2f s, least %.2f s" % (name, t[len(t) // 2], t[0]), flush=True)


def main():
    print("Dask %s, distributed %s, zarr %s, fsspec %s, xarray %s, NumPy %s" % tuple(
        m.__version__ for m in (dask, distributed, zarr, fsspec, xr, np)), flush=True)
    warnings.filterwarnings("ignore", category=RuntimeWarning)
    start = time.time()
    server = RangeServer(("127.0.0.1", 0), RangeHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = "http://127.0.0.1:%d" % server.server_address[1]
    sets = int(os.environ.get("NDMAP_DASK_SETS") or 60)
    if sys.argv[1:] != ["bench"]:
        check_help(base)
        check_sets(sets, int(os.environ.get("NDMAP_SEED") or 1), base)
    dask.config.set({
        "distributed.comm.timeouts.connect": "120s",
        "distributed.comm.timeouts.tcp": "120s",
        "distributed.worker.memory.target": False,
        "distributed.worker.memory.spill": False,
        "distributed.worker.memory.pause": False,
        "distributed.worker.memory.terminate": False,
    })
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", scheduler_port=0,
                                  dashboard_address=None, memory_limit=0, local_directory=os.path.abspath("workers")) as cluster:
        dask.config.set({"scheduler-address": cluster.scheduler_address})
        with distributed.Client(cluster) as client:
            client.wait_for_workers(2, timeout=120)
            if sys.argv[1:] == ["bench"]:
                bench(client)
                return
            check_workers(client)
            n = check(client, base)
            check_document()
    print("%d cases and %d random sets equal to NumPy in %.0f s" % (n, sets, time.time() - start), flush=True)


if __name__ == "__main__":
    main()
