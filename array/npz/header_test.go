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

// Header describes stored and compressed members, and inflates only the header.
func TestHeader(t *testing.T) {
	path := temp(t)
	long := header("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }" + strings.Repeat(" ", 5000))
	r := newRaw()
	r.add("stored.npy", append(long, make([]byte, 24)...), 0)
	r.add("deflated.npy", append(long, make([]byte, 24)...), 8)
	packed := deflateBytes(npyFile(make([]uint8, 1<<20)...))
	r.addRaw("huge.npy", packed, 8, 1<<20+128, 0) // Header does not check the CRC
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
		t.Error("Header of an unknown member: want an error")
	}
}

// Save calls Progress with the number of bytes written. If Progress returns an error, Save stops and leaves no file.
func TestProgress(t *testing.T) {
	oracle.AnyProcessor(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // the size of the compressor's buffer depends on it
	for _, compress := range []bool{false, true} {
		path := temp(t)
		var seen []int64
		progress := func(done, total int64) error {
			seen = append(seen, done)
			if total != 128+8<<21 {
				t.Errorf("total = %d, want the size of the .npy file", total)
			}
			return nil
		}
		cfg := SaveConfig{NoSync: true, Compress: compress, Progress: progress}
		f, err := array.New(dtype.Int64, index.C, 1<<21)
		check(t, err)
		defer f.Close()
		check(t, cfg.Save(path, map[string]array.Array{"x": f.Array}))
		if len(seen) < 2 || seen[0] != 0 {
			t.Errorf("compressed %v: %d calls, want at least 2, the first with done 0", compress, len(seen))
		}
		stop := errors.New("stop")
		cfg.Progress = func(done, total int64) error {
			if done > 0 {
				return stop
			}
			return nil
		}
		check(t, os.Remove(path))
		if err := cfg.Save(path, map[string]array.Array{"x": f.Array}); !errors.Is(err, stop) || fileNames(t, path) != nil {
			t.Errorf("compressed %v: %v, want stop; the folder has %v", compress, err, fileNames(t, path))
		}
	}
}
