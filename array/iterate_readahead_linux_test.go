package array

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
	"golang.org/x/sys/unix"
)

// TestLoopLetsGo tests a pass through a file that is not in memory: the pass must read all of the file and leave little
// of it mapped. A pass through a file that is in memory must leave it mapped.
func TestLoopLetsGo(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	t.Run("big-endian", func(t *testing.T) { checkLoopReleases(t, dtype.Float64.WithByteOrder(dtype.BigEndian)) })
	t.Run("little-endian", func(t *testing.T) { checkLoopReleases(t, dtype.Float64.WithByteOrder(dtype.LittleEndian)) })
}

func checkLoopReleases(t *testing.T, d dtype.DType) {
	path := filepath.Join(diskFolder(t), "a.npy")
	const rows, cols = 2000, 2100 // 32 MiB; rows are not a multiple of the page size
	f := must(Create(path, d, index.C, rows, cols))
	v := must(As[float64](f.Array))
	want := 0.0
	for i := range rows {
		must(v.Select(index.At(i))).Fill(float64(i))
		want += float64(i * cols)
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	total := int64(rows * cols * 8)
	blocks := func(v View[float64], order index.Order) (sum float64) {
		for b := range v.Blocks(order) {
			for _, x := range b {
				sum += x
			}
		}
		return sum
	}
	for _, test := range []struct {
		name string
		run  func(v View[float64]) float64
	}{
		{"Sum", Sum[float64, float64]},
		{"Blocks C", func(v View[float64]) float64 { return blocks(v, index.C) }},
		{"Values", func(v View[float64]) (sum float64) {
			for x := range v.Values() {
				sum += x
			}
			return sum
		}},
		{"All", func(v View[float64]) (sum float64) {
			for _, x := range v.All(index.C) {
				sum += x
			}
			return sum
		}},
		{"Blocks K, downwards", func(v View[float64]) float64 {
			return blocks(must(v.Select(index.Reverse())), index.K)
		}},
	} {
		dropCache(t, path)
		f := must(Open(path, mmap.ReadOnly))
		v := must(As[float64](f.Array))
		if inMemory := must(f.Map().Resident(0, f.Map().Len())); int64(inMemory) > total/2 {
			t.Skipf("the system keeps %d bytes of a file that it was told to drop (tmpfs does)", inMemory)
		}
		if got := test.run(v); got != want {
			t.Errorf("%s: %v, want %v", test.name, got, want)
		}
		if n := mappedBytes(t, path); n > total/2 {
			t.Errorf("%s of a file not in memory: %d of its %d bytes mapped at the end", test.name, n, total)
		}
		// The second pass finds the whole file in memory, unless memory is short.
		var n int64
		for try := 0; try < 10 && (try < 2 || n < total); try++ {
			if got := test.run(v); got != want {
				t.Errorf("%s: %v, want %v", test.name, got, want)
			}
			n = mappedBytes(t, path)
		}
		if n < total {
			t.Errorf("%s of a file in memory: %d of its %d bytes mapped at the end", test.name, n, total)
		}
		f.Close()
	}
}

// TestGapsAreNotRead tests that a pass through a file that is not in memory does not read the gaps between selected
// elements.
func TestGapsAreNotRead(t *testing.T) {
	path := filepath.Join(diskFolder(t), "a.npy")
	const rows, cols = 24, 4 << 20 // rows of 32 MiB; every twelfth row is read
	a := must(SaveConfig{Sparse: true}.Create(path, dtype.Float64, index.C, rows, cols))
	a.Close()
	dropCache(t, path)
	a = must(Open(path, mmap.ReadOnly))
	defer a.Close()
	v := must(must(As[float64](a.Array)).Select(index.Every(12)))
	if sum := Sum[float64](v); sum != 0 {
		t.Error(sum)
	}
	if inMemory := must(a.Map().Resident(0, a.Map().Len())); inMemory < v.NBytes() || inMemory > a.NBytes()/2 {
		t.Errorf("%d of %d bytes in memory, after %d were read", inMemory, a.NBytes(), v.NBytes())
	}
}

// TestReadaheadEnds tests that no goroutine reads ahead for a pass that has returned or panicked.
func TestReadaheadEnds(t *testing.T) {
	oracle.Slow(t)
	path := filepath.Join(diskFolder(t), "a.npy")
	a := must(Create(path, dtype.Float64, index.C, 300, 1<<16)) // 150 MiB
	if err := a.Sync(); err != nil {
		t.Fatal(err)
	}
	a.Close()
	enough := errors.New("enough")
	stop := func(done, total int64) error {
		if done > 0 {
			return enough
		}
		return nil
	}
	mem := must(New(dtype.Float64, index.C, 300, 1<<16)) // its pages are never touched
	defer mem.Close()
	for name, pass := range map[string]func(v View[float64]) error{
		"Reduce": func(v View[float64]) error {
			_, err := Reduce(v, func([]float64) (int, error) { return 0, enough }, func(int, int) int { return 0 })
			return err
		},
		"Map from": func(v View[float64]) error {
			return Map(must(As[float64](mem.Array)), v, func(dst, src []float64) error { return enough })
		},
		"Map to": func(v View[float64]) error {
			return Map(v, must(As[float64](mem.Array)), func(dst, src []float64) error { return enough })
		},
		"along the first axis": func(v View[float64]) error {
			return Reduction{Op: OpStd, Axes: []int{0}, Progress: stop}.Into(must(New(dtype.Float64, index.C, 1<<16)).Array,
				v.Array())
		},
		"along the last axis": func(v View[float64]) error {
			return Reduction{Op: OpStd, Axes: []int{1}, Progress: stop}.Into(must(New(dtype.Float64, index.C, 300)).Array,
				v.Array())
		},
		"along all axes": func(v View[float64]) error {
			return Reduction{Op: OpStd, Progress: stop}.Into(must(New(dtype.Float64, index.C)).Array, v.Array())
		},
		"panic": func(v View[float64]) (err error) {
			defer func() { err = recover().(error) }()
			_, err = Reduce(v, func([]float64) (int, error) { panic(enough) }, func(int, int) int { return 0 })
			return err
		},
		"elements of 40 MiB": func(v View[float64]) error {
			d := dtype.Void(40 << 20)
			large3 := must(OpenRaw(path, mmap.ReadOnly, 128, d, index.C, 3))
			t.Cleanup(func() { large3.Close() })
			p := nd.NewPass(nd.Part{Views: []nd.View{large3.view}}) // not Reduce: compiling a Go type of 40 MiB takes seconds
			_, err := nd.InOrder(p, func(*nd.Block) (int, error) { return 0, enough }, func(int, int) int { return 0 })
			return err
		},
		"Sum":       func(v View[float64]) error { Sum[float64](v); return enough },
		"MinMax":    func(v View[float64]) error { MinMax(v); return enough },
		"Histogram": func(v View[float64]) error { must(Histogram(v, []float64{0, 1})); return enough },
	} {
		t.Run(name, func(t *testing.T) {
			dropCache(t, path)
			checkNoGoroutineLeft(t, func() {
				a := must(Open(path, mmap.ReadWrite))
				err := pass(must(As[float64](a.Array)))
				for _, stack := range goroutineStacks() { // immediately, without waiting
					if strings.Contains(stack, "Readahead).read(") && strings.Contains(stack, "Advise(") {
						t.Errorf("%s leaves a goroutine that reads ahead:\n%s", name, stack)
					}
				}
				if !errors.Is(err, enough) {
					t.Errorf("%s: %v", name, err)
				}
				if err := a.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// goroutineStacks returns the stack traces of all goroutines.
func goroutineStacks() []string {
	b := make([]byte, 1<<20)
	return strings.Split(string(b[:runtime.Stack(b, true)]), "\n\n")
}

// dropCache drops the pages of a file from the page cache.
func dropCache(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
}

// mappedBytes returns the number of bytes of a mapped file that are in the page tables of this process.
func mappedBytes(t *testing.T, path string) (n int64) {
	t.Helper()
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	isPath := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := strings.Fields(lines.Text())
		if !strings.HasSuffix(line[0], ":") {
			isPath = line[len(line)-1] == path
		}
		if isPath && line[0] == "Rss:" {
			kb, err := strconv.ParseInt(line[1], 10, 64)
			if err != nil {
				t.Fatal(fmt.Errorf("smaps: %w", err))
			}
			n += kb << 10
		}
	}
	return n
}
