package array

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/mmap"
)

// A PanicError is what work that goroutines share, of [Reduce], [Map], [Copy] and their like, panics
// with in the goroutine of the caller, where a panic in one of them would have lost its stack. It is the
// same where no other goroutine helps. Uncaught, it prints that stack.
//
// A page fault in mapped memory, outside of [mmap.Guard], is a [runtime.Error] that wraps a *PanicError. Under
// Guard it is a *[mmap.FaultError], as ever.
type PanicError struct {
	Recovered any    // what was panicked with; a *[mmap.FaultError] for a page fault in mapped memory
	Stack     []byte // of the goroutine that panicked, as [runtime/debug.Stack] has it
}

// Error returns what was panicked with, and the stack.
func (e *PanicError) Error() string {
	return fmt.Sprintf("array: panic: %v\n\n%s", e.Recovered, e.Stack)
}

// Unwrap returns e.Recovered if that is an error.
func (e *PanicError) Unwrap() error {
	if e == nil {
		return nil
	}
	err, _ := e.Recovered.(error)
	return err
}

// A faultPanic is the panic of a page fault. By RuntimeError and Addr, mmap.Guard knows it for
// what it is.
type faultPanic struct {
	*PanicError
	fault *mmap.FaultError
}

func (e *faultPanic) Error() string {
	path := e.fault.Path
	if path == "" {
		path = "anonymous memory"
	}
	return fmt.Sprintf("array: page fault at byte %d of %s: %v; use mmap.Guard\n\n%s", e.fault.Offset, path, e.fault.Err, e.Stack)
}

func (e *faultPanic) Unwrap() error { return e.PanicError }
func (e *faultPanic) RuntimeError() {}
func (e *faultPanic) Addr() uintptr { return e.fault.Addr }

func init() { strided.Panic = newPanic }

// newPanic returns what to panic with in the goroutine of the caller, where another one with this stack
// panicked with v.
func newPanic(v any, stack []byte) any {
	switch v.(type) {
	case *PanicError, *faultPanic: // of a pass within a pass
		return v
	case runtime.Error:
		if fault := faultOf(v); fault != nil {
			return &faultPanic{&PanicError{fault, stack}, fault}
		}
	}
	return &PanicError{v, stack}
}

// faultOf returns what Guard makes of the panic value v, nil if it is no page fault in mapped memory.
func faultOf(v any) (fault *mmap.FaultError) {
	defer func() { recover() }()
	fault, _ = errors.AsType[*mmap.FaultError](mmap.Guard(func() error { panic(v) }))
	return fault
}
