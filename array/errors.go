package array

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"strconv"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/mmap"
)

// Errors that other errors wrap, for errors.Is. A *[FormatError] wraps ErrFormat, and a *[DTypeError] wraps ErrDType.
var (
	ErrReadOnly  = nd.ErrReadOnly                    // writing to a read-only array or file
	ErrNotDirect = nd.ErrNotDirect                   // elements cannot be accessed in place as Go values
	ErrShape     = index.ErrShape                    // invalid or mismatched shapes and orders
	ErrCopy      = index.ErrCopy                     // Reshape or Ravel needs a copy; Clone the array first
	ErrFormat    = errors.New("invalid file format") // malformed file, stream, or npz archive
	ErrDType     = nd.ErrDType                       // unsupported or mismatched dtypes and Go types
)

// A FormatError reports that a file or stream does not have the .npy format.
type FormatError struct {
	Path   string // path of the file; "" for a stream
	Part   string // the part with the mistake: "header" or "data"; "" for a file of another kind
	Offset int64  // offset of the mistake, in bytes from the start of the file
	Msg    string // the mistake, and the fix if there is one
}

// Error returns a message such as "t.npy: header at byte 8: …".
func (e *FormatError) Error() string {
	path := cmp.Or(e.Path, "stream")
	if e.Part == "" {
		return path + ": " + e.Msg
	}
	return fmt.Sprintf("%s: %s at byte %d: %s", path, e.Part, e.Offset, e.Msg)
}

// Unwrap returns [ErrFormat].
func (e *FormatError) Unwrap() error { return ErrFormat }

// formatError returns a *FormatError for an error of package npy, and other errors as they are. If a stream ended too
// early, the error also wraps the error of the stream.
func formatError(path string, err error) error {
	e, ok := errors.AsType[*npy.Error](err)
	switch {
	case !ok:
		return err
	case e.Ended != nil:
		return fmt.Errorf("%w: %w", &FormatError{path, e.Part, e.Offset, e.Msg}, e.Ended)
	}
	return &FormatError{path, e.Part, e.Offset, e.Msg}
}

// A DTypeError reports that an array has an unexpected dtype.
type DTypeError struct {
	Path string      // path of the array's file; "" for memory
	Have dtype.DType // dtype of the array
	Want dtype.DType // dtype that the caller expects
	Msg  string      // the difference, and the fix; "" if Have and Want say enough
}

func init() {
	nd.NewDTypeError = func(path string, have, want dtype.DType, msg string) error {
		return &DTypeError{path, have, want, msg}
	}
}

// Error returns a message such as "t.npy: have dtype <f8, want <i4; Cast[int32] converts".
func (e *DTypeError) Error() string {
	dtypes := fmt.Sprintf("have dtype %v, want %v", e.Have, e.Want)
	if e.Msg != "" {
		return nd.Prefix(e.Path) + e.Msg + ": " + dtypes
	}
	fix := ""
	if toReal := e.Want.Kind() != dtype.KindComplex && e.Want.Kind() != dtype.KindBool; e.Have.IsNumber() &&
		e.Want.IsNumber() &&
		!(e.Have.Kind() == dtype.KindComplex && toReal) {
		fix = "; Cast[" + goName(e.Want) + "] converts"
	}
	return nd.Prefix(e.Path) + dtypes + fix
}

// Unwrap returns [ErrDType].
func (e *DTypeError) Unwrap() error { return ErrDType }

// checkMemoryDType returns an error if elements in memory cannot have the dtype d.
func checkMemoryDType(d dtype.DType) error {
	switch {
	case d.Kind() == dtype.KindInvalid:
		return nd.OfKind(errors.New("the zero DType is invalid"), ErrDType)
	case d.HasObject():
		return nd.OfKind(fmt.Errorf("dtype %v contains Python objects, which an array cannot hold; use a dtype without objects", d), ErrDType)
	}
	return nil
}

// goName returns the name of the Go type for numbers of dtype d.
func goName(d dtype.DType) string {
	switch kind := d.Kind(); {
	case kind == dtype.KindBool:
		return "bool"
	case kind == dtype.KindBFloat16:
		return "dtype.BF16"
	case kind == dtype.KindFloat8E4M3FN:
		return "dtype.F8E4M3FN"
	case kind == dtype.KindFloat8E5M2:
		return "dtype.F8E5M2"
	case kind == dtype.KindFloat && d.ItemSize() == 2:
		return "dtype.Half"
	default:
		return kind.String() + strconv.Itoa(8*d.ItemSize())
	}
}

// A PanicError is the panic value in the caller's goroutine after work that goroutines may share has panicked, even if
// a single one did the work. Its message includes the stack of the goroutine that panicked. For a page fault outside of
// [mmap.Guard], the value is a runtime.Error that wraps a *PanicError.
type PanicError struct {
	Recovered any    // the value of the panic; a *[mmap.FaultError] for a page fault in mapped memory
	Stack     []byte // stack of the goroutine that panicked, as [runtime/debug.Stack] returns it
}

// Error returns the value of the panic, and the stack.
func (e *PanicError) Error() string {
	return fmt.Sprintf("array: panic: %v\n\n%s", e.Recovered, e.Stack)
}

// Unwrap returns e.Recovered if it is an error.
func (e *PanicError) Unwrap() error {
	if e == nil {
		return nil
	}
	err, _ := e.Recovered.(error)
	return err
}

// A faultPanic is the value of the panic for a page fault. mmap.Guard, and programs that have mapped memory without
// ndmap, recognise it by RuntimeError and Addr.
type faultPanic struct {
	*PanicError
	addr uintptr
}

func (e *faultPanic) Error() string {
	fault, ok := e.Recovered.(*mmap.FaultError)
	if !ok {
		return fmt.Sprintf("array: page fault at address %#x: outside all mappings of ndmap\n\n%s", e.addr, e.Stack)
	}
	return fmt.Sprintf("%v; use mmap.Guard\n\n%s", fault, e.Stack)
}

func (e *faultPanic) Unwrap() error { return e.PanicError }
func (e *faultPanic) RuntimeError() {}
func (e *faultPanic) Addr() uintptr { return e.addr }

func init() { strided.Panic = newPanic }

// newPanic returns the value with which the goroutine of the caller panics after another goroutine panicked with v.
// stack is the stack of the other goroutine.
func newPanic(v any, stack []byte) any {
	switch fault := v.(type) {
	case *PanicError, *faultPanic: // from a pass within a pass
		return v
	case interface { // see debug.SetPanicOnFault
		runtime.Error
		Addr() uintptr
	}:
		return &faultPanic{&PanicError{faultError(v), stack}, fault.Addr()}
	}
	return &PanicError{v, stack}
}

// faultError returns the *mmap.FaultError that Guard makes of the panic value v, or v if it is not a page fault in a
// mapping of ndmap.
func faultError(v any) (err any) {
	defer func() {
		if recover() != nil {
			err = v
		}
	}()
	return mmap.Guard(func() error { panic(v) })
}
