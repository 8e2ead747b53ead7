package npz

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// Header says of a member what Array would, and inflates no more than the header.
func TestHeader(t *testing.T) {
	path := temp(t)
	long := header("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }" + strings.Repeat(" ", 5000))
	r := newRaw()
	r.add("stored.npy", append(long, make([]byte, 24)...), 0)
	r.add("deflated.npy", append(long, make([]byte, 24)...), 8)
	packed := deflateBytes(npyFile(make([]uint8, 1<<20)...))
	r.addRaw("huge.npy", packed, 8, 1<<20+128, 0) // its CRC is not looked at
	check(t, os.WriteFile(path, r.bytes(), 0o666))
	a, err := Open(path, mmap.ReadWrite)
	check(t, err)
	a.MaxMember = 1000
	defer a.Close()
	f4 := dtype.Float32.WithByteOrder(dtype.LittleEndian)
	equal := cmp.Comparer(dtype.DType.Equal)
	for name, want := range map[string]Header{
		"stored":   {1, 0, f4, index.F, []int{2, 3}, int64(30 + len("stored.npy") + len(long))},
		"deflated": {1, 0, f4, index.F, []int{2, 3}, -1},
		"huge":     {1, 0, dtype.Uint8, index.C, []int{1 << 20}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(want, must(a.Header(name)), equal); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", name, diff)
			}
		})
	}
	if _, err := a.Header("other"); err == nil {
		t.Error("a header of no member")
	}
}

// Progress says how far a member is, and cancels.
func TestProgress(t *testing.T) {
	oracle.AnyProcessor(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // which says how much is compressed at a time
	for _, compress := range []bool{false, true} {
		path := temp(t)
		var seen []int64
		progress := func(done, total int64) error {
			seen = append(seen, done)
			if total != 128+8<<21 {
				t.Errorf("total %d", total)
			}
			return nil
		}
		cfg := SaveConfig{NoSync: true, Compress: compress, Progress: progress}
		f, err := array.New(dtype.Int64, index.C, 1<<21)
		check(t, err)
		defer f.Close()
		check(t, cfg.Save(path, map[string]array.Array{"x": f.Array}))
		if len(seen) < 2 || seen[0] != 0 {
			t.Errorf("compressed %v: %d calls", compress, len(seen))
		}
		stop := errors.New("stop")
		cfg.Progress = func(done, total int64) error {
			if done > 0 {
				return stop
			}
			return nil
		}
		check(t, os.Remove(path))
		if err := cfg.Save(path, map[string]array.Array{"x": f.Array}); !errors.Is(err, stop) || left(t, path) != nil {
			t.Errorf("compressed %v: %v, and there is %v", compress, err, left(t, path))
		}
	}
}
