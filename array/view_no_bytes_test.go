package array

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/mmap"
)

// TestNoBytes tests elements of no bytes, which have no memory. All functions need a non-nil address for them.
func TestNoBytes(t *testing.T) {
	lay := must(index.NewLayout([]int{2, 3}, 0, index.C))
	d := dtype.Bytes(0)
	f := must(Create(tempPath(t), d, index.C, 2, 3))
	defer f.Close()
	for name, a := range map[string]Array{
		"FromBytes":   must(FromBytes(nil, d, index.C, 2, 3)),
		"FromPointer": must(FromPointer(nil, d, lay, nil)).Array,
		"New":         must(New(d, index.F, 2, 3)).Array,
		"File":        f.Array,
		"Stack":       must(Stack(must(FromBytes(nil, d, index.C, 3)), must(FromBytes(nil, d, index.C, 3)))),
	} {
		t.Run(name, func(t *testing.T) {
			v := must(As[[0]byte](a))
			n := 0
			v.SetAt(v.At(1, 2), 1, 1)
			v.Fill([0]byte{})
			for range v.Values() {
				n++
			}
			for b := range v.Blocks(index.F) {
				n += 10 * len(b)
			}
			for b := range v.Update(index.C) {
				n += 100 * len(b)
			}
			if n != 666 {
				t.Errorf("%s: count %d, want 666: 1 per element of Values, 10 of Blocks, 100 of Update", name, n)
			}
			c := must(v.Clone(index.C))
			m := must(c.Matrix())
			if row, ok := m.Row(1); len(must(c.Data())) != 6 || len(row) != 3 || !ok {
				t.Errorf("%s: the clone does not have 6 elements", name)
			}
			text := must(Text(a))
			if err := text.SetAt("", 1, 2); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if s, err := text.At(1, 2); s != "" || err != nil {
				t.Errorf("%s: %q, %v", name, s, err)
			}
		})
	}
}

// TestManyOfNothing tests files of a few bytes with a huge shape: the elements have no bytes, or one axis has length 0.
// Operations that do not visit the elements must return immediately.
func TestManyOfNothing(t *testing.T) {
	most := 1 << (strconv.IntSize - 2)
	for _, tt := range []struct {
		d     dtype.DType
		shape []int
	}{
		{dtype.Bytes(0), []int{most}},
		{dtype.Unicode(0), []int{most >> 10, 1 << 10}},
		{must(dtype.Struct(0)), []int{1 << 10, most >> 10}},
		{dtype.Float64, []int{most >> 3, 0}},
		{dtype.Float64, []int{0, most >> 3}},
	} {
		path := tempPath(t)
		must(Create(path, tt.d, index.C, tt.shape...)).Close()
		f := must(Open(path, mmap.ReadOnly))
		if n := f.Map().Len(); n > 128 || !cmp.Equal(f.Shape(), tt.shape) || f.NBytes() != 0 {
			t.Errorf("%v: %d bytes of file, %d of data", f.Shape(), n, f.NBytes())
		}
		a := must(f.T().Select(index.Every(-3)))
		a = must(a.ExpandDims(0))
		b := must(a.Clone(index.F))
		if err := Copy(b, a); err != nil {
			t.Error(err)
		}
		saved := tempPath(t)
		if err := Save(saved, a); err != nil {
			t.Error(err)
		}
		must(Open(saved, mmap.ReadOnly)).Close()
		f.Close()
	}
}

// TestStackTooLarge tests that a stack whose virtual memory would be too large is refused.
func TestStackTooLarge(t *testing.T) {
	mem := guardedPage(t)
	far := must(index.Strided([]int{2}, []int{math.MaxInt/2 + 1})) // its second element is never accessed
	f := must(FromPointer(strided.Start(mem), dtype.Float64, far, nil))
	for _, parts := range [][]Array{{f.Array}, {f.Array, f.Array}} {
		if _, err := Stack(parts...); !errors.Is(err, ErrShape) {
			t.Errorf("a stack of %d: %v, want an error that wraps ErrShape", len(parts), err)
		}
	}
}

// TestStackNoBytes tests fields of no bytes in a stack of arrays with one element each.
func TestStackNoBytes(t *testing.T) {
	d := must(dtype.Struct(100, dtype.Field{Name: "x", Type: dtype.Int32}, dtype.Field{Name: "z", Type: dtype.Bytes(0),
		Offset: 90}))
	part := func() Array {
		return must(must(FromBytes(make([]byte, 1000), d, index.C, 10)).Select(index.Range(9, 10)))
	}
	z := must(must(Stack(part(), part(), part())).Field("z"))
	v := must(As[[0]byte](z))
	v.SetAt(v.At(2, 0), 1, 0)
	_ = v.Index(2).At(0)
	n := 0
	for s, err := range must(Text(z)).Values() {
		if s != "" || err != nil {
			t.Errorf("%q, %v", s, err)
		}
		n++
	}
	if err := must(v.Clone(index.C)).CopyFrom(v); err != nil || n != 3 {
		t.Errorf("%d elements, want 3; %v", n, err)
	}
}

// TestUnknownOrder tests that an invalid Order is an error, and is not taken for C.
func TestUnknownOrder(t *testing.T) {
	v := countingView(index.C, 2, 3)
	a, none := v.Array(), index.Order(7)
	path := tempPath(t)
	want := map[string]string{
		"New":       "array: shape mismatch: order Order(7) for a new array; want C or F",
		"Create":    "create " + path + ": shape mismatch: order Order(7) for a new array; want C or F",
		"Convert":   "create " + path + ": shape mismatch: order Order(7) for a new array; want C or F",
		"FromBytes": "array: order Order(7) requires strides; want C or F",
		"Clone":     "array: unknown order Order(7), want C, F or K",
	}
	got := map[string]string{}
	for name, f := range map[string]func() error{
		"New":       func() error { _, err := New(v.DType(), none, 2, 3); return err },
		"Create":    func() error { _, err := Create(path, v.DType(), none, 2, 3); return err },
		"Convert":   func() error { return Convert(path, a, v.DType(), none) },
		"FromBytes": func() error { _, err := FromBytes(make([]byte, 48), v.DType(), none, 2, 3); return err },
		"Clone":     func() error { _, err := a.Clone(none); return err },
	} {
		got[name] = "no error"
		if err := f(); err != nil {
			got[name] = err.Error()
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file was created: %v", err)
	}
}

// TestZeroFile tests that the zero File behaves like a closed one.
func TestZeroFile(t *testing.T) {
	var f File
	_, appender := NewAppender[float64](&f)
	_, refresh := f.Refresh()
	for k, err := range []error{f.Close(), f.Sync(), f.Append(), f.Grow(1), appender, refresh, f.Unchanged()} {
		if !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%d: %v, want fs.ErrClosed", k, err)
		}
	}
	if f.Path() != "" || f.Map() != nil || !f.IsZero() {
		t.Errorf("%q, %v", f.Path(), f.Map())
	}
}

// TestHeaderChanges tests a header that changes while Open reads it. Open must read the header only once, and return an
// error or an array that fits the data.
func TestHeaderChanges(t *testing.T) {
	path := tempPath(t)
	f := must(Create(path, dtype.Uint8, index.C, 4000))
	defer f.Close()
	head := f.Map().Bytes()[:f.DataOffset()]
	// The data has 4,000 bytes. The original header describes 4,000 elements of one byte. Two other headers describe
	// four times as many bytes: 4,000 elements of four bytes, or 16,000 of one. Mixtures of their halves describe still
	// other arrays.
	short, wide, long := string(head), strings.Replace(string(head), "|u1", "<i4", 1), strings.Replace(string(head),
		"(4000,) ", "(16000,)", 1)
	var over atomic.Bool
	var wait sync.WaitGroup
	wait.Go(func() {
		for !over.Load() {
			for _, h := range []string{wide, short, long, short} {
				copy(head, h)
			}
		}
	})
	opens := 500
	if oracle.Long(t) {
		opens = 50000
	}
	good, bad := 0, 0
	for i := 0; i < opens || (good == 0 || bad == 0) && i < 1e7; i++ {
		g, err := Open(path, mmap.ReadOnly)
		var format *FormatError
		switch {
		case err == nil:
			good++
			if g.NBytes() > 4000 {
				t.Errorf("opened: %v of %v", g.Shape(), g.DType())
			}
			if v, err := As[uint8](g.Array); err == nil {
				Sum[float64](v)
			}
			g.Close()
		case errors.As(err, &format):
			bad++
		default:
			t.Error(err)
		}
	}
	over.Store(true)
	wait.Wait()
	if good == 0 || bad == 0 {
		t.Errorf("opened %d times, refused %d times; want both", good, bad)
	}
}
