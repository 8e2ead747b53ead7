package main

import (
	"hash/fnv"
	"io"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestPrintLong tests that elements of any length are written in full, in constant memory.
func TestPrintLong(t *testing.T) {
	oracle.OneGoroutine(t)
	const size = 1 << 21
	for _, tt := range []struct {
		descr, flag string
		file        string // content, repeated to size bytes
		prefix      string // output before the repeated text
		text        string // output for each repetition
		suffix      string // output after the repeated text
	}{
		{"S2097152", "", "a\n'\\", `b"`, `a\n'\\`, `"`},
		{"S2097153", "", "a\x00\x00b", `b'`, `a\x00\x00b`, `'`}, // a NUL follows, which is padding
		{"<U524288", "", "\x00\x00\x00\x00\x85\x00\x00\x00\xe9\x00\x00\x00\x0a\xf6\x01\x00", "", "\x00\u0085é😊", ""},
		{"V2097152", "", "a\n\xff\x00", `b'`, `\x61\x0A\xFF\x00`, `'`},
		{"S2097152", "-json", "a\n\"\\", `"`, `a\n\"\\`, `"`},
		{"S2097153", "-json", "a\x00\x00b", `"`, `a\u0000\u0000b`, `"`},
		{"<U524288", "-json", "\x00\x00\x00\x00\x85\x00\x00\x00\xe9\x00\x00\x00\x0a\xf6\x01\x00", `"`, `\u0000\u0085é😊`, `"`},
		{"V2097152", "-json", "a\n\xff\x00", `"`, `610aff00`, `"`},
		{"[('a', 'S2097152'), ('b', 'i1')]", "-json", "abcd", `{"a":"`, "abcd", `","b":0}`},
		{"[('a', '<i4', (2, 262144)), ('b', 'i1')]", "-json", "\x07\x00\x00\x00", `{"a":[[`, "7,", `]],"b":0}`},
	} {
		d := dtype.MustParse(tt.descr)
		path := t.TempDir() + "/t.npy"
		f, err := array.Create(path, d, index.C)
		check(t, err)
		for b := f.Map().Bytes()[f.Map().Len()-d.ItemSize():]; len(b) >= len(tt.file); b = b[len(tt.file):] {
			if len(b)-len(tt.file) < d.ItemSize()-size {
				break
			}
			copy(b, tt.file)
		}
		check(t, f.Close())
		times := size / len(tt.file)
		want := fnv.New64a()
		io.WriteString(want, tt.prefix)
		if strings.HasPrefix(tt.descr, "[('a', '<i4'") { // two lists
			half := strings.TrimSuffix(strings.Repeat(tt.text, times/2), ",")
			io.WriteString(want, half+"],["+half)
		} else {
			io.WriteString(want, strings.Repeat(tt.text, times))
		}
		io.WriteString(want, tt.suffix+"\n")
		var before, after runtime.MemStats
		got := fnv.New64a()
		args := []string{"print", path}
		if tt.flag != "" {
			args = []string{"print", tt.flag, path}
		}
		runtime.ReadMemStats(&before)
		if status := run(args, nil, got, os.Stderr); status != 0 {
			t.Errorf("%s %s: exit status %d", tt.descr, tt.flag, status)
		}
		runtime.ReadMemStats(&after)
		if got.Sum64() != want.Sum64() {
			out, _, _ := runTool(args...)
			t.Errorf("%s %s: printed %d bytes, %q … %q", tt.descr, tt.flag, len(out), out[:40], out[len(out)-40:])
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 2<<20 && !oracle.Race {
			t.Errorf("%s %s: allocated %d bytes for an element of %d", tt.descr, tt.flag, n, size)
		}
	}
}

// TestPrintLongNumPy compares the output for arrays with long elements, including line breaks, with NumPy's print.
func TestPrintLongNumPy(t *testing.T) {
	p := oracle.Start(t)
	path := p.Temp()
	for _, expr := range []string{
		"np.array([b'x' * 20000, b'abc', b'', b'\\'' * 17000, b'y' * 40, b'z' * 40, b'w'], 'S20000')",
		"np.array([['é' * 5000, 'abc'], ['', '\"\\'' * 2500]], '>U5000')",
		"np.array('é' * 5000)",
		"np.array(b'a\"' * 9000)",
		"np.arange(20000, dtype='u1').view('V20000')",
		"np.arange(40000, dtype='u1').view('V20000').reshape(2, 1)",
		"np.full(2000, b'x' * 17000)",
	} {
		var want string
		check(t, p.Run("a = "+expr+"; np.save(x, a); out = str(a)", path, &want))
		got, stderr, status := runTool("print", path)
		if diff := cmp.Diff(want+"\n", got); diff != "" || status != 0 {
			t.Errorf("%s: -want +got\n%.2000s%s", expr, diff, stderr)
		}
	}
}

// TestPrintEndless tests that arrays without bytes, which may have any number of elements, are an error as JSON instead
// of endless output.
func TestPrintEndless(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("no array has more than 1<<31-1 elements in 32 bits")
	}
	for _, tt := range []struct {
		descr string
		shape []int
		want  string // instead of the error
		error string
	}{
		{"V0", []int{math.MaxInt/2 + 1}, "",
			"4611686018427387905 values and lists in 0 bytes of elements are too many to print; select some of them"},
		{"[]", []int{1 << (strconv.IntSize/2 - 1), 1 << (strconv.IntSize/2 - 1)}, "",
			"4611686020574871553 values and lists in 0 bytes of elements are too many to print; select some of them"},
		{"f8", []int{1 << 30, 1 << 29, 0}, "",
			"576460753377165313 values and lists in 0 bytes of elements are too many to print; select some of them"},
		{"[('x', 'i1'), ('v', [], (2000000000,))]", []int{1}, "",
			"2000000004 values and lists in 1 bytes of elements are too many to print; select some of them"},
		{"[('v', 'i4', (2000000000, 0))]", []int{math.MaxInt >> 23}, "",
			"more than 9223372036854775806 values and lists in 0 bytes of elements are too many to print; select some of them"},
		{"S0", []int{2, 3}, `[["","",""],["","",""]]` + "\n", ""},
		{"f8", []int{0, 1 << 30, 1 << 29}, "[]\n", ""},
	} {
		path := t.TempDir() + "/t.npy"
		f, err := array.Create(path, dtype.MustParse(tt.descr), index.C, tt.shape...)
		check(t, err)
		check(t, f.Close())
		want := ""
		if tt.error != "" {
			want = "npy: " + path + ": " + tt.error + "\n"
		}
		got, stderr, _ := runTool("print", "-json", path)
		if got != tt.want || stderr != want {
			t.Errorf("%s, shape %v: %q and %q, want %q and %q", tt.descr, tt.shape, got, stderr, tt.want, want)
		}
	}
}
