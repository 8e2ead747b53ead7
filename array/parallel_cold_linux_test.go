package array

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
	"golang.org/x/sys/unix"
)

// TestColdParts tests that work on a part of a file that is not in memory reads only the pages that contain elements of
// the part. With readahead at each page fault, it would read the whole file, row by row.
func TestColdParts(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu ignores advice")
	}
	const rows, cols = 256, 8 << 10 // rows of 64 KiB
	path := filepath.Join(diskFolder(t), "a.npy")
	f := must(Create(path, dtype.Float64, index.C, rows, cols))
	must(As[float64](f.Array)).Fill(1.5)
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		t.Fatal(err)
	}
	column := func(a Array) Array { return must(a.Select(index.Colon, index.At(777))) }
	middle := func(a Array) Array { return must(a.Select(index.Colon, index.Range(512, 1536))) }
	sixteenth := func(a Array) Array { return must(a.Select(index.Range(0, rows).Every(16))) }
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
		run   func(Array) error
	}{
		{"the sum of a column", column, rows, sum},
		{"the sum of a slab", middle, 3 * rows, sum},
		{"the mean of a slab along axis 0", middle, 3 * rows, func(a Array) error {
			return Reduction{Op: OpMean, Axes: []int{0}}.Into(must(New(dtype.Float64, index.C, a.Len(1))).Array, a)
		}},
		{"the medians of a slab along axis 0", middle, 3 * rows, func(a Array) error {
			return second(Reduction{Op: OpMedian, Axes: []int{0}}.Of(a))
		}},
		{"the quantiles of a slab", middle, 3 * rows, func(a Array) error {
			_, err := Quantile(must(As[float64](a)), 0.5)
			return err
		}},
		{"a copy of rows", sixteenth, rows / 16 * 17, func(a Array) error { return second(a.Clone(index.F)) }},
		{"a slab as another dtype", middle, 3 * rows, func(a Array) error {
			return Copy(must(New(dtype.Float32.WithByteOrder(dtype.BigEndian), index.F, a.Shape()...)).Array, a)
		}},
		{"the values of a column", column, rows, func(a Array) error {
			for range must(As[float64](a)).Values() {
			}
			return nil
		}},
		{"rows taken from a slab, of which the first is in memory", middle, 3 * rows / 4, func(a Array) error {
			v := must(As[float64](a))
			first := v.view.Store.Mem.Offset + v.view.Offset() + 7*a.Strides()[0]
			if err := v.view.Store.Mem.File.Advise(first, 1, mmap.WillNeed); err != nil {
				return err
			}
			at := make([]int, rows/4)
			for k := range at {
				at[k] = (7 + 37*k) % rows
			}
			for _, x := range must(v.AppendRows(nil, at)) {
				if x != 1.5 {
					return fmt.Errorf("took %v, want 1.5", x)
				}
			}
			return nil
		}},
		{"elements taken from a column", column, rows / 4, func(a Array) error {
			at := make([]int, rows/4)
			for k := range at {
				at[k] = 37 * k % rows
			}
			must(must(As[float64](a)).AppendRows(nil, at))
			return nil
		}},
		{"columns taken", func(a Array) Array { return must(a.Select(index.Colon, index.Range(0, cols).Every(1024))).T() },
			2 * rows,
			func(a Array) error {
				must(must(As[float64](a)).AppendRows(nil, []int{5, 2}))
				return nil
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inMemory, most := 0, 0
			for range 3 { // the system may ignore advice while it is short of memory
				file := must(os.Open(path))
				err := unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED)
				file.Close()
				f := must(Open(path, mmap.ReadOnly))
				size := int(f.DataOffset()) + f.NBytes()
				header := must(f.m.Resident(0, size)) // the header, and the pages that the disk reads with it
				if err != nil || header > size/2 {
					f.Close()
					t.Skipf("the system keeps %d bytes of a file that it was told to drop (tmpfs does)", header)
				}
				if err := tt.run(tt.part(f.Array)); err != nil {
					t.Errorf("%s: %v", tt.name, err)
				}
				inMemory, most = must(f.m.Resident(0, size))/4096, header/4096+tt.pages+40
				f.Close()
				if inMemory <= most {
					break
				}
			}
			if inMemory > most {
				t.Errorf("%s: %d pages are in memory, want at most %d", tt.name, inMemory, most)
			}
		})
	}
}
