package mmap

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"runtime/debug"
	"strconv"
)

// Guard calls f and returns its error. If the code of f meets a page fault in
// mapped memory, f ends there as if it panicked, its deferred calls run, and
// Guard returns a *[FaultError] that names the file and the byte.
//
// Guard knows the mappings of this package, open ones and closed ones,
// as long as their addresses stay reserved. Everything else passes through: [runtime.Goexit],
// and a panic with the value it had, also that of a nil pointer or of memory that was mapped
// by other means. A system call that is handed bad memory does not fault: it fails (EFAULT on
// Unix), and that is f's error to return.
//
// A fault still ends the program, which no package can prevent, where it is not Go code of
// the goroutine that called Guard that meets it:
//
//   - in another goroutine. Those that f starts need a Guard of their own. So does the
//     function that [iter.Pull] is given, which runs in one: a loop over v.Values() belongs
//     under Guard as a loop, and iter.Pull(v.Values()) can be guarded only by a Seq that
//     calls Guard itself.
//   - inside the runtime, where it holds a lock: it reads the element itself when
//     one is sent to a channel (ch <- b[i], [reflect.Value.Send]) or
//     printed by the built-in print and println. Copy it to a variable, and send that:
//     x := b[i]; ch <- x. What fmt prints is copied before.
//   - in C code, and in other code that is not Go's.
//
// What another process cuts off within the last page that the file still has is no fault: the
// system shows zeros there. Whether a file was all there while it was read, [Map.Unchanged] says
// afterwards.
//
// A deferred call of f that closes the mapping (defer m.Close()) takes nothing from what the
// FaultError says: Guard looks at the bytes before they are unmapped. It does not on Windows,
// nor for anonymous memory; Err is [fs.ErrClosed] then.
//
// Guard may be nested. It does not allocate unless there is a
// fault, and costs about as much as a few deferred calls: guard the loop
// rather than the element.
//
// Guard sees the address of a fault as the system reports it. On s390x that is
// the page, so Offset is its first byte. QEMU's user-mode emulation reports
// wrong addresses on big-endian machines, and often none on arm64 and ppc64le:
// faults there are panics.
func Guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer retireUnwound()
	v, returned, err := caught(f)
	if returned {
		return err
	}
	// Goexit does not get here: what recover found is a panic, with whatever value,
	// nil under GODEBUG=panicnil=1.
	if fault := faultError(v); fault != nil {
		return fault
	}
	panic(v)
}

// caught calls f, and ends a panic of it.
func caught(f func() error) (v any, returned bool, err error) {
	defer func() {
		if !returned {
			v = recover()
		}
	}()
	err = f()
	return nil, true, err
}

// ErrUnavailable is the Err of a [FaultError] where the system cannot supply the byte: the
// file was truncated, its disk or its network failed, its disk is full and had no block reserved
// for the byte (as in a [Config].Sparse file), or memory is short. The system does not tell which.
var ErrUnavailable = errors.New("the byte is not available")

// errStore is the ErrUnavailable of a byte that can be read.
var errStore = fmt.Errorf("%w for a store: the disk or a quota is full, the disk failed, or the file was truncated for a moment", ErrUnavailable)

// A FaultError is a page fault in mapped memory, as [Guard] found it.
type FaultError struct {
	Path   string  // of the file as it was given, "" for anonymous memory
	Offset int64   // of the byte in the file, or in the anonymous memory
	Addr   uintptr // where it was mapped

	// Err is fs.ErrClosed when the mapping was closed, and fs.ErrPermission when
	// the mapping is ReadOnly and the byte can be read after all: so it was
	// written to, unless the file was shorter for a moment only. Else it is
	// ErrUnavailable, or wraps it and says more: that a byte of a ReadWrite mapping can
	// be read after all, so that it was a store that failed. Guard never leaves it nil.
	Err error
}

// Error returns, for example, "t.npy: page fault at byte 8192: the mapping was
// closed".
func (e *FaultError) Error() string {
	var cause string
	switch {
	case e.Err == fs.ErrClosed:
		cause = "the mapping was closed"
	case e.Err == fs.ErrPermission:
		cause = "the mapping is read-only, or the file was truncated for a moment"
	case e.Err != nil && e.Err != ErrUnavailable:
		cause = e.Err.Error()
	case e.Path == "":
		cause = "the system has no memory for it, or the memory failed"
	default:
		cause = "the file was truncated, its disk is full, or its disk or network failed"
	}
	return name(e.Path) + ": page fault at byte " + strconv.FormatInt(e.Offset, 10) + ": " + cause
}

// Unwrap returns e.Err, nil for a nil e.
func (e *FaultError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// faultError returns what Guard makes of the panic value v, nil if it is none
// of its business.
func faultError(v any) *FaultError {
	// See debug.SetPanicOnFault. A nil pointer's fault has no Addr.
	if _, ok := v.(runtime.Error); !ok {
		return nil
	}
	fault, ok := v.(interface{ Addr() uintptr })
	if !ok {
		return nil
	}
	addr := fault.Addr()
	r, ok := find(addr)
	if !ok {
		return nil
	}
	off := addr - address(r.mem)
	e := &FaultError{Path: r.path, Offset: int64(off), Addr: addr, Err: ErrUnavailable}
	switch {
	case r.closed:
		e.Err = fs.ErrClosed
	case r.mode == ReadOnly && readable(r.mem, off):
		e.Err = fs.ErrPermission
	case r.mode == ReadWrite && r.path != "" && readable(r.mem, off):
		e.Err = errStore
	}
	return e
}

// readable reports whether mem[i] can be read. Faults must be panics already.
func readable(mem []byte, i uintptr) (ok bool) {
	defer func() { ok = recover() == nil }()
	load(mem, i)
	return
}

// load is not inlined, for else the load, whose result nobody uses, would not
// happen.
//
//go:noinline
func load(mem []byte, i uintptr) byte { return mem[i] }
