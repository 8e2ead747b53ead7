package array

import (
	"fmt"
	"os"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
	"golang.org/x/sys/unix"
)

// Work on a part of a file that is not in memory reads the pages with elements of the part, and nothing else: a disk
// that reads ahead at each page fault would read all of the file, row by row.
func TestColdParts(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu ignores advice")
	}
	const rows, cols = 256, 8 << 10 // of 64 KiB
	path := temp(t)
	f := must(Create(path, dtype.Float64, index.C, rows, cols))
	must(As[float64](f.Array)).Fill(1.5)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	column := func(a Array) Array { return must(a.Select(index.Colon, index.At(777))) }
	slab := func(a Array) Array { return must(a.Select(index.Colon, index.Range(512, 1536))) }
	sixteenth := func(a Array) Array { return must(a.Select(index.Step(0, rows, 16))) }
	sum := func(a Array) error {
		if got, want := Sum[float64](must(As[float64](a))), 1.5*float64(a.Size()); got != want {
			return fmt.Errorf("sum %v, want %v", got, want)
		}
		return nil
	}
	for _, tt := range []struct {
		name  string
		part  func(Array) Array
		pages int
		do    func(Array) error
	}{
		{"the sum of a column", column, rows, sum},
		{"the sum of a slab", slab, 3 * rows, sum},
		{"the mean of a slab along axis 0", slab, 3 * rows, func(a Array) error {
			return Reduction{Op: OpMean, Axes: []int{0}}.Into(must(New(dtype.Float64, index.C, a.Dim(1))).Array, a)
		}},
		{"the quantiles of a slab", slab, 3 * rows, func(a Array) error {
			_, err := Quantile(must(As[float64](a)), 0.5)
			return err
		}},
		{"a copy of rows", sixteenth, rows / 16 * 17, func(a Array) error { return second(a.Clone(index.F)) }},
		{"a slab as another dtype", slab, 3 * rows, func(a Array) error {
			return Copy(must(New(dtype.Float32.WithOrder(dtype.BigEndian), index.F, a.Shape()...)).Array, a)
		}},
		{"the values of a column", column, rows, func(a Array) error {
			for range must(As[float64](a)).Values() {
			}
			return nil
		}},
	} {
		file := must(os.Open(path))
		err := unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED)
		file.Close()
		f := must(Open(path, mmap.ReadOnly))
		size := f.DataOffset() + f.NBytes()
		if in := must(f.m.Resident(0, size)); err != nil || in > size/20 {
			f.Close()
			t.Skipf("the system keeps %d bytes of a file that it was told to drop (tmpfs does)", in)
		}
		if err := tt.do(tt.part(f.Array)); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if in := must(f.m.Resident(0, size)) / 4096; in > tt.pages+40 {
			t.Errorf("%s: %d pages are in memory, want about %d of %d", tt.name, in, tt.pages, size/4096)
		}
		f.Close()
	}
}
