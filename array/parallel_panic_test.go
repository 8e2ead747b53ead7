package array

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// panicWith panics with v, or with a runtime error if v is nil.
//
//go:noinline
func panicWith(v any) {
	if v == nil {
		var none []int
		v = none[0]
	}
	panic(v)
}

// TestPassPanicKeepsStack tests that a panic of a user's function reaches the caller with its value and the stack of
// its origin, with and without the help of other goroutines.
func TestPassPanicKeepsStack(t *testing.T) {
	v := countingVector(1 << 20)
	dst := must(FromSlice(make([]float64, v.Size())))
	sentinel := errors.New("enough")
	pass := map[string]func(cause any){
		"Reduce": func(cause any) {
			Reduce(v, func([]float64) (float64, error) { panicWith(cause); return 0, nil }, add)
		},
		"merge": func(cause any) {
			Reduce(v, sumBlock, func(a, b float64) float64 { panicWith(cause); return 0 })
		},
		"Map": func(cause any) {
			Map(dst, v, func(dst, src []float64) error { panicWith(cause); return nil })
		},
		"Rows": func(cause any) {
			Rows(v, func(int, View[float64]) error { panicWith(cause); return nil })
		},
		"Map in Map": func(cause any) {
			Map(dst, v, func(dst, src []float64) error {
				part := must(FromSlice(dst))
				return Map(part, part, func(dst, src []float64) error { panicWith(cause); return nil })
			})
		},
	}
	eachGOMAXPROCS(func(procs int) {
		for name, pass := range pass {
			for _, cause := range []any{"mine", sentinel, fmt.Errorf("wrapped: %w", sentinel), nil} {
				got := panicValue(func() { pass(cause) })
				e, ok := got.(*PanicError)
				if !ok {
					t.Fatalf("%s, %d goroutines: panic with %T: %v", name, procs, got, got)
				}
				if cause != nil && e.Recovered != cause {
					t.Errorf("%s, %d goroutines: panic with %v, want %v", name, procs, e.Recovered, cause)
				}
				if !strings.Contains(string(e.Stack), "array.panicWith(") {
					t.Errorf("%s, %d goroutines: the stack is not the stack of the panic:\n%s", name, procs, e.Stack)
				}
				if want := fmt.Sprintf("array: panic: %v\n\n%s", e.Recovered, e.Stack); e.Error() != want {
					t.Errorf("%s: the text is %q, want %q", name, e, want)
				}
				if err, _ := cause.(error); errors.Is(e, sentinel) != errors.Is(err, sentinel) {
					t.Errorf("%s: %v is sentinel: %v", name, cause, errors.Is(e, sentinel))
				}
				if _, ok := errors.AsType[runtime.Error](e); ok != (cause == nil) {
					t.Errorf("%s: %v is a runtime.Error: %v", name, e.Recovered, ok)
				}
			}
		}
	})
}

// TestPassGoexit tests that a function that ends its goroutine, as t.FailNow does, ends the goroutine of the caller.
func TestPassGoexit(t *testing.T) {
	v := countingVector(1 << 20)
	for name, pass := range map[string]func(){
		"Reduce": func() { Reduce(v, func([]float64) (float64, error) { runtime.Goexit(); return 0, nil }, add) },
		"merge":  func() { Reduce(v, sumBlock, func(a, b float64) float64 { runtime.Goexit(); return 0 }) },
		"Map":    func() { Map(v, v, func(dst, src []float64) error { runtime.Goexit(); return nil }) },
		"Rows":   func() { Rows(v, func(int, View[float64]) error { runtime.Goexit(); return nil }) },
		"late": func() {
			Reduce(v, func(b []float64) (float64, error) {
				if b[len(b)-1] == 1<<20-1 {
					runtime.Goexit()
				}
				return 0, nil
			}, add)
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachGOMAXPROCS(func(procs int) {
				checkNoGoroutineLeft(t, func() {
					returned, done := false, make(chan any)
					go func() {
						defer func() { done <- recover() }()
						pass()
						returned = true
					}()
					if v := <-done; v != nil || returned {
						t.Errorf("%s, %d goroutines: panic with %v, returned: %v", name, procs, v, returned)
					}
				})
			})
		})
	}
}

// TestFaultWithoutGuard tests that the panic of a page fault outside Guard says what happened, and where.
func TestFaultWithoutGuard(t *testing.T) {
	if isEmulated() {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	const n = 4 << 20
	path := tempPath(t)
	must(Create(path, dtype.Float64, index.C, n)).Close()
	f := must(Open(path, mmap.ReadWrite))
	defer f.Close()
	v := must(As[float64](f.Array))
	truncate(t, path, 1<<20)
	max := must(FromSlice(make([]float64, 1))).Index(0).Array()
	eachGOMAXPROCS(func(procs int) {
		for name, work := range map[string]func(){
			"Sum":       func() { Sum[float64](v) },
			"Reduce":    func() { Reduce(v, sumBlock, add) },
			"Map":       func() { Map(v, v, func(dst, src []float64) error { dst[0] = src[0]; return nil }) },
			"Reduction": func() { Reduction{Op: OpMax}.Into(max, f.Array) },
			"Rows":      func() { Rows(v, func(_ int, rows View[float64]) error { rows.At(0); return nil }) },
		} {
			got := panicValue(work)
			err, _ := got.(error)
			fault, isFault := errors.AsType[*mmap.FaultError](err)
			e, isPanic := errors.AsType[*PanicError](err)
			if !isFault || !isPanic || fault.Path != path || fault.Err != mmap.ErrUnavailable || fault.Offset < 1<<20 {
				t.Fatalf("%s, %d goroutines: panic with %T: %v", name, procs, got, got)
			}
			want := fmt.Sprintf("%s: page fault at byte %d: the file was truncated, its disk is full, or its disk or "+
				"network failed; use mmap.Guard\n\n%s", path, fault.Offset, e.Stack)
			if err.Error() != want || !strings.Contains(string(e.Stack), "goroutine ") {
				t.Errorf("%s, %d goroutines: the text is %q, want %q", name, procs, err, want)
			}
			if _, ok := got.(runtime.Error); !ok {
				t.Errorf("%s: %T is not a runtime.Error", name, got)
			}
			if err := mmap.Guard(func() error { panic(got) }); err == nil || err.Error() != fault.Error() {
				t.Errorf("%s: Guard returns %v, want %v", name, err, fault)
			}
		}
	})
}
