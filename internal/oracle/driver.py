"""The Python side of proc.go. It reads a line of JSON and writes a line of JSON, until standard input ends.

In:  {"code": "...", "x": ...} runs the code in a namespace that has np and lasts until the next reset.
     {"reset": true} restores the first state of the process.
Out: {"out": ...} has the variable out, if the code has set it. For an exception: {"type": ..., "msg": ..., "traceback": ...}.
"""
import sys

# The empty entry is the working directory. Without it, no file there can be mistaken for a Python module.
sys.path[:] = [p for p in sys.path if p]

import base64
import json
import linecache
import os
import traceback
import warnings

import numpy as np

# Replies have their own descriptor, and the code's output goes to standard error, so that it does not mix with replies.
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
    """Converts values that json cannot encode: scalars and arrays of NumPy, bytes to base64 (as for Go's []byte), dtypes."""
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
    except BaseException as e:  # also SystemExit: the code must not end the process
        e.__traceback__ = e.__traceback__ and e.__traceback__.tb_next  # without the frame of this file
        text = json.dumps({
            "type": type(e).__name__,
            "msg": str(e),
            "traceback": "".join(traceback.format_exception(type(e), e, e.__traceback__)),
        })
    replies.write(text + "\n")
    replies.flush()
