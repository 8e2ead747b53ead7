package array

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/mmap"
)

// Errors that others wrap, to be asked for with errors.Is. A *[FormatError] wraps ErrFormat, a *[DTypeError] ErrDType.
var (
	ErrReadOnly  = nd.ErrReadOnly                       // also in the panic of writing through a read-only view
	ErrNotDirect = nd.ErrNotDirect                      // elements that are no Go slice
	ErrShape     = index.ErrShape                       // shapes, and orders, that do not fit
	ErrCopy      = index.ErrCopy                        // Reshape and Ravel that need a Clone
	ErrFormat    = errors.New("not as the format says") // bytes of a file, a stream, or an archive of package npz
	ErrDType     = nd.ErrDType                          // dtypes, and types of Go
)

// A FormatError says that a file or stream is not as the .npy format says.
type FormatError struct {
	Path   string // of the file, "" for a stream
	Part   string // what of the file is wrong: "header" or "data"; "" for a file of another kind
	Offset int64  // where, in bytes from the start of the file
	Msg    string // the mistake, and the fix if there is one
}

// Error returns, for example, "t.npy: header at byte 8: …".
func (e *FormatError) Error() string {
	path := cmp.Or(e.Path, "stream")
	if e.Part == "" {
		return path + ": " + e.Msg
	}
	return fmt.Sprintf("%s: %s at byte %d: %s", path, e.Part, e.Offset, e.Msg)
}

// Unwrap returns [ErrFormat].
func (e *FormatError) Unwrap() error { return ErrFormat }

// formatError names the file in an error of the header.
func formatError(path string, err error) error {
	if e, ok := errors.AsType[*npy.Error](err); ok {
		return &FormatError{path, e.Part, e.Offset, e.Msg}
	}
	return err
}

// A DTypeError says that elements have another dtype than was asked for.
type DTypeError struct {
	Path string      // of the file that the array lies in, "" for memory
	Have dtype.DType // of the array
	Want dtype.DType // what was asked for
	Msg  string      // the difference, and the fix; "" where the dtypes say it all
}

func init() {
	nd.NewDTypeError = func(path string, have, want dtype.DType, msg string) error {
		return &DTypeError{path, have, want, msg}
	}
}

// Error returns "t.npy: have dtype f8, want i4; Cast[int32] converts", say.
func (e *DTypeError) Error() string {
	if e.Msg != "" {
		return fmt.Sprintf("%s%s: have dtype %v, want %v", nd.Prefix(e.Path), e.Msg, e.Have, e.Want)
	}
	fix := ""
	if toReal := e.Want.Kind() != dtype.KindComplex && e.Want.Kind() != dtype.KindBool; e.Have.IsNumber() &&
		e.Want.IsNumber() &&
		!(e.Have.Kind() == dtype.KindComplex && toReal) {
		fix = "; Cast[" + goName(e.Want) + "] converts"
	}
	return fmt.Sprintf("%shave dtype %s, want %s%s", nd.Prefix(e.Path), withoutOrder(e.Have), withoutOrder(e.Want), fix)
}

// Unwrap returns [ErrDType].
func (e *DTypeError) Unwrap() error { return ErrDType }

// typeOf is dtype.Of with errors that wrap ErrDType.
func typeOf[T any]() (dtype.DType, error) {
	d, err := dtype.Of[T]()
	if err != nil {
		err = nd.OfKind(err, ErrDType)
	}
	return d, err
}

// notInMemory returns an error if elements in memory cannot have the dtype d.
func notInMemory(d dtype.DType) error {
	switch {
	case d.Kind() == dtype.KindInvalid:
		return nd.OfKind(errors.New("the zero DType describes no elements"), ErrDType)
	case d.HasObject():
		return nd.OfKind(fmt.Errorf("elements of dtype %v are Python objects", d), ErrDType)
	}
	return nil
}

// withoutOrder returns d as in a header, but for the byte order of a type without fields.
func withoutOrder(d dtype.DType) string { return strings.TrimLeft(d.String(), "<>|") }

// goName returns the name of the Go type of the numbers d.
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
	return fmt.Sprintf("array: page fault at byte %d of %s: %v; use mmap.Guard\n\n%s", fault.Offset,
		cmp.Or(fault.Path, "anonymous memory"), fault.Err, e.Stack)
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
