package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/wine"
)

// A hookWriter is a writer that calls a function before the first write.
type hookWriter struct {
	strings.Builder
	before func()
}

func (h *hookWriter) Write(b []byte) (int, error) {
	if h.before != nil {
		h.before()
		h.before = nil
	}
	return h.Builder.Write(b)
}

// TestPrintTruncated tests that if another process truncates a file while it is printed, the error has the path and the
// offset.
func TestPrintTruncated(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("whether the pages of a truncated file go at once is up to the system")
	}
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	t.Chdir(t.TempDir())
	f, err := array.Create("t.npy", dtype.Uint8, index.C, 1<<22)
	check(t, err)
	check(t, f.Close())
	out := &hookWriter{before: func() { check(t, os.Truncate("t.npy", 1<<16)) }}
	var stderr strings.Builder
	status := run([]string{"print", "-json", "t.npy"}, nil, out, &stderr)
	var at int64
	got := stderr.String()
	if n, _ := fmt.Sscanf(got, "npy: t.npy: page fault at byte %d:", &at); n != 1 || strings.Count(got, "\n") != 1 ||
		status != 1 {
		t.Errorf("got %q, exit status %d", got, status)
	}
	if at < 1<<16 || at > 1<<22 {
		t.Errorf("fault at byte %d", at)
	}
}

// TestTorn tests that bytes cut off within the last page, which read as zeros without a page fault, are an error, even
// if they are restored. Appended rows and a replaced file are not.
func TestTorn(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("a file that is mapped cannot be truncated, or has times of whole seconds")
	}
	t.Chdir(t.TempDir())
	f, err := array.Create("whole.npy", dtype.Uint8, index.C, 1<<18)
	check(t, err)
	check(t, f.Close())
	whole, err := os.ReadFile("whole.npy")
	check(t, err)
	for _, tt := range []struct {
		name string
		do   func() error
		want string
	}{
		{"cut", func() error { return os.Truncate("t.npy", 1<<18+100) },
			"npy: t.npy: truncated to 262244 bytes while it was being read\n"},
		{"put back", func() error {
			check(t, os.Truncate("t.npy", 1<<18+100))
			return os.WriteFile("t.npy", whole, 0o666)
		}, "npy: t.npy: modified while it was being read\n"},
		{"replaced", func() error { return os.Rename("new.npy", "t.npy") }, ""},
		{"longer", func() error {
			f, err := array.Open("t.npy", array.ReadWrite)
			check(t, err)
			check(t, f.Append(f.Array))
			return f.Close()
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			check(t, os.WriteFile("t.npy", whole, 0o666))
			check(t, os.WriteFile("new.npy", whole, 0o666))
			time.Sleep(25 * time.Millisecond) // so that Unchanged detects the next change
			out := &hookWriter{before: func() { check(t, tt.do()) }}
			var stderr strings.Builder
			status := run([]string{"print", "-json", "t.npy"}, nil, out, &stderr)
			if got := stderr.String(); got != tt.want || (status == 0) != (tt.want == "") {
				t.Errorf("%s: got %q, exit status %d, want %q", tt.name, got, status, tt.want)
			}
		})
	}
}

// TestPrintJSONMemory tests that memory does not grow with the array.
func TestPrintJSONMemory(t *testing.T) {
	oracle.OneGoroutine(t)
	path := t.TempDir() + "/t.npy"
	f, err := array.Create(path, dtype.Uint8, index.F, 300, 7, 10000)
	check(t, err)
	check(t, f.Close())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out := new(countWriter)
	if status := run([]string{"print", "-json", path}, nil, out, os.Stderr); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	runtime.ReadMemStats(&after)
	// Each element and its separator take two characters, and the brackets of a list take two.
	if want := 2*300*7*10000 + 2*(300*7+300+1); *out != countWriter(want) {
		t.Errorf("printed %d bytes, want %d", *out, want)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
		t.Errorf("allocated %d bytes for an array of %d", n, f.NBytes())
	}
}

type countWriter int

func (c *countWriter) Write(b []byte) (int, error) {
	*c += countWriter(len(b))
	return len(b), nil
}

// TestPrintLarge tests that print touches only the elements of a large array that it shows.
func TestPrintLarge(t *testing.T) {
	path := t.TempDir() + "/t.npy"
	if ^uint(0)>>32 == 0 {
		t.Skip("needs a large address space")
	}
	f, err := array.SaveConfig{Sparse: true}.Create(path, dtype.Float64, index.C, 1<<18, 1<<18) // 512 GiB
	if err != nil {
		t.Skip(err) // the file system does not support such files
	}
	v, err := array.As[float64](f.Array)
	check(t, err)
	v.SetAt(1.5, 1<<18-1, 1<<18-1)
	check(t, f.Close())
	start := time.Now()
	got, stderr, _ := runTool("print", path)
	want := `[[0.  0.  0.  ... 0.  0.  0. ]
 [0.  0.  0.  ... 0.  0.  0. ]
 [0.  0.  0.  ... 0.  0.  0. ]
 ...
 [0.  0.  0.  ... 0.  0.  0. ]
 [0.  0.  0.  ... 0.  0.  0. ]
 [0.  0.  0.  ... 0.  0.  1.5]]
`
	if got != want || stderr != "" {
		t.Errorf("got\n%s%s", got, stderr)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("took %v", d)
	}
}

// TestFullDevice tests that a full standard output is an error.
func TestFullDevice(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	path := t.TempDir() + "/t.npy"
	runTool("new", "-dtype", "<f4", "-shape", "3", path)
	var stderr strings.Builder
	status := run([]string{"print", path}, nil, full, &stderr)
	if want := "npy: standard output: no space left on device\n"; wine.Unix(stderr.String()) != want || status != 1 {
		t.Errorf("got %q, exit status %d; want %q", stderr.String(), status, want)
	}
}
