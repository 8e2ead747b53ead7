"""What NumPy makes of spellings of simple types: table() returns a list of [spelling, dtype], the dtype as its str with
= for a byte order that the spelling does not name, or "" where NumPy knows no such type.

    python3 spellings.py > spellings.txt    with NumPy 1.24 on 64-bit Linux
"""
import string
import warnings

import numpy as np

warnings.simplefilter("ignore")


def spellings():
    names = [n for n in np.sctypeDict if isinstance(n, str)] + list(string.ascii_letters + "?_%~")
    sizes = ["0", "00", "1", "2", "4", "8", "08", "16", "32"]
    sized = [k + n for k in string.ascii_letters + "?" for n in sizes]
    units = "Y M W D h m s ms us ns ps fs as generic \u03bcs \u00b5s B S".split()
    times = ["", "[]", "[25]", "[s", "[s]x", "[0/2]"] + ["[" + n + u + "]" for n in ["", "25", "007"] for u in units]
    times += ["[%s%s/%s]" % (n, u, d) for n in ["", "7"] for u in units for d in "1 2 3 7 12 024 30 365 1000".split()]
    times += ["[%s/%d]" % (u, d) for u in units if u != "W" for d in [1440, 3600, 60000, 86400, 1000000, 86400000]]
    kept = [o + n for n in sorted(set(names + sized)) for o in ["", "<", ">", "=", "|"]]
    kept += [n + t for t in times for n in ["M8", "m8", "datetime64", "timedelta64"]]
    kept += [o + n + t for t in ["", "[s]", "[25us]"] for o in "<>=|" for n in ["M8", "M08", "m8", "datetime64", "timedelta64"]]
    return list(dict.fromkeys(kept)) + ["", "<", "=", ">=f8", "f8 ", " f8", "float64 ", "U007", "S20000", "<M4[s]", "f08", "f010"]


def known(s):
    try:
        d = np.dtype(s)
    except Exception:
        return ""
    if "[0" in d.str:  # no unit at all: of weeks NumPy 1.24 reads past the end of its table
        return ""
    return d.str if s[0] in "<>" or d.byteorder == "|" else "=" + d.str[1:]


def table():
    return [[s, known(s)] for s in spellings()]


if __name__ == "__main__":
    for s, d in table():
        print(s + "\t" + d)
