# The other half of `make bench`: does what it is told, one line of Python a request,
# so many times, and answers with the seconds that one of them took.
import sys
import time
import warnings

import numpy as np

warnings.simplefilter("ignore")  # imaginary parts are dropped


def source(dtype, order, shape):
    """Makes a.npy, of numbers that every dtype has, and maps it."""
    a = np.empty(shape, dtype, order)
    a[...] = np.random.default_rng(1).integers(0, 2 if a.dtype == bool else 101, shape, "i1")
    if a.dtype.kind == "c":
        a.imag = 1
    np.save("a.npy", a)
    return np.asarray(np.load("a.npy", mmap_mode="r"))  # which costs less to call than np.memmap


def destination(dtype, order, shape):
    o = np.empty(shape, dtype, order)  # of huge pages, which np.zeros is not
    o.fill(0)
    return o


def total(a):
    """The sum of a as ndmap has it: floats in float64, integers in 64 bits, compared in their own type."""
    a = a.astype(a.dtype.newbyteorder("="), copy=False)
    return a.sum(dtype="f8" if a.dtype.kind == "f" else a.dtype).astype(a.dtype)


def exact(function, a, axis):
    """The reduction, computed in float64 where NumPy takes a shorter float, in its dtype."""
    have = np.asarray(function(a, axis=axis))
    have = have.astype(have.dtype.newbyteorder("="))
    wide = {"f": "f8", "c": "c16"}.get(a.dtype.kind)
    if wide and function.__name__.removeprefix("nan") in ("sum", "mean", "var", "std"):
        return np.asarray(function(a, axis=axis, dtype=wide)).astype(have.dtype)
    return have


space = {"np": np, "source": source, "destination": destination, "total": total, "exact": exact}
for line in sys.stdin:
    times, setup, work = line.rstrip("\n").split("\t")
    if setup:
        exec(setup, space)
    seconds = 0.0
    if work:
        code = compile(f"for _ in range({times}): {work}", "work", "exec")
        start = time.perf_counter()
        exec(code, space)
        seconds = (time.perf_counter() - start) / int(times)
    print(repr(seconds), flush=True)
