# The other half of `make bench`: does what it is told, one line of Python a request,
# and answers with the seconds it took.
import sys, time
import numpy as np

space = {"np": np}
for line in sys.stdin:
    setup, _, work = line.rstrip("\n").partition("\t")
    if setup:
        exec(setup, space)
    seconds = 0.0
    if work:
        code = compile(work, "work", "exec")
        start = time.perf_counter()
        exec(code, space)
        seconds = time.perf_counter() - start
    print(repr(seconds), flush=True)
