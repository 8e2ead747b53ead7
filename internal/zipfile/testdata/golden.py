"""Writes the golden archives of this folder: python3 golden.py savez-old.npz|savez-new.npz

The two ways in which Python writes the local headers of numpy.savez, which asks for zip64 always: up to 3.11.3, 3.10
and so on with the sizes in the header as well ("old"), from 3.11.4 on in the zip64 field alone ("new"). It needs no
NumPy, so that any Python can write what it writes: the arrays are header and data as numpy.save has them. savez-old.npz
is by Python 3.11.2 of Debian 12, and what NumPy 1.24.2 writes there of the same arrays; savez-new.npz by Python 3.11.7.
"""
import sys
import zipfile


def npy(descr, shape, data):
    text = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)
    return b"\x93NUMPY\x01\x00\x76\x00" + text.ljust(117).encode() + b"\n" + data


with zipfile.ZipFile(sys.argv[1], "w") as z:
    for name, data in [
        ("x", npy("<i2", "(3,)", bytes([1, 0, 2, 0, 3, 0]))),
        ("é", npy("|u1", "()", b"\x07")),
        ("empty", npy("<f8", "(0,)", b"")),
    ]:
        with z.open(name + ".npy", "w", force_zip64=True) as f:
            f.write(data)
