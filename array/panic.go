package array

import (
	"fmt"
	"runtime"

	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/mmap"
)

// A PanicError is what work that goroutines share panics with in the goroutine of the caller, also where no other one
// helps. Uncaught, it prints the first stack. A page fault, outside of [mmap.Guard], is a [runtime.Error] with a method
// Addr() uintptr that wraps a *PanicError. Guard has a *[mmap.FaultError].
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
// what it is, and so does who has mapped memory without ndmap.
type faultPanic struct {
	*PanicError
	addr uintptr
}

func (e *faultPanic) Error() string {
	fault, ok := e.Recovered.(*mmap.FaultError)
	if !ok {
		return fmt.Sprintf("array: page fault at address %#x: it is in no mapping of ndmap\n\n%s", e.addr, e.Stack)
	}
	path := fault.Path
	if path == "" {
		path = "anonymous memory"
	}
	return fmt.Sprintf("array: page fault at byte %d of %s: %v; use mmap.Guard\n\n%s", fault.Offset, path, fault.Err,
		e.Stack)
}

func (e *faultPanic) Unwrap() error { return e.PanicError }
func (e *faultPanic) RuntimeError() {}
func (e *faultPanic) Addr() uintptr { return e.addr }

func init() { strided.Panic = newPanic }

// newPanic returns what to panic with in the goroutine of the caller, where another one with this stack
// panicked with v.
func newPanic(v any, stack []byte) any {
	switch fault := v.(type) {
	case *PanicError, *faultPanic: // of a pass within a pass
		return v
	case interface { // see debug.SetPanicOnFault
		runtime.Error
		Addr() uintptr
	}:
		return &faultPanic{&PanicError{errorOf(v), stack}, fault.Addr()}
	}
	return &PanicError{v, stack}
}

// errorOf returns the *mmap.FaultError that Guard makes of the panic value v, and v if it is no page fault in
// a mapping of ndmap.
func errorOf(v any) (err any) {
	defer func() {
		if recover() != nil {
			err = v
		}
	}()
	return mmap.Guard(func() error { panic(v) })
}
