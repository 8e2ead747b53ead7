package array

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/mmap"
)

// checkReadOnlyError calls f and returns an error unless f panics with or returns an error that wraps ErrReadOnly.
func checkReadOnlyError(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err, _ = v.(error)
		}
		if errors.Is(err, ErrReadOnly) {
			err = nil
		} else {
			err = fmt.Errorf("%v, want an error that wraps ErrReadOnly", err)
		}
	}()
	return f()
}

// TestReadOnlyStays tests that every view derived from a read-only array is read-only. A write to a file that is mapped
// read-only would end the program.
func TestReadOnlyStays(t *testing.T) {
	d := dtype.MustParse("[('x', '<f8', (2,)), ('s', '<U2'), ('y', '>i4'), ('p', 'V3'), ('', 'V1')]")
	path := tempPath(t)
	f := must(Create(path, d, index.C, 3, 4, 5))
	ro := must(Open(path, mmap.ReadOnly))
	defer f.Close()
	defer ro.Close()
	offset := ro.DataOffset()
	raw := must(OpenRaw(path, mmap.ReadOnly, offset, d, index.C, 3, -1, 5))
	defer raw.Close()
	container := rawFile(t, append([]byte("x"), must(os.ReadFile(path))...))
	at := must(OpenAt(container, mmap.ReadOnly, 1))
	defer at.Close()
	m := must(mmap.Open(path, mmap.ReadOnly))
	defer m.Close()
	writable := must(New(d, index.C, 3, 4, 5)).Array
	sources := map[string]Array{
		"file":               ro.Array,
		"OpenRaw":            raw.Array,
		"OpenAt":             at.Array,
		"FromMap":            must(FromMap(m, int(offset), d, index.C, 3, 4, 5)),
		"broadcast":          must(writable.Broadcast(3, 4, 5)),
		"stack with a part":  must(must(Stack(writable, ro.Array)).Select(index.At(0))),
		"part of such":       must(Stack(ro.Array, writable)).Index(1),
		"stack, second axis": must(must(Stack(ro.Array, writable)).Select(index.Colon, index.At(1))),
		"broadcast of stack": must(must(Stack(writable, writable)).Broadcast(2, 3, 4, 5)).Index(1),
	}
	derive := map[string]func(a Array) Array{
		"itself": func(a Array) Array { return a },
		"Index":  func(a Array) Array { return a.Index(1) },
		"Select": func(a Array) Array {
			return must(a.Select(index.Reverse(), index.NewAxis))
		},
		"T":           func(a Array) Array { return a.T() },
		"Reshape":     func(a Array) Array { return must(must(a.Select(index.At(0))).Reshape(-1)) },
		"ExpandDims":  func(a Array) Array { return must(a.ExpandDims(1)) },
		"Squeeze":     func(a Array) Array { return must(must(a.ExpandDims(1)).Squeeze(1)) },
		"MoveAxis":    func(a Array) Array { return must(a.MoveAxis(0, -1)) },
		"Diagonal":    func(a Array) Array { return must(a.Diagonal(1, -2, -1)) },
		"Broadcast":   func(a Array) Array { return must(a.Broadcast(append([]int{2}, a.Shape()...)...)) },
		"Reinterpret": func(a Array) Array { return must(a.Reinterpret(d)) },
		"Stack":       func(a Array) Array { return must(Stack(must(a.Select(index.At(0))))).Index(0) },
		"Axis": func(a Array) Array {
			for _, part := range a.Axis(-1) {
				a = part
			}
			return a
		},
	}
	for source, a := range sources {
		t.Run(source, func(t *testing.T) {
			for derived, f := range derive {
				b := a
				if v := panicValue(func() { b = f(a) }); v != nil {
					if source == "stack, second axis" || source == "broadcast of stack" {
						continue // Reshape and Reinterpret need all elements in one memory, and Stack takes no stack
					}
					t.Fatalf("%s, %s: %v", source, derived, v)
				}
				name := source + ", " + derived
				if !b.ReadOnly() {
					t.Errorf("%s: ReadOnly() = false", name)
				}
				x, y := must(As[float64](must(b.Field("x")))), must(As[int32](must(b.Field("y"))))
				s, p := must(Text(must(b.Field("s")))), must(As[[3]byte](must(b.Field("p"))))
				zeros := make([]int, x.NDim())
				for how, write := range map[string]func() error{
					"Copy":           func() error { return Copy(b, must(b.Clone(index.C))) },
					"SetAt":          func() error { x.SetAt(1, zeros...); return nil },
					"SetAt, foreign": func() error { y.SetAt(1, zeros[1:]...); return nil },
					"SetAt, bytes":   func() error { p.SetAt([3]byte{1}, zeros[1:]...); return nil },
					"Fill":           func() error { x.Fill(1); return nil },
					"Fill, foreign":  func() error { y.Fill(1); return nil },
					"CopyFrom":       func() error { return x.CopyFrom(must(x.Clone(index.C))) },
					"Text.SetAt":     func() error { return s.SetAt("x", zeros[1:]...) },
					"Update": func() error {
						for b := range x.Update(index.K) {
							b[0] = 1
						}
						return nil
					},
					"Split": func() error { x.Split(2)[0].Fill(1); return nil },
					"Array": func() error { must(As[float64](x.Array())).Fill(1); return nil },
					"Vector": func() error {
						v := must(x.Select(firstIndices(x.NDim() - 1)...))
						w, err := v.Vector()
						if err == nil {
							w.SetAt(1, 0)
						} else if errors.Is(err, ErrNotDirect) {
							err = ErrReadOnly // a stack has no Vector
						}
						return err
					},
				} {
					if err := checkReadOnlyError(write); err != nil {
						t.Errorf("%s, %s: %v", name, how, err)
					}
				}
			}
		})
	}
	for _, a := range []Array{f.Array, at.Array, writable} {
		for i, c := range strided.Slice[byte](a.view.P, a.NBytes()) {
			if c != 0 {
				t.Fatalf("byte %d was written", i)
			}
		}
	}
}

// firstIndices returns selectors of the first element along n axes.
func firstIndices(n int) (sel []index.Selector) {
	for range n {
		sel = append(sel, index.At(0))
	}
	return sel
}

// panicValue returns the value that f panics with.
func panicValue(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}
