"""The Python side of proc.go: a line of JSON in, a line of JSON out, until standard input ends.

In:  {"code": "...", "x": ...}. The code runs in a namespace that lasts as long as the process and has np.
     {"reset": true}: the process becomes as it was when it began.
Out: {"out": ...}, the variable out if the code set it; or {"type": ..., "msg": ..., "traceback": ...}.
"""
import sys

# The empty entry is the working directory: a test's own folder must not stand in for a Python module.
sys.path[:] = [p for p in sys.path if p]

import base64
import json
import linecache
import os
import traceback
import warnings

import numpy as np

# Replies have a descriptor of their own, so that what the code prints goes to standard error and spoils none.
replies = os.fdopen(os.dup(1), "w", encoding="ascii")
os.dup2(2, 1)

compiled = {}
namespace = {}
folder, filters, options, errors = os.getcwd(), warnings.filters[:], np.get_printoptions(), np.geterr()


def reset():
    namespace.clear()
    namespace.update(np=np, b64=base64.b64decode)
    os.chdir(folder)
    warnings.filters[:] = filters
    np.set_printoptions(**options)
    np.seterr(**errors)


reset()


def compile_once(code):
    if code not in compiled:
        name = "<snippet %d>" % len(compiled)
        # Tracebacks quote the source through linecache.
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        compiled[code] = compile(code, name, "exec")
    return compiled[code]


def plain(v):
    """What json cannot encode: NumPy's scalars and arrays as Python's, bytes as base64 (Go's []byte)."""
    if isinstance(v, (np.generic, np.ndarray)):
        return v.tolist()
    if isinstance(v, (bytes, bytearray, memoryview)):
        return base64.b64encode(v).decode("ascii")
    if isinstance(v, np.dtype):
        return v.str
    raise TypeError("out holds a %s, which has no JSON" % type(v).__name__)


for line in sys.stdin.buffer:
    try:
        ask = json.loads(line)
        if "reset" in ask:
            reset()
            ask = {"code": "", "x": None}
        namespace.pop("out", None)
        namespace["x"] = ask["x"]
        exec(compile_once(ask["code"]), namespace)
        reply = {"out": namespace["out"]} if "out" in namespace else {}
        text = json.dumps(reply, default=plain, allow_nan=False)
    except BaseException as e:  # SystemExit too: the process outlives whatever the code does
        e.__traceback__ = e.__traceback__ and e.__traceback__.tb_next  # less this file's own frame
        text = json.dumps({
            "type": type(e).__name__,
            "msg": str(e),
            "traceback": "".join(traceback.format_exception(type(e), e, e.__traceback__)),
        })
    replies.write(text + "\n")
    replies.flush()
