package mmap

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"runtime/debug"
	"strconv"
)

// Guard calls f and returns its error. If the code of f causes a page fault in mapped memory, f
// ends as if it had panicked, its deferred calls run, and Guard returns a *[FaultError] that names
// the file and the byte.
//
// Without Guard, a page fault ends the program with the message "unexpected fault address", which
// names no file. A program whose main function calls mmap.Guard(run), and whose goroutines call Guard
// as well, prints the file and the byte instead; FAQ.md in package array shows one.
//
// Guard recognizes the mappings of this package, both open ones and closed ones whose addresses are
// still reserved. Everything else passes through: [runtime.Goexit], and panics with their values,
// including nil dereferences and faults in memory mapped by other means. A system call on bad
// memory does not fault. It fails, with EFAULT on Unix, and f should return its error.
//
// # Limits
//
// Guard catches only faults in Go code of the goroutine that called it. Other faults end the program,
// which no package can prevent:
//
//   - Faults in another goroutine. Goroutines started by f need their own Guard. So does the
//     function passed to [iter.Pull], which runs in a goroutine of its own: put a loop over
//     v.Values() under Guard as a whole. iter.Pull(v.Values()) needs a Seq that calls Guard itself.
//   - Faults in the runtime while it holds a lock. The runtime reads the element itself if it is
//     sent to a channel (ch <- b[i], [reflect.Value.Send]) or printed by the built-in print and
//     println. Copy the element to a variable first: x := b[i]; ch <- x. Package fmt prints a copy.
//   - Faults in C and other code that is not Go.
//
// If another process truncates the file, the bytes within its new last page do not fault; the
// system shows zeros there. [Map.Unchanged] tells afterwards whether the file was complete while it
// was read.
//
// A deferred call in f that closes the mapping (defer m.Close()) does not change the FaultError,
// because Guard examines the bytes before they are unmapped. On Windows, and for anonymous memory,
// it does not, and Err is [fs.ErrClosed].
//
// On s390x the system reports only the page of a fault, so Offset is the first byte of the page.
// QEMU's user-mode emulation reports wrong addresses on big-endian machines, and often none on
// arm64 and ppc64le; faults are panics there.
//
// # Cost
//
// Calls of Guard may be nested. Guard allocates only if there is a fault, and costs about as much
// as a few deferred calls: guard the loop rather than the element.
func Guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer retireUnwound()
	v, returned, err := recoverPanic(f)
	if returned {
		return err
	}
	// Goexit does not get here: recover found a panic. Its value may be nil under
	// GODEBUG=panicnil=1.
	if fault := faultError(v); fault != nil {
		return fault
	}
	panic(v)
}

// recoverPanic calls f and recovers a panic of f. returned reports whether f returned. If it did not, v is the panic
// value.
func recoverPanic(f func() error) (v any, returned bool, err error) {
	defer func() {
		if !returned {
			v = recover()
		}
	}()
	err = f()
	return nil, true, err
}

// ErrUnavailable is the Err of a [FaultError] if the system cannot supply the byte. Possible
// causes, which the system does not distinguish, are
//
//   - the file was truncated
//   - its disk or its network failed
//   - its disk is full and had no block reserved for the byte, as in a [Config].Sparse file
//   - memory is short
var ErrUnavailable = errors.New("the byte is not available")

// errStore wraps ErrUnavailable for a store to a byte that can be read.
var errStore = fmt.Errorf("%w for a store: the disk or a quota is full, the disk failed, or the file was truncated for a moment", ErrUnavailable)

// A FaultError describes a page fault in mapped memory. [Guard] returns it.
type FaultError struct {
	Path   string  // the path of the file as the caller gave it, or "" for anonymous memory
	Offset int64   // the offset of the byte in the file or in the anonymous memory
	Addr   uintptr // the address of the byte

	// Err is the cause, never nil in a FaultError returned by Guard:
	//
	//   - fs.ErrClosed if the mapping was closed
	//   - fs.ErrPermission if the mapping is ReadOnly and the byte can be read. The fault was a store,
	//     unless the file was shorter for a moment only.
	//   - ErrUnavailable in all other cases, or an error that wraps it and says more: that the byte of
	//     a ReadWrite mapping can be read, so a store failed.
	Err error
}

// Error returns the message, for example "t.npy: page fault at byte 8192: the mapping was closed".
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
	return displayName(e.Path) + ": page fault at byte " + strconv.FormatInt(e.Offset, 10) + ": " + cause
}

// Unwrap returns e.Err, or nil if e is nil.
func (e *FaultError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// faultError returns the FaultError for the panic value v, or nil if v is not a fault in a mapping.
func faultError(v any) *FaultError {
	// See debug.SetPanicOnFault. The fault of a nil pointer has no Addr.
	if _, ok := v.(runtime.Error); !ok {
		return nil
	}
	fault, ok := v.(interface{ Addr() uintptr })
	if !ok {
		return nil
	}
	addr := fault.Addr()
	r, ok := findRegion(addr)
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

// readable reports whether mem[i] can be read. Faults must already be panics.
func readable(mem []byte, i uintptr) (ok bool) {
	defer func() { ok = recover() == nil }()
	load(mem, i)
	return
}

// load reads mem[i]. If it were inlined, the compiler would drop the load, because nobody uses its
// result.
//
//go:noinline
func load(mem []byte, i uintptr) byte { return mem[i] }
