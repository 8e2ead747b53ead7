# The Python side of `make bench`. A line of standard input has a count, setup code and a line of Python. The program runs
# the setup once and the line count times, and prints the average time of the line in seconds.
import sys
import time
import warnings

import numpy as np

warnings.simplefilter("ignore")  # conversions drop imaginary parts


def source(dtype, order, shape):
    """Writes a.npy with numbers that are exact in every dtype, and maps it."""
    a = np.empty(shape, dtype, order)
    a[...] = np.random.default_rng(1).integers(0, 2 if a.dtype == bool else 101, shape, "i1")
    if a.dtype.kind == "c":
        a.imag = 1
    np.save("a.npy", a)
    return np.asarray(np.load("a.npy", mmap_mode="r"))  # calls on an ndarray are faster than on np.memmap


def destination(dtype, order, shape):
    o = np.empty(shape, dtype, order)  # np.empty uses huge pages, np.zeros does not
    o.fill(0)
    return o


def total(a):
    """Returns the sum of a, computed like in ndmap: floats in float64, integers in their own dtype."""
    a = a.astype(a.dtype.newbyteorder("="), copy=False)
    return a.sum(dtype="f8" if a.dtype.kind == "f" else a.dtype).astype(a.dtype)


def exact(function, a, axis):
    """Returns a reduction in NumPy's dtype, computed in float64 or complex128 where NumPy would use a shorter type."""
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
