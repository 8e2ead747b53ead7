package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"runtime"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// TestDiffTruncated tests that diff exits with 2 and names the file if another process truncates either file during the
// comparison.
func TestDiffTruncated(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("a file that is mapped cannot be truncated, or faults have no address")
	}
	t.Chdir(t.TempDir())
	var arrays [2]array.Array
	for k, path := range []string{"a.npy", "b.npy"} {
		f, err := array.Create(path, dtype.Uint8, index.C, 1<<20)
		check(t, err)
		defer f.Close()
		arrays[k] = f.Array
	}
	check(t, os.Truncate("b.npy", 1<<16))
	for k := range 2 {
		d := &differ{env: &env{out: bufio.NewWriter(io.Discard), stderr: io.Discard}}
		err := d.compareArrays("first", arrays[k], "second", arrays[1-k])
		if e, ok := errors.AsType[fileError](err); !ok || e.path != "b.npy" || d.found {
			t.Errorf("%d: %v", k, err)
		}
	}
}
