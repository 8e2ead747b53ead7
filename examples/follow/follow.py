"""Follow prints the rows of a .npy file, and then the rows that other processes append, as they arrive.

    python3 follow.py FILE            prints rows, until it is interrupted
    python3 follow.py -append FILE    appends a row of floats for each line of standard input

It is the Go program main.go in Python, using only NumPy. Each program reads what the other one
appends. No other process may append at the same time, because this program takes no lock.
"""
import io
import os
import sys
import time

import numpy as np


def header(f):
    """Return the shape and dtype of an open .npy file in C order, and the offset of its rows."""
    head = None
    while True:  # a writer may be changing the header: read it until it is the same twice
        before = head
        f.seek(0)
        head = f.read(4096)
        start = 10 + int.from_bytes(head[8:10], "little")
        if before is not None and head[:start] == before[:start]:
            break
    if head[:8] != b"\x93NUMPY\x01\x00" or start > len(head):
        raise ValueError("not a .npy file of version 1.0 with a short header")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(io.BytesIO(head[8:start]))
    if fortran or not shape:
        raise ValueError("want a file with rows in C order")
    return shape, dtype, start


def row_bytes(shape, dtype):
    return dtype.itemsize * int(np.prod(shape[1:], dtype=int))


class Appender:
    """Appends rows to a .npy file in C order, while other processes may follow it."""

    def __init__(self, path, sync=False):
        self.file = open(path, "r+b")
        self.sync = sync  # wait for the disk
        self.shape, self.dtype, self.start = header(self.file)

    def append(self, rows):
        """Append rows, an array or a list that is converted to the dtype of the file."""
        rows = np.ascontiguousarray(rows, self.dtype).reshape((-1,) + self.shape[1:])
        shape = (self.shape[0] + len(rows),) + self.shape[1:]
        text = "{'descr': %r, 'fortran_order': False, 'shape': %r, }" % (np.lib.format.dtype_to_descr(self.dtype), shape)
        room = self.start - 10 - 1  # space for the text of the header; NumPy pads it for growth
        if len(text) > room:
            raise ValueError("the header has no room for more rows: save the array to a new file")
        # Write the rows before the header that counts them, so that nobody sees a missing row.
        self.write(rows.tobytes(), self.start + self.shape[0] * row_bytes(shape, self.dtype))
        self.write(text.ljust(room).encode("latin1") + b"\n", 10)
        self.shape = shape

    def write(self, b, offset):
        self.file.seek(offset)
        self.file.write(b)
        self.file.flush()
        if self.sync:
            os.fsync(self.file.fileno())

    def close(self):
        self.file.close()


def follow(path, every=0.01):
    """Yield the rows of a file as arrays: first the existing rows, then new rows as they arrive, forever.

    np.load(path, mmap_mode="r") maps all rows present at the time of the call, unless a writer is changing
    the header at that moment. This function maps only the new rows.
    """
    seen = 0
    with open(path, "rb", buffering=0) as f:
        while True:
            shape, dtype, start = header(f)
            if shape[0] > seen:
                offset = start + seen * row_bytes(shape, dtype)
                rows = np.memmap(path, dtype, "r", offset, (shape[0] - seen,) + shape[1:])
                seen = shape[0]
                yield rows
            else:
                time.sleep(every)


def main(args):
    if len(args) == 2 and args[0] == "-append":
        a = None
        for line in sys.stdin:
            row = np.array(line.split(), "f8")
            if len(row) == 0:  # skip blank lines
                continue
            if a is None:
                if not os.path.exists(args[1]):
                    np.save(args[1], np.empty((0, len(row))))
                a = Appender(args[1], sync=True)
            a.append(row)
    elif len(args) == 1 and args[0] != "-append":
        for rows in follow(args[0]):
            for row in rows:
                print(row, flush=True)
    else:
        print(__doc__, file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        pass
