package array

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// appendAll appends x to a new file of dtype d with steps of shape row, k steps at a time. It compares the file with
// one that Save writes at once.
func appendAll[T any](t *testing.T, d string, order index.Order, row []int, k int, x []T) {
	t.Helper()
	shape := func(n int) []int {
		if order == index.F {
			return append(slices.Clone(row), n)
		}
		return append([]int{n}, row...)
	}
	step := 1
	for _, n := range row {
		step *= n
	}
	start := 0
	if order == index.F {
		start = 2
	}
	f := must(Create(tempPath(t), dtype.MustParse(d), order, shape(start)...))
	defer f.Close()
	a := must(NewAppender[T](f))
	for rest := x[start*step:]; len(rest) > 0; {
		n := min(k*step, len(rest))
		if err := a.Append(rest[:n]...); err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
	}
	if got := f.Size() + a.Buffered(); got != len(x) {
		t.Errorf("%s: %d elements in the file and %d in the buffer, want %d", d, f.Size(), a.Buffered(), len(x))
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	whole := must(New(dtype.MustParse(d), order, shape(len(x)/step)...))
	defer whole.Close()
	v := must(As[T](whole.Array))
	w := v
	if order == index.F {
		w = v.T()
	}
	k = 0
	for idx := range w.All(index.C) {
		w.SetAt(x[k], idx...)
		k++
	}
	head := must(As[T](f.Array))
	if order == index.F {
		head = head.T()
	}
	for i := range start * step {
		idx := make([]int, head.NDim())
		index.Unravel(i, head.Shape(), idx, index.C)
		head.SetAt(x[i], idx...)
	}
	if !bytes.Equal(must(os.ReadFile(f.Path())), writtenBytes(t, whole.Array)) {
		t.Errorf("%s: the file of %v is not what Save writes", d, f.Shape())
	}
}

// TestAppender appends elements of various Go types, with rows and calls smaller and larger than the buffer.
func TestAppender(t *testing.T) {
	oracle.AnyProcessor(t)
	numbers := make([]float64, 600_000) // more than four buffers
	for i := range numbers {
		numbers[i] = float64(i) + 0.5
	}
	appendAll(t, "<f8", index.C, nil, 1, numbers)
	appendAll(t, ">f8", index.C, []int{3}, 7, numbers)
	appendAll(t, "<f8", index.F, []int{2, 3}, 5, numbers)
	appendAll(t, "<f8", index.C, []int{200_000}, 1, numbers) // a row larger than the buffer
	appendAll(t, "<f8", index.C, []int{2}, 150_000, numbers) // an Append larger than the buffer
	appendAll(t, "|b1", index.C, nil, 2, []bool{true, false, true})
	appendAll(t, ">M8[s]", index.C, nil, 2, []int64{1, dtype.NaT, 1 << 40})
	appendAll(t, "|S3", index.C, nil, 1, [][3]byte{{'a'}, {'b', 'c', 'd'}})
	appendAll(t, ">U2", index.C, nil, 1, [][2]uint32{{'λ'}, {'x', 'y'}})
	appendAll(t, "|V0", index.C, nil, 1, make([][0]byte, 12))
	appendAll(t, ">f16", index.C, nil, 1, [][16]byte{{1, 2, 3}, {15: 9}})
	appendAll(t, "[('ts', '<M8[ns]'), ('id', '>u4'), ('side', 'i1'), ('price', '<f4', (2,)), ('size', '>i4')]", index.C,
		nil, 1, []trade{{1, 2, -3, [2]float32{4, 5}, 6}, {7, 8, -9, [2]float32{10, 11}, 12}})
}

// TestAppenderErrors tests calls of Append with the wrong number of elements, files for which NewAppender returns an
// error, a Flush that fails because of a lock, and a closed Appender.
func TestAppenderErrors(t *testing.T) {
	path := tempPath(t)
	setLockWait(t, -1)
	f := must(Create(path, dtype.MustParse("<f8"), index.C, 0, 3))
	defer f.Close()
	a := must(NewAppender[float64](f))
	for _, err := range []error{a.Append(1, 2), a.Append(1, 2, 3, 4)} {
		if err == nil || !errors.Is(err, ErrShape) {
			t.Error(err)
		}
	}
	if err := a.Append(); err != nil || a.Buffered() != 0 {
		t.Error(err, a.Buffered())
	}
	if err := a.Append(1, 2, 3, 4, 5, 6); err != nil || a.Buffered() != 6 || f.Len(0) != 0 {
		t.Error(err, a.Buffered(), f.Shape())
	}
	if _, err := NewAppender[float32](f); err == nil ||
		err.Error() != fmt.Sprintf("%s: NewAppender[float64] is for this file: have dtype %v, want %v", path, f.DType(),
			dtype.Float32) {
		t.Error(err)
	}
	none := must(Create(tempPath(t), dtype.MustParse("<f8"), index.C, 3, 0))
	defer none.Close()
	if _, err := NewAppender[float64](none); err == nil ||
		err.Error() != none.Path()+": shape mismatch: a row along axis 0 has no elements; use File.Grow" {
		t.Error(err)
	}
	scalar := must(Create(tempPath(t), dtype.MustParse("<f8"), index.C))
	defer scalar.Close()
	if _, err := NewAppender[float64](scalar); !errors.Is(err, ErrShape) {
		t.Error(err)
	}

	// A failed Flush leaves all elements in the buffer, and a later Flush can succeed.
	other := must(OpenConfig{Mode: mmap.ReadWrite, Lock: true}.Open(path))
	if err := other.Grow(1); err != nil {
		t.Fatal(err)
	}
	if err := a.Flush(); !errors.Is(err, mmap.ErrLocked) || a.Buffered() != 6 || a.Close() == nil || a.Buffered() != 6 {
		t.Error(err, a.Buffered())
	}
	other.Close()
	if err := a.Close(); err != nil || a.Buffered() != 0 || f.Len(0) != 3 {
		t.Error(err, a.Buffered(), f.Shape())
	}
	if got := must(As[float64](f.Array)).At(2, 1); got != 5 {
		t.Errorf("%v, want 5", got)
	}
	for _, err := range []error{a.Close(), a.Flush(), a.Append(1, 2, 3)} {
		if err == nil || !errors.Is(err, fs.ErrClosed) ||
			err.Error() != path+": the Appender is closed: file already closed" {
			t.Error(err)
		}
	}
}

// TestZeroAppender tests that the zero Appender is closed.
func TestZeroAppender(t *testing.T) {
	var a Appender[float64]
	for _, err := range []error{a.Append(1), a.Append(), a.Flush(), a.Close(), a.Close()} {
		if err == nil || !errors.Is(err, fs.ErrClosed) ||
			err.Error() != "array: the Appender is closed: file already closed" {
			t.Error(err)
		}
	}
	if n := a.Buffered(); n != 0 {
		t.Errorf("%d elements in the buffer", n)
	}
}

// TestAppenderLongRow tests that NewAppender allocates no buffer. The header determines the length of a row, and may
// describe a row that is larger than memory.
func TestAppenderLongRow(t *testing.T) {
	f := must(Create(tempPath(t), dtype.Float64, index.C, 0, math.MaxInt/64))
	defer f.Close()
	a := must(NewAppender[float64](f))
	if len(a.mem) != 0 {
		t.Errorf("NewAppender allocated %d bytes", len(a.mem))
	}
	if err := a.Append(1, 2); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
}

// TestAllocsAppender tests that Append does not allocate.
func TestAllocsAppender(t *testing.T) {
	f := must(Create(tempPath(t), dtype.MustParse(">f8"), index.C, 0, 3))
	defer f.Close()
	a := must(NewAppender[float64](f))
	row := []float64{1, 2, 3}
	for name, run := range map[string]func() error{
		"a row":   func() error { return a.Append(1, 2, 3) },
		"a slice": func() error { return a.Append(row...) },
	} {
		t.Run(name, func(t *testing.T) {
			if n := testing.AllocsPerRun(1000, func() {
				if err := run(); err != nil {
					t.Fatal(err)
				}
			}); n != 0 {
				t.Errorf("%s: %v allocations, want 0", name, n)
			}
		})
	}
	if f.Len(0) != 0 {
		t.Error("Append has flushed: the allocations include those of Flush")
	}
	// Append does not allocate when it flushes the buffer, either.
	if n := testing.AllocsPerRun(200_000, func() { a.Append(1, 2, 3) }); n != 0 {
		t.Errorf("amortised: %v allocations, want 0", n)
	}
	if f.Len(0) == 0 {
		t.Error("never flushed")
	}
}

func BenchmarkAppender(b *testing.B) {
	f := must(Create(tempPath(b), dtype.MustParse("<f8"), index.C, 0, 4))
	defer f.Close()
	a := must(NewAppender[float64](f))
	b.SetBytes(4 * 8)
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		if err := a.Append(1, 2, 3, float64(i)); err != nil {
			b.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkAppend(b *testing.B) {
	f := must(Create(tempPath(b), dtype.MustParse("<f8"), index.C, 0, 4))
	defer f.Close()
	row := must(FromSlice([]float64{1, 2, 3, 4})).Array()
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		if err := f.Append(row); err != nil {
			b.Fatal(err)
		}
	}
}
