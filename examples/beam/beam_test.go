package main

import (
	"bytes"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestMain runs npybeam itself if NPYBEAM is set in the environment.
func TestMain(m *testing.M) {
	if os.Getenv("NPYBEAM") != "" {
		main()
		return
	}
	beam.Init()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	oracle.Main(m)
}

// npybeam runs the program with args and returns its output and exit status.
func npybeam(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), "NPYBEAM=1")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// npyTool builds the command-line tool npy and returns its path.
func npyTool(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "npy")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path,
		"github.com/ndmap/ndmap/examples/npy").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// numbers returns rows of 3×2 numbers of different magnitudes, including zeros and, for floats, NaN in one column.
func numbers(r *rand.Rand, d dtype.DType, rows int) array.Array {
	values := make([]complex128, rows*6)
	for i := range values {
		switch x := r.NormFloat64()*math.Pow(10, float64(r.IntN(6))) + 100; {
		case r.IntN(8) == 0: // 0
		case d.Kind() == dtype.KindFloat && i%6 == 4 && r.IntN(100) == 0:
			values[i] = complex(math.NaN(), 0)
		case d.Kind() == dtype.KindFloat && d.ItemSize() == 2:
			values[i] = complex(math.Mod(x, 1000), 0)
		case d.Kind() == dtype.KindUint:
			values[i] = complex(x*x*1e9, 0) // sums wrap around
		default:
			values[i] = complex(x, r.NormFloat64())
		}
	}
	v, err := array.FromSlice(values, rows, 3, 2)
	if err != nil {
		panic(err)
	}
	if d.Kind() == dtype.KindComplex {
		return v.Array()
	}
	re := make([]float64, len(values))
	for i, x := range values {
		re[i] = real(x)
	}
	w, err := array.FromSlice(re, rows, 3, 2)
	if err != nil {
		panic(err)
	}
	return w.Array()
}

// TestEqualsNpyReduce compares the results for 20 files of different lengths, orders and byte orders with npy reduce on
// a single file of the same elements.
func TestEqualsNpyReduce(t *testing.T) {
	npy := npyTool(t)
	r := oracle.Rand(t, 0)
	runs := 0
	for n, d := range []dtype.DType{
		dtype.Float64, dtype.Float32, dtype.Float16, dtype.Int16, dtype.Int64, dtype.Uint64, dtype.Bool, dtype.Complex128,
	} {
		dir := t.TempDir()
		var files []string
		whole := filepath.Join(dir, "whole.npy")
		joined, err := array.Create(whole, d, index.C, 0, 3, 2)
		check(t, err)
		for i := range 20 {
			path := filepath.Join(dir, fmt.Sprintf("%02d.npy", i))
			rows := numbers(r, d, r.IntN(60)*(i%5)) // some files have no rows
			check(t, array.Convert(path, rows, d.WithByteOrder([]dtype.ByteOrder{dtype.LittleEndian, dtype.BigEndian}[i/2%2]),
				index.Order(i%2)))
			f, err := array.Open(path, array.ReadOnly)
			check(t, err)
			check(t, joined.Append(f.Array))
			check(t, f.Close())
			files = append(files, path)
		}
		scale, count := magnitude(t, joined.Array), float64(joined.Size())
		check(t, joined.Close())
		for i, op := range []string{"sum", "mean", "var", "min", "max", "count"} {
			if d.Kind() == dtype.KindComplex && (op == "mean" || op == "var") {
				continue // Moments do not support complex numbers
			}
			for k, axis := range []string{"", "0", "1", "-1"} {
				if k != (i+n)%4 && !d.Equal(dtype.Float64) && !d.Equal(dtype.Int16) {
					continue // a job takes a fifth of a second, so n picks one axis for each op
				}
				got, want := filepath.Join(dir, "got.npy"), filepath.Join(dir, "want.npy")
				args := []string{"reduce", "-force", "-op", op}
				j := job{reduction: reduction{Op: op}, Out: got, PartBytes: 1000}
				if axis != "" {
					args = append(args, "-axis", axis)
					j.Axes = []int{int(axis[len(axis)-1] - '0')}
					if axis == "-1" {
						j.Axes[0] = -1
					}
				}
				out, err := exec.CommandContext(t.Context(), npy, append(args, whole, want)...).CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %v\n%s", args, err, out)
				}
				check(t, j.run(files))
				// Bound on the rounding errors in a sum of n numbers. Other operations are exact.
				tolerance := 0.0
				switch op {
				case "sum":
					tolerance = count * scale * 4 * 0x1p-53
				case "mean":
					tolerance = scale * 8 * 0x1p-53
				case "var":
					tolerance = scale * scale * 16 * 0x1p-53
				}
				if diff := compare(t, got, want, tolerance); diff != "" {
					t.Errorf("%s of %v along %q: %s", op, d, axis, diff)
				}
				check(t, os.Remove(got))
				runs++
			}
		}
	}
	t.Logf("%d results equal to those of npy reduce", runs)
}

// magnitude returns the greatest absolute value among the real and imaginary parts of the elements in a.
func magnitude(t *testing.T, a array.Array) (m float64) {
	v, err := array.Cast[complex128](a)
	check(t, err)
	for x := range v.Values() {
		if !cmplx.IsNaN(x) {
			m = max(m, math.Abs(real(x)), math.Abs(imag(x)))
		}
	}
	return m
}

// compare describes how two files differ, or returns "". Integers must be equal. Floats may differ by the tolerance
// and, if it is positive, by rounding to their dtype.
func compare(t *testing.T, gotPath, wantPath string, tolerance float64) string {
	got, err := os.ReadFile(gotPath)
	check(t, err)
	want, err := os.ReadFile(wantPath)
	check(t, err)
	g, err := array.Read(bytes.NewReader(got))
	check(t, err)
	w, err := array.Read(bytes.NewReader(want))
	check(t, err)
	header := len(got) - g.NBytes()
	if len(got) != len(want) || !bytes.Equal(got[:header], want[:header]) {
		return fmt.Sprintf("got %#v, want %#v", g, w)
	}
	var ulp float64
	switch kind := w.DType().Kind(); {
	case kind != dtype.KindFloat && kind != dtype.KindComplex:
		if !bytes.Equal(got, want) {
			return fmt.Sprintf("got\n%v\nwant\n%v", g, w)
		}
		return ""
	case tolerance > 0:
		ulp = map[int]float64{2: 0x1p-10, 4: 0x1p-23, 8: 0x1p-52, 16: 0x1p-52}[w.ItemSize()]
	}
	x, err := array.Cast[complex128](g)
	check(t, err)
	y, err := array.Cast[complex128](w)
	check(t, err)
	for idx, y := range y.All(index.C) {
		x := x.At(idx...)
		for _, p := range [][2]float64{{real(x), real(y)}, {imag(x), imag(y)}} {
			if p[0] != p[1] && (p[0] == p[0] || p[1] == p[1]) && !(math.Abs(p[0]-p[1]) <= tolerance+ulp*math.Abs(p[1])) {
				return fmt.Sprintf("at %v: got %v, want %v", idx, x, y)
			}
		}
	}
	return ""
}

// TestTwice tests that a step gives the same result when a runner repeats it.
func TestTwice(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "a.npy"), filepath.Join(dir, "out.npy")
	check(t, array.Save(path, numbers(oracle.Rand(t, 1), dtype.Float64, 500)))
	for op := range ops {
		for _, axes := range [][]int{nil, {0}, {1}} {
			j := job{reduction: reduction{Op: op, Axes: axes}, PartBytes: 7000}
			parts, err := j.plan([]string{path, path})
			check(t, err)
			reduced := map[int][]byte{}
			for _, p := range parts {
				at, b, err := (&reduceFn{j.reduction}).ProcessElement(p)
				check(t, err)
				at2, b2, err := (&reduceFn{j.reduction}).ProcessElement(p)
				check(t, err)
				if at != at2 || !bytes.Equal(b, b2) {
					t.Errorf("%s %v: %v is reduced to %q and to %q", op, axes, p, b, b2)
				}
				if a := reduced[at]; a != nil {
					merge := (&mergeFn{j.reduction}).MergeAccumulators
					c, err := merge(a, b)
					check(t, err)
					c2, err := merge(a, b)
					check(t, err)
					if !bytes.Equal(c, c2) {
						t.Errorf("%s %v: merged to %q and to %q", op, axes, c, c2)
					}
					b = c
				}
				reduced[at] = b
			}
			var written [2][]byte
			for i := range written {
				check(t, (&writeFn{j.reduction, out}).ProcessElement(nil, iterate(reduced)))
				written[i], err = os.ReadFile(out)
				check(t, err)
			}
			if !bytes.Equal(written[0], written[1]) {
				t.Errorf("%s %v: written as %q and as %q", op, axes, written[0], written[1])
			}
		}
	}
}

// iterate returns an iterator over m in the form in which Beam passes a side input.
func iterate(m map[int][]byte) func(*int, *[]byte) bool {
	next, _ := iter.Pull2(maps.All(m))
	return func(at *int, b *[]byte) (ok bool) {
		*at, *b, ok = next()
		return ok
	}
}

func TestPlan(t *testing.T) {
	t.Chdir(t.TempDir())
	dir, err := os.Getwd()
	check(t, err)
	save := func(name string, d dtype.DType, order index.Order, shape ...int) {
		f, err := array.Create(name, d, order, shape...)
		check(t, err)
		check(t, f.Close())
	}
	save("c.npy", dtype.Int64, index.C, 5, 2)
	save("f.npy", dtype.Int64.WithByteOrder(dtype.BigEndian), index.F, 10000, 2)
	save("none.npy", dtype.Int64, index.C, 0, 2)
	save("i4.npy", dtype.Int32, index.C, 5, 2)
	save("wide.npy", dtype.Int64, index.C, 5, 3)
	save("flat.npy", dtype.Int64, index.C, 5)
	save("scalar.npy", dtype.Int64, index.C)
	save("c8.npy", dtype.Complex64, index.C, 5, 2)
	save("s.npy", dtype.Bytes(3), index.C, 5, 2)
	away := filepath.Join(t.TempDir(), "sub")
	check(t, os.Mkdir(away, 0o777))
	check(t, os.Symlink(away, "link"))
	save("link/../there.npy", dtype.Int64, index.C, 2, 2)
	for _, tt := range []struct {
		op    string
		axes  []int
		files string
		want  string // the parts, or the error
	}{
		{"sum", nil, "c.npy none.npy c.npy", "c.npy 0-2 0, c.npy 2-4 0, c.npy 4-5 0, c.npy 0-2 0, c.npy 2-4 0, c.npy 4-5 0"},
		{"sum", []int{0}, "c.npy", "c.npy 0-2 0, c.npy 2-4 0, c.npy 4-5 0"},
		{"sum", []int{-1}, "c.npy none.npy f.npy",
			"c.npy 0-2 0, c.npy 2-4 2, c.npy 4-5 4, f.npy 0-8192 5, f.npy 8192-10000 8197"},
		{"sum", nil, "none.npy none.npy", "none.npy 0-0 0"},
		{"sum", nil, "link/../there.npy", "there.npy 0-2 0"}, // link is a symbolic link to another directory
		{"sum", nil, "c.npy i4.npy",
			"DIR/i4.npy: dtype <i4 and shape [5 2] cannot be joined to dtype <i8 and shape [5 2] along axis 0"},
		{"sum", nil, "c.npy wide.npy",
			"DIR/wide.npy: dtype <i8 and shape [5 3] cannot be joined to dtype <i8 and shape [5 2] along axis 0"},
		{"sum", nil, "c.npy flat.npy",
			"DIR/flat.npy: dtype <i8 and shape [5] cannot be joined to dtype <i8 and shape [5 2] along axis 0"},
		{"sum", nil, "c.npy scalar.npy",
			"DIR/scalar.npy: dtype <i8 and shape [] cannot be joined to dtype <i8 and shape [5 2] along axis 0"},
		{"sum", nil, "scalar.npy", "scalar.npy: an array without dimensions cannot be joined; use npy reduce"},
		{"sum", []int{2}, "c.npy", "c.npy: axis 2 out of range for 2 dimensions"},
		{"sum", []int{-3}, "c.npy", "c.npy: axis -3 out of range for 2 dimensions"},
		{"max", nil, "s.npy", "s.npy: max requires numbers: have dtype |S3"},
		{"var", nil, "c8.npy",
			"c8.npy: complex numbers have no minimum, so no moments; Reinterpret them as real and imaginary parts along a longer last axis: have dtype <c8"},
		{"sum", nil, "c.npy absent.npy", "open DIR/absent.npy: no such file or directory"},
	} {
		j := job{reduction: reduction{Op: tt.op, Axes: tt.axes}, PartBytes: 32}
		parts, err := j.plan(strings.Fields(tt.files))
		var got []string
		for _, p := range parts {
			got = append(got, fmt.Sprintf("%s %d-%d %d", filepath.Base(p.Path), p.Lo, p.Hi, p.At))
		}
		if err != nil {
			got = []string{strings.ReplaceAll(err.Error(), dir, "DIR")}
		}
		if got := strings.Join(got, ", "); got != tt.want {
			t.Errorf("%s %v %s\ngot  %s\nwant %s", tt.op, tt.axes, tt.files, got, tt.want)
		}
	}
}

// TestProgram tests the output and the exit status of the program.
func TestProgram(t *testing.T) {
	t.Chdir(t.TempDir())
	v, err := array.FromSlice([]int32{1, 2, 3, 4, 5, 7}, 3, 2)
	check(t, err)
	check(t, array.Save("a.npy", v.Array()))
	check(t, array.Convert("b.npy", v.Array(), dtype.Int32.WithByteOrder(dtype.BigEndian), index.F))
	whole, err := os.ReadFile("b.npy")
	check(t, err)
	check(t, os.WriteFile("torn.npy", whole[:len(whole)-1], 0o666))
	dir, err := os.Getwd()
	check(t, err)
	for _, tt := range []struct {
		args           string
		stdout, stderr string
		status         int
	}{
		{"-op sum a.npy b.npy", "44\n", "", 0},
		{"-op mean -axis 0 a.npy b.npy", "[3.         4.33333333]\n", "", 0},
		{"-op max -axis 1 -part 1 a.npy b.npy", "[2 4 7 2 4 7]\n", "", 0},
		{"-op var -out out.npy a.npy b.npy", "", "", 0},
		{"-op var -out out.npy a.npy b.npy", "", "npybeam: create out.npy: file already exists\n", 1},
		{"-op sum -out no.npy a.npy absent.npy", "", "npybeam: open DIR/absent.npy: no such file or directory\n", 1},
		{"-op sum -out no.npy a.npy torn.npy", "",
			"npybeam: DIR/torn.npy: data at byte 128: the file holds 23 bytes of data; shape (3, 2) of >i4 needs 24: it was truncated, or never written to its end; npy repair keeps the 1 whole position of axis 1\n", 1},
		{"-op sum -axis 2 -out no.npy a.npy", "", "npybeam: a.npy: axis 2 out of range for 2 dimensions\n",
			1},
		{"-op median a.npy", "", "usage: npybeam -op OP", 2},
		{"-op sum -runner flink a.npy", "", "usage: npybeam -op OP", 2},
	} {
		stdout, stderr, status := npybeam(t, strings.Fields(tt.args)...)
		stderr = strings.ReplaceAll(stderr, dir, "DIR")
		if status == 2 {
			stderr = stderr[:min(len(stderr), len(tt.stderr))]
		}
		if stdout != tt.stdout || stderr != tt.stderr || status != tt.status {
			t.Errorf("%s\ngot  %q %q %d\nwant %q %q %d", tt.args, stdout, stderr, status, tt.stdout, tt.stderr, tt.status)
		}
	}
	if _, err := os.Stat("no.npy"); !os.IsNotExist(err) {
		t.Errorf("no.npy: %v", err)
	}
}

// TestFailingWorker tests that a file that is removed or truncated during the work ends the job with an error that
// names the file, and that nothing is written.
func TestFailingWorker(t *testing.T) {
	for _, tt := range []struct {
		what string
		do   func(path string) error
		want string
	}{
		{"removed", os.Remove, "open PATH: no such file or directory"},
		{"cut", func(path string) error { return os.Truncate(path, 200) },
			"PATH: data at byte 128: the file holds 72 bytes of data; shape (50, 3, 2) of <f8 needs 2400: it was truncated, or never written to its end; npy repair keeps the 1 whole row"},
		{"shortened", func(path string) error {
			return array.Save(path, numbers(rand.New(rand.NewPCG(0, 0)), dtype.Float64, 10))
		}, "PATH: has shape [10 3 2], but had at least 20 rows when the work began"},
		{"replaced", func(path string) error {
			return array.Save(path, numbers(rand.New(rand.NewPCG(0, 1)), dtype.Float64, 50))
		}, "PATH: has changed since the work began"},
	} {
		dir := t.TempDir()
		path, out := filepath.Join(dir, "a.npy"), filepath.Join(dir, "out.npy")
		check(t, array.Save(path, numbers(oracle.Rand(t, 2), dtype.Float64, 50)))
		j := job{reduction: reduction{Op: "sum"}, Out: out, PartBytes: 48 * 20}
		parts, err := j.plan([]string{path})
		check(t, err)
		check(t, tt.do(path))
		err = beamx.Run(t.Context(), j.pipeline(parts))
		if err == nil {
			t.Errorf("%s: no error", tt.what)
			continue
		}
		if got := strings.ReplaceAll(cause(err), path, "PATH"); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.what, got, tt.want)
		}
		if _, err := os.Stat(out); !os.IsNotExist(err) {
			t.Errorf("%s: %v exists", tt.what, out)
		}
	}
}

// TestLeavesNothing tests that no files remain in the temporary directory or next to the result, even after an
// interrupt.
func TestLeavesNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts")
	}
	path := filepath.Join(t.TempDir(), "a.npy")
	f, err := array.Create(path, dtype.Float64, index.C, 4000, 100)
	check(t, err)
	check(t, f.Close())
	for _, out := range []string{"", "out.npy"} {
		for _, after := range []time.Duration{-1, 0, 5, 30, 60, 90} { // milliseconds
			tmp, dir := t.TempDir(), t.TempDir()
			args := []string{"-op", "sum", "-part", "20000"}
			if out != "" {
				args = append(args, "-out", out)
			}
			cmd := exec.CommandContext(t.Context(), os.Args[0], append(args, path)...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "NPYBEAM=1", "TMPDIR="+tmp)
			check(t, cmd.Start())
			if after >= 0 {
				deadline := time.Now().Add(10 * time.Second)
				for len(names(t, tmp))+len(names(t, dir)) == 0 && time.Now().Before(deadline) {
					time.Sleep(time.Millisecond)
				}
				time.Sleep(after * time.Millisecond)
				cmd.Process.Signal(os.Interrupt)
			}
			err := cmd.Wait()
			if after < 0 && err != nil {
				t.Error(err)
			}
			got := append(names(t, tmp), names(t, dir)...)
			if len(got) > 0 && (err != nil || out == "" || got[0] != out || len(got) > 1) {
				t.Errorf("interrupted after %d ms: %v, leaves %v", after, err, got)
			}
		}
	}
}

func names(t *testing.T, dir string) (names []string) {
	entries, err := os.ReadDir(dir)
	check(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestOneResult tests that if two jobs write the same result, one of them fails.
func TestOneResult(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "a.npy"), filepath.Join(dir, "out.npy")
	check(t, array.Save(path, numbers(oracle.Rand(t, 3), dtype.Float64, 500)))
	status := make(chan int)
	for range 2 {
		go func() {
			_, _, s := npybeam(t, "-op", "sum", "-out", out, path)
			status <- s
		}()
	}
	if a, b := <-status, <-status; a+b != 1 {
		t.Errorf("two jobs with one result end with %d and %d", a, b)
	}
}
