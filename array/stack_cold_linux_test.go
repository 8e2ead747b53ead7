package array

import (
	"bytes"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/mmap"
	"golang.org/x/sys/unix"
)

// openCold opens a file whose pages are not in memory. The result header is the number of bytes that opening the file
// brought into memory, including the header. If the system keeps files in memory, openCold skips the test.
func openCold(t *testing.T, path string, mode mmap.Mode) (f *File, header int) {
	t.Helper()
	file := must(os.Open(path))
	err := unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED)
	file.Close()
	f = must(Open(path, mode))
	header = residentBytes(f)
	if err != nil || header > f.NBytes()/2 {
		f.Close()
		t.Skipf("the system keeps %d bytes of a file that it was told to drop (tmpfs does)", header)
	}
	return f, header
}

// residentBytes returns the number of bytes of a file that are in memory.
func residentBytes(f *File) int { return must(f.m.Resident(0, int(f.DataOffset())+f.NBytes())) }

// TestColdStack tests operations across the members of a stack on a disk: they must read only the selected elements,
// and release their pages at the end.
func TestColdStack(t *testing.T) {
	oracle.OneGoroutine(t)
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu ignores advice")
	}
	const parts, rows, cols = 8, 1000, 1024 // rows of 8 KB
	path := filepath.Join(diskFolder(t), "a.npy")
	f := must(Create(path, dtype.Float64, index.C, parts, rows, cols))
	x := 0.0
	for b := range must(As[float64](f.Array)).Update(index.C) {
		for k := range b {
			b[k] = x
			x++
		}
	}
	across := func(f *File) Array { // rows 300 to 500 of each member
		all := make([]Array, parts)
		for k := range all {
			all[k] = f.Index(k)
		}
		return must(must(must(Stack(all...)).Select(index.Colon, index.Range(300, 500))).Transpose(1, 0, 2))
	}
	var want bytes.Buffer
	memory := must(across(f).Clone(index.C))
	if err := errors.Join(Write(&want, memory), f.Sync(), f.Close()); err != nil {
		t.Fatal(err)
	}
	values := func(a Array) uint32 {
		sum := crc32.NewIEEE()
		for x := range must(As[float64](a)).Values() {
			sum.Write(strided.Slice[byte](pointer(&x), 8))
		}
		return sum.Sum32()
	}
	same := func(a Array) bool {
		var got bytes.Buffer
		return Write(&got, must(a.Clone(index.C))) == nil && bytes.Equal(got.Bytes(), want.Bytes())
	}
	const needs = parts * 200 * cols * 8
	for name, run := range map[string]func(a Array) bool{
		"Write": func(a Array) bool {
			var got bytes.Buffer
			return Write(&got, a) == nil && bytes.Equal(got.Bytes(), want.Bytes())
		},
		"Clone": func(a Array) bool {
			c := must(a.Clone(index.F))
			return same(c)
		},
		"Copy": func(a Array) bool {
			c := must(New(dtype.Float64, index.F, a.Shape()...))
			return Copy(c.Array, a) == nil && same(c.Array)
		},
		"Values": func(a Array) bool { return values(a) == values(memory) },
	} {
		t.Run(name, func(t *testing.T) {
			inMemory := 0
			for range 3 { // the system may ignore advice while it is short of memory
				f, header := openCold(t, path, mmap.ReadOnly)
				if !run(across(f)) {
					t.Errorf("%s: wrong elements", name)
				}
				inMemory = residentBytes(f) - header
				f.Close()
				if inMemory <= needs/2 {
					break
				}
			}
			if inMemory > needs/2 {
				t.Errorf("%s: %d bytes are in memory afterwards, of %d bytes needed", name, inMemory, needs)
			}
		})
	}
}

// TestColdShortParts tests that only the selected short parts of a stack on a disk are read, without readahead by page
// faults at the end of each part.
func TestColdShortParts(t *testing.T) {
	oracle.OneGoroutine(t)
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu ignores advice")
	}
	const parts, size, short = 8, 6 << 20, 640 << 10
	path := filepath.Join(diskFolder(t), "a.npy")
	f := must(Create(path, dtype.Uint8, index.C, parts, size/64, 64))
	must(As[uint8](f.Array)).Fill(1)
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		axes []int
		run  func(Array)
	}{
		{"Update across", []int{2, 0, 1}, func(a Array) {
			for b := range must(As[uint8](a)).Update(index.C) {
				clear(b)
			}
		}},
		{"Values", []int{0, 1, 2}, func(a Array) {
			for range must(As[uint8](a)).Values() {
			}
		}},
		{"Sum", []int{0, 1, 2}, func(a Array) { Sum[int64](must(As[uint8](a))) }},
		{"Copy", []int{1, 0, 2}, func(a Array) {
			must(0, Copy(must(New(dtype.Int16, index.C, a.Shape()...)).Array, a))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const most = parts * (short + short/4)
			inMemory := 0
			for range 3 { // the system may ignore advice while it is short of memory
				f, header := openCold(t, path, mmap.ReadWrite)
				all := make([]Array, parts)
				for k := range all {
					all[k] = f.Index(k)
				}
				stack := must(must(Stack(all...)).Select(index.Colon, index.Range(40_000, 40_000+short/64)))
				tt.run(must(stack.Transpose(tt.axes...)))
				inMemory = residentBytes(f) - header
				must(0, errors.Join(f.Sync(), f.Close()))
				if inMemory <= most {
					break
				}
			}
			if inMemory > most {
				t.Errorf("%s: %d bytes are in memory afterwards, want at most %d", tt.name, inMemory, most)
			}
		})
	}
}

// TestColdReduction tests that a reduction of a few elements on many pages, by one goroutine, reads these pages and not
// the pages between them.
func TestColdReduction(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu ignores advice")
	}
	path := filepath.Join(diskFolder(t), "a.npy")
	for _, tt := range []struct {
		name        string
		shape       []int // rows of 2 pages; one page has elements
		sel         string
		least, most float64 // fraction of these pages in memory afterwards
	}{
		{"walk", []int{20_000, 1024}, ":, 3:4", 0.9, 1.1},
	} {
		a := must(SaveConfig{Sparse: true}.Create(path, dtype.Float64, index.C, tt.shape...))
		pages := a.NBytes() / 2
		a.Close()
		inMemory := 0.0
		for range 3 { // the system may ignore advice while it is short of memory
			f, header := openCold(t, path, mmap.ReadOnly)
			part := must(f.Select(index.MustParse(tt.sel)...))
			r := Reduction{Op: OpMean, Axes: []int{0}}
			into := must(New(dtype.Float64, index.C, must(r.Shape(part))...))
			if err := r.Into(into.Array, part); err != nil {
				t.Error(err)
			}
			inMemory = float64(residentBytes(f)-header) / float64(pages)
			f.Close()
			if inMemory >= tt.least && inMemory <= tt.most {
				break
			}
		}
		if inMemory < tt.least || inMemory > tt.most {
			t.Errorf("%s: %.2f of its pages are in memory, want %.2f to %.2f", tt.name, inMemory, tt.least, tt.most)
		}
		os.Remove(path)
	}
}

// TestColdStackFew tests that the pages of a few elements of a stack on a disk stay in memory after a copy, because the
// next copy may need them again. AppendRows must not allocate more than for a stack in memory.
func TestColdStackFew(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu ignores advice")
	}
	const parts, rows, cols, few = 4, 1000, 1024, 16 // rows of 8 KB
	path := filepath.Join(diskFolder(t), "a.npy")
	f := must(Create(path, dtype.Float64, index.C, parts, rows, cols))
	must(As[float64](f.Array)).Fill(1)
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		t.Fatal(err)
	}
	stack := func(a Array) Array {
		all := make([]Array, parts)
		for k := range all {
			all[k] = a.Index(k)
		}
		return must(must(Stack(all...)).MoveAxis(0, 1)) // rows, members, columns
	}
	const needs = few * parts * cols * 8
	inMemory := 0
	for range 3 { // the system may take pages while it is short of memory
		f, header := openCold(t, path, mmap.ReadOnly)
		a := must(stack(f.Array).Select(index.Range(500, 500+few)))
		must(0, Copy(must(New(dtype.Float64, index.C, a.Shape()...)).Array, a))
		inMemory = residentBytes(f) - header
		f.Close()
		if inMemory >= needs {
			break
		}
	}
	if inMemory < needs {
		t.Errorf("%d bytes are in memory after a copy of %d", inMemory, needs)
	}
	f, _ = openCold(t, path, mmap.ReadOnly)
	defer f.Close()
	allocs := func(a Array) float64 {
		v := must(As[float64](must(a.Select(index.Range(0, few), index.Colon, index.Range(0, 8)))))
		indices := []int{1, 5, 2}
		var dst []float64
		return testing.AllocsPerRun(10, func() { dst = must(v.AppendRows(dst[:0], indices)) })
	}
	memory := must(New(dtype.Float64, index.C, parts, rows, cols))
	if got, want := allocs(stack(f.Array)), allocs(stack(memory.Array)); got > want {
		t.Errorf("AppendRows makes %v allocations for a stack on a disk, %v for a stack in memory", got, want)
	}
}
