package array

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// init runs one operation in the process with little memory: see TestBoundedMemory.
func init() {
	var group, path, op string
	if n, _ := fmt.Sscanf(os.Getenv("NDMAP_TEST_CHILD"), "bounded %q %q %q", &group, &path, &op); n != 3 {
		return
	}
	err := os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte("0"), 0) // 0 denotes the writing process
	if err == nil {
		err = bounded[op](path)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// spacing is the distance between nonzero elements: element k*spacing has the value k.
const spacing = 1 << 18

// openView opens the file at path as a view.
func openView(path string) (View[float64], error) {
	f, err := Open(path, mmap.ReadOnly)
	if err != nil {
		return View[float64]{}, err
	}
	return As[float64](f.Array)
}

// openRows opens the file at path as rows of spacing elements.
func openRows(path string) (Array, error) {
	f, err := Open(path, mmap.ReadOnly)
	if err != nil {
		return Array{}, err
	}
	return f.Reshape(-1, spacing)
}

// bounded maps names to operations that need a limited amount of memory for a file of any size. They return an error if
// a result is wrong.
var bounded = map[string]func(path string) error{
	"Sum": func(path string) error {
		v, err := openView(path)
		if err != nil {
			return err
		}
		n := float64((v.Size() - 1) / spacing)
		if got, want := Sum[float64](v), n*(n+1)/2; got != want {
			return fmt.Errorf("the sum is %v, want %v", got, want)
		}
		if lo, hi := MinMax(v); lo != 0 || hi != n {
			return fmt.Errorf("from %v to %v, want 0 to %v", lo, hi, n)
		}
		return nil
	},
	"Reduce": func(path string) error {
		v, err := openView(path)
		if err != nil {
			return err
		}
		sum, err := Reduce(v, sumBlock, add)
		if n := float64((v.Size() - 1) / spacing); err == nil && sum != n*(n+1)/2 {
			return fmt.Errorf("the sum is %v, want %v", sum, n*(n+1)/2)
		}
		return err
	},
	"Reduction": func(path string) error {
		a, err := openRows(path)
		if err != nil {
			return err
		}
		mean, err := New(dtype.Float64, index.C, spacing)
		if err != nil {
			return err
		}
		defer mean.Close()
		if err := (Reduction{Op: OpMean, Axes: []int{0}}).Into(mean.Array, a); err != nil {
			return err
		}
		v := must(As[float64](mean.Array))
		if got, want := v.At(0), float64(a.Len(0)-1)/2; got != want || v.At(1) != 0 {
			return fmt.Errorf("the mean is %v and %v, want %v and 0", got, v.At(1), want)
		}
		return nil
	},
	"Median": func(path string) error {
		a, err := openRows(path)
		if err != nil {
			return err
		}
		median, err := Reduction{Op: OpMedian, Axes: []int{0}}.Of(a)
		if err != nil {
			return err
		}
		v := must(As[float64](median))
		if got, want := v.At(0), float64(a.Len(0)-1)/2; got != want || v.At(1) != 0 {
			return fmt.Errorf("the median is %v and %v, want %v and 0", got, v.At(1), want)
		}
		return nil
	},
	"Quantile": func(path string) error {
		v, err := openView(path)
		if err != nil {
			return err
		}
		got, err := Quantile(v, 0.5, 1)
		if err == nil && (got[0] != 0 || got[1] != float64((v.Size()-1)/spacing)) {
			return fmt.Errorf("the median and the maximum are %v", got)
		}
		return err
	},
	"TopK": func(path string) error {
		v, err := openView(path)
		if err != nil {
			return err
		}
		last := (v.Size() - 1) / spacing
		got, err := TopK(v.Array(), 2, false)
		if want := []int{last * spacing, (last - 1) * spacing}; err == nil && !slices.Equal(got, want) {
			return fmt.Errorf("the greatest are at %v, want %v", got, want)
		}
		return err
	},
	"Map": func(path string) error {
		v, err := openView(path)
		if err != nil {
			return err
		}
		return checkCopiedSum(v, path+".map", dtype.Float64.WithByteOrder(nonNativeOrder()), func(f *File) error {
			w, err := As[float64](f.Array)
			if err == nil {
				err = Map(w, v, func(dst, src []float64) error { copy(dst, src); return nil })
			}
			return err
		})
	},
	"Blocks": func(path string) error {
		v, err := openView(path)
		if err != nil {
			return err
		}
		sum := 0.0
		for b := range v.Blocks(index.C) {
			for _, x := range b {
				sum += x
			}
		}
		if n := float64((v.Size() - 1) / spacing); sum != n*(n+1)/2 {
			return fmt.Errorf("the blocks add up to %v, want %v", sum, n*(n+1)/2)
		}
		return nil
	},
	"CopyFrom": func(path string) error {
		v, err := openView(path)
		if err != nil {
			return err
		}
		return checkCopiedSum(v, path+".copy", dtype.Float64, func(f *File) error {
			w, err := As[float64](f.Array)
			if err == nil {
				err = w.CopyFrom(v)
			}
			return err
		})
	},
	"Update": func(path string) error { // writes a file in foreign byte order
		v, err := openView(path)
		if err != nil {
			return err
		}
		foreign := dtype.BigEndian
		if dtype.Native == dtype.BigEndian {
			foreign = dtype.LittleEndian
		}
		return checkCopiedSum(v, path+".update", dtype.Float64.WithByteOrder(foreign), func(f *File) error {
			w, err := As[float64](f.Array)
			k := 0
			for b := range w.Update(index.C) {
				for i := range b {
					if k%spacing == 0 {
						b[i] = float64(k / spacing)
					}
					k++
				}
			}
			return err
		})
	},
	"Convert": func(path string) error {
		v, err := openView(path)
		if err != nil {
			return err
		}
		to := path + ".convert"
		defer os.Remove(to)
		if err := (SaveConfig{Sparse: true}).Convert(to, v.Array(), dtype.Float32, index.C); err != nil {
			return err
		}
		f, err := Open(to, mmap.ReadOnly)
		if err != nil {
			return err
		}
		defer f.Close()
		w, err := As[float32](f.Array)
		if err != nil {
			return err
		}
		if _, hi := MinMax(w); hi != float32((v.Size()-1)/spacing) {
			return fmt.Errorf("the largest element is %v", hi)
		}
		return nil
	},
	"Write": func(path string) error {
		v, err := openView(path)
		if err == nil {
			err = Write(io.Discard, v.Array())
		}
		if err == nil {
			var w View[float64]
			if w, err = v.Select(index.Reverse()); err == nil {
				err = Write(io.Discard, w.Array()) // through a buffer
			}
		}
		return err
	},
}

// checkCopiedSum creates a file with the shape of v, fills it, and checks that both have the same sum.
func checkCopiedSum(v View[float64], path string, d dtype.DType, fill func(*File) error) error {
	f, err := SaveConfig{Sparse: true}.Create(path, d, index.C, v.Shape()...)
	if err != nil {
		return err
	}
	defer os.Remove(path)
	defer f.Close()
	if err := fill(f); err != nil {
		return err
	}
	w, err := As[float64](f.Array)
	if err != nil {
		return err
	}
	if got, want := Sum[float64](w), Sum[float64](v); got != want {
		return fmt.Errorf("the copy adds up to %v, want %v", got, want)
	}
	return nil
}

// TestBoundedMemory tests that a process can work through a file that is larger than the memory of the process. The
// system takes back pages that were read or written, and the package keeps no data elsewhere.
func TestBoundedMemory(t *testing.T) {
	size, limit, ops := 48<<20, 24<<20, []string{"Sum", "Reduce", "Reduction", "Median", "Quantile", "TopK", "Map",
		"Blocks", "CopyFrom", "Convert", "Write"}
	switch {
	case oracle.Long(t):
		size, limit, ops = 1<<30, 128<<20, append(ops, "Update")
		if strconv.IntSize == 64 {
			size, limit = 4*size, 2*limit
		}
	case testing.Short():
		ops = []string{"Sum", "Write"}
	}
	path := filepath.Join(diskFolder(t), "t.npy")
	var fs unix.Statfs_t
	if err := unix.Statfs(filepath.Dir(path), &fs); err != nil || fs.Type == unix.TMPFS_MAGIC {
		t.Skipf("%s is in memory, not on a disk (%v)", filepath.Dir(path), err)
	}
	f, err := SaveConfig{Sparse: true}.Create(path, dtype.Float64, index.C, size/8)
	if err != nil {
		t.Fatal(err)
	}
	v := must(As[float64](f.Array))
	for k := 0; k < v.Size(); k += spacing {
		v.SetAt(float64(k/spacing), k)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		t.Fatal(err)
	}
	for _, op := range ops {
		t.Run(op, func(t *testing.T) {
			var group string
			var out []byte
			var err error
			// While a slow disk reads, the pages of its readahead cannot be evicted, and may reach the limit by themselves. The
			// system then kills the process, although others would be evicted a moment later. So a killed process is retried.
			for range 3 {
				dropCachedPages(t, path)
				group = newMemoryGroup(t, limit)
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), fmt.Sprintf("NDMAP_TEST_CHILD=bounded %q %q %q", group, path, op),
					"GORACE=atexit_sleep_ms=0")
				if out, err = cmd.CombinedOutput(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() >= 0 {
					break
				}
			}
			if errors.Is(err, unix.ENOEXEC) {
				t.Skipf("this program is being emulated, and cannot start itself: %v", err)
			}
			if err != nil {
				t.Fatalf("with %d MiB of memory for %d MiB of file: %v\n%.1000s", limit>>20, size>>20, err, out)
			}
			most := strings.TrimSpace(string(must(os.ReadFile(filepath.Join(group, "memory.max_usage_in_bytes")))))
			failures := strings.TrimSpace(string(must(os.ReadFile(filepath.Join(group, "memory.failcnt")))))
			t.Logf("%d MiB of file: at most %s bytes of memory, %s times at the limit", size>>20, most, failures)
		})
	}
}

// dropCachedPages drops the pages of a file from the page cache, so that they count for the process that reads them
// next.
func dropCachedPages(t *testing.T, path string) {
	f := must(os.Open(path))
	defer f.Close()
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
}

// newMemoryGroup creates a control group whose processes may use limit bytes of memory, including pages of files.
func newMemoryGroup(t *testing.T, limit int) string {
	t.Helper()
	dir, err := os.MkdirTemp("/sys/fs/cgroup/memory", "ndmap-test-")
	if err != nil {
		t.Skipf("cannot create a control group: %v: needs cgroups v1 and permission", err)
	}
	t.Cleanup(func() { os.Remove(dir) })
	if err := os.WriteFile(filepath.Join(dir, "memory.limit_in_bytes"), fmt.Append(nil, limit), 0); err != nil {
		t.Skipf("cannot limit memory: %v", err)
	}
	return dir
}
