"""Writes the .npy files under testdata with NumPy. `make golden` runs it. The output is the same in every run.

usage: golden.py DIR

    golden/    numpy.save of 14 dtypes x both byte orders x C and F order x 8 shapes
    variants/  headers that numpy.load accepts, but that current versions of numpy.save do not write
    demo/      a few small files for examples

The elements are defined in values.go, too, and the lists of files in golden.go and variants.go. Change both sides
together; the tests of this package compare them. The program needs NumPy 1.24 or later: earlier versions write headers
without room to grow.
"""
import io
import os
import struct
import sys
import warnings

sys.path[:] = [p for p in sys.path if p]  # no Python module from the working directory

import numpy as np

SHAPES = [(), (0,), (3,), (2, 3), (2, 0, 3), (2, 3, 5), (2, 3, 5, 7), (1, 2, 1, 3, 2)]
DTYPES = ["|b1", "|i1", "|u1"] + [
    order + kind
    for kind in ["i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
    for order in "<>"
]


# Elements by their index in C order. values.go has the same functions in Go.

def an_int(dtype, k):
    info = np.iinfo(dtype)
    if k % 11 == 4:
        return info.min
    if k % 11 == 7:
        return info.max
    low = (k * 0x9E3779B97F4A7C15) % (1 << info.bits)
    return low - (1 << info.bits) if low > info.max else low


def a_float(k):
    special = {3: -0.0, 5: np.inf, 7: -np.inf, 9: np.nan, 10: 2.0**-24, 11: 65504.0}
    if k % 13 in special:
        return special[k % 13]
    return (k * 37 % 2048 - 1024) / 8


def a_bool(k):
    return (k * k + k // 3) % 2 == 1


def array(dtype, order, shape):
    """Returns the array with the elements above. order is its order in memory."""
    d = np.dtype(dtype)
    a = np.empty(shape, d)
    n = a.size
    if d.kind == "b":
        a.flat = [a_bool(k) for k in range(n)]
    elif d.kind in "iu":
        a.flat = np.array([an_int(d, k) for k in range(n)], d)
    elif d.kind == "f":
        a.flat = [a_float(k) for k in range(n)]
    else:  # in two parts, because re + 1j*im is NaN if im is infinite
        a.real.flat = [a_float(k) for k in range(n)]
        a.imag.flat = [a_float(k + 5) for k in range(n)]
    return np.array(a, order=order)  # not asfortranarray, which changes the shape () to (1,)


def dtype_name(dtype):
    return dtype[1:] + {"<": "-le", ">": "-be", "|": "-na"}[dtype[0]]


def shape_name(shape):
    return "x".join(map(str, shape)) or "scalar"


def golden(folder):
    for dtype in DTYPES:
        for order in "CF":
            for shape in SHAPES:
                name = "%s-%s-%s.npy" % (dtype_name(dtype), order, shape_name(shape))
                np.save(os.path.join(folder, name), array(dtype, order, shape))


class Variants:
    def __init__(self, folder):
        self.folder = folder

    def keep(self, name, data, want):
        """Checks that NumPy reads the wanted array from data, and writes the file."""
        got = np.load(io.BytesIO(data), allow_pickle=False)
        assert got.dtype == want.dtype and got.shape == want.shape, (name, got.dtype, got.shape)
        assert got.tobytes() == want.tobytes(), name
        assert got.flags.f_contiguous == want.flags.f_contiguous, name
        with open(os.path.join(self.folder, name + ".npy"), "wb") as f:
            f.write(data)

    def header(self, name, text, want, version=(1, 0), after=b""):
        """Writes a file with the given header text instead of NumPy's."""
        text = text.encode("utf-8" if version >= (3, 0) else "latin-1")
        size = struct.pack("<H" if version == (1, 0) else "<I", len(text))
        data = b"\x93NUMPY" + bytes(version) + size + text
        self.keep(name, data + want.tobytes("A") + after, want)

    def version(self, name, version, want):
        f = io.BytesIO()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "stored array in format 3.0"
            np.lib.format.write_array(f, want, version=version, allow_pickle=False)
        self.keep(name, f.getvalue(), want)


def variants(folder):
    v = Variants(folder)

    # Versions 2 and 3 as NumPy writes them: a length of four bytes instead of two.
    for major in 2, 3:
        for dtype, order, shape in [
            ("<f8", "C", (2, 3)),
            (">f8", "F", (2, 3)),
            (">c16", "F", (2, 3, 5)),
            ("<i2", "C", ()),
            ("|b1", "C", (2, 0, 3)),
        ]:
            name = "v%d-%s-%s-%s" % (major, dtype_name(dtype), order, shape_name(shape))
            v.version(name, (major, 0), array(dtype, order, shape))

    # Data at offsets that are not multiples of 64, or not even of the item size. NumPy before 1.14 aligned the data to
    # 16 bytes (offset 80). Other writers do not align it.
    for dtype in DTYPES:
        for offset in 76, 78, 80, 98:
            want = array(dtype, "F", (2, 3))
            text = "{'descr': '%s', 'fortran_order': True, 'shape': (2, 3), }" % dtype
            text = text.ljust(offset - 10 - 1) + "\n"
            v.header("offset%d-%s" % (offset, dtype_name(dtype)), text, want)

    # Each file has one unusual spelling, and an array for which a wrong order or shape is visible.
    f8 = array("<f8", "C", (3, 2))
    f4 = array(">f4", "F", (3, 2))
    for name, text, want in [
        ("long", "{'descr': '<f8', 'fortran_order': False, 'shape': (3L, 2L), }\n", f8),
        ("long-unaligned", "{'descr': '>f4', 'fortran_order': True, 'shape': (3L, 2L)}", f4),
        ("double-quotes", '{"descr": "<f8", "fortran_order": False, "shape": (3, 2), }\n', f8),
        ("mixed-quotes", "{\"descr\": '>f4', 'fortran_order': True, \"shape\": (3, 2), }\n", f4),
        ("unicode-prefix", "{u'descr': u'<f8', u'fortran_order': False, u'shape': (3, 2), }\n", f8),
        ("shape-first", "{'shape': (3, 2), 'fortran_order': True, 'descr': '>f4', }\n", f4),
        ("order-first", "{'fortran_order': False, 'shape': (3, 2), 'descr': '<f8'}\n", f8),
        ("no-newline", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }", f8),
        ("no-newline-padded", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }".ljust(118), f8),
        ("no-spaces", "{'descr':'<f8','fortran_order':False,'shape':(3,2)}", f8),
        ("many-spaces", "{ 'descr' : '>f4' ,\t'fortran_order'  :True,  'shape' : ( 3 , 2 ) }  \n", f4),
        ("many-lines", "{\n'descr': '<f8',\n'fortran_order': False,\n'shape': (3,\n2),\n}\n", f8),
        ("no-trailing-comma", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)}\n", f8),
        ("trailing-comma-in-shape", "{'descr': '>f4', 'fortran_order': True, 'shape': (3, 2,), }\n", f4),
        ("long-padding", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }".ljust(4000) + "\n", f8),
        ("one-axis-no-space", "{'descr':'>f4','fortran_order':True,'shape':(3,)}\n", array(">f4", "C", (3,))),
        ("scalar-fortran", "{'descr': '<i4', 'fortran_order': True, 'shape': (), }\n", array("<i4", "C", ())),
        ("scalar-space", "{'descr': '<i4', 'fortran_order': False, 'shape': ( ), }\n", array("<i4", "C", ())),
        ("not-applicable-order", "{'descr': '<u1', 'fortran_order': True, 'shape': (3, 2), }\n", array("|u1", "F", (3, 2))),
    ]:
        v.header(name, text, want)
    v.header("long-v2", "{'descr': '<f8', 'fortran_order': False, 'shape': (3L, 2L), }\n", f8, version=(2, 0))
    v.header("no-newline-v3", "{'descr': '>f4', 'fortran_order': True, 'shape': (3, 2)}", f4, version=(3, 0))
    v.header("trailing-bytes", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }\n", f8, after=b"more")


def demo(folder):
    def save(name, a):
        np.save(os.path.join(folder, name + ".npy"), a)

    # Four stations, six hours, degrees Celsius.
    temperature = np.array([
        [11.5, 12.0, 13.25, 15.0, 16.75, 17.5],
        [9.0, 9.75, 11.0, 12.5, 14.0, 14.25],
        [-2.5, -1.75, -0.5, 0.0, 1.25, 1.5],
        [21.0, 22.5, 24.25, 26.0, 27.75, 28.5],
    ])
    save("temperature", temperature)
    save("temperature-fortran", np.asfortranarray(temperature.astype(">f4")))
    save("frost", temperature < 0)
    save("counts", np.array([3, 141, 59265, -358979, 0, 2147483647], ">i4"))
    save("signal", np.array([1, 1j, -1, -1j, 0.5 + 0.25j], "<c8"))
    save("half", np.array([[0.5, 1.5, 65504.0], [-0.0, np.inf, np.nan]], "<f2"))
    save("answer", np.array(42, "<u8"))
    save("trades", np.array([
        ("2026-03-02T09:30:07.250", "ABC", 101.5, 200),
        ("2026-03-02T09:30:02.000", "XYZ", 18.25, 1000),
        ("2026-03-02T09:30:04.500", "ABC", 102.25, 50),
        ("2026-03-02T09:30:05.125", "LONG", 99.75, 400),
        ("2026-03-02T09:30:01.000", "ABC", 100.5, 300),
    ], [("time", "<M8[ms]"), ("symbol", "S4"), ("price", "<f8"), ("size", "<i4")]))  # packed: 24 bytes each
    save("image", (np.add.outer(np.arange(16) * 5, np.arange(24) * 7) % 256).astype("u1"))


def main():
    _, folder = sys.argv
    for make in golden, variants, demo:
        to = os.path.join(folder, make.__name__)
        os.makedirs(to, exist_ok=True)
        for old in os.listdir(to):
            if old.endswith(".npy"):
                os.remove(os.path.join(to, old))
        make(to)


if __name__ == "__main__":
    main()
