"""Share edits a .npy file of integers at the same time as the Go program main.go.

    python3 share.py add FILE N      adds 1 to the first element and 2 to the second, N times
    python3 share.py turns FILE N    waits for a row from Go and writes a row, N times

main.go documents the guarantees.
"""
import fcntl
import sys
import time

import numpy as np


def add(f, x):
    """Change two elements. Processes that take the lock see both changes or none."""
    fcntl.flock(f, fcntl.LOCK_EX)  # waits while another process holds the lock; Go does not see lockf
    x[0] += 1
    x[1] += 2
    fcntl.flock(f, fcntl.LOCK_UN)


def turn(f, x):
    """Wait for an odd first element, check the elements written by Go, write, and make the first element even."""
    start = time.monotonic()
    while x[0] % 2 == 0:
        time.sleep(0)
        if time.monotonic() - start > 10:
            sys.exit("share: turn %d: the other program has written nothing for 10 s" % x[0])
    t = int(x[0])
    if not (x[1:] == t).all():
        sys.exit("share: turn %d: wrong elements %s" % (t, x))
    x[1:] = -(t + 1)
    x[0] = t + 1


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("add", "turns"):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    do = {"add": add, "turns": turn}[sys.argv[1]]
    x = np.load(sys.argv[2], mmap_mode="r+")  # keeps no open file, which a lock needs
    with open(sys.argv[2], "r+b") as f:
        for _ in range(int(sys.argv[3])):
            do(f, x)
