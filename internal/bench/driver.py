# The other half of `make bench`: does what it is told, one line of Python a request,
# so many times, and answers with the seconds that one of them took.
import sys
import time

import numpy as np

space = {"np": np}
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
