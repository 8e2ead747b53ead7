package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// rowsToFollow returns the number of rows to append. make long-follow sets a greater number.
func rowsToFollow(t *testing.T) int { return oracle.EnvInt(t, "NDMAP_FOLLOW", 2000) }

// every is the polling interval of the follower in Python.
const every = time.Millisecond

// python returns a command that runs Python and is killed after some minutes.
func python(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	oracle.Need(t)
	path, _, _ := oracle.Python()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute+time.Duration(rowsToFollow(t))*10*time.Millisecond)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	cmd.Stderr = os.Stderr
	return cmd
}

// delays are the times between the start of an append and the arrival of the row at the follower.
type delays []time.Duration

func (d delays) String() string {
	slices.Sort(d)
	return fmt.Sprintf("%d rows, each once and in order; delay from before the append: median %v, 99 of 100 within %v, at most %v",
		len(d), d[len(d)/2], d[len(d)*99/100], d[len(d)-1])
}

// Each row contains its number and the time at which it was created, in nanoseconds.

// TestFollowPython tests that Go sees each row that Python appends exactly once, in order.
func TestFollowPython(t *testing.T) {
	n := rowsToFollow(t)
	path := filepath.Join(t.TempDir(), "t.npy")
	f, err := array.Create(path, dtype.Int64, index.C, 0, 2)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := python(t, "-c", `
import sys, time, follow
import numpy as np
a = follow.Appender(sys.argv[1])
n, k = int(sys.argv[2]), 0
r = np.random.RandomState(int(sys.argv[3]))
while k < n:
    m = min(n - k, r.randint(1, 4))
    a.append([(k + i, time.time_ns()) for i in range(m)])
    k += m
    time.sleep(float(r.exponential(100e-6)))
a.close()
`, path, fmt.Sprint(n), fmt.Sprint(uint32(oracle.Seed(t))))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var d delays
	done := errors.New("all rows are there")
	followed := make(chan error, 1)
	see := func(rows array.Array) error {
		now := time.Now().UnixNano()
		v, err := array.As[int64](rows)
		if err != nil {
			return err
		}
		for i := range rows.Len(0) {
			if v.At(i, 0) != int64(len(d)) {
				return fmt.Errorf("row %d after row %d", v.At(i, 0), len(d)-1)
			}
			d = append(d, time.Duration(now-v.At(i, 1)))
		}
		if len(d) == n {
			return done
		}
		return nil
	}
	go func() { followed <- follow(t.Context(), path, see) }()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-followed:
		if err != done {
			t.Fatal(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("a minute after the last append, rows are missing")
	}
	t.Logf("Python appends, Go follows: %v", d)
}

// TestPythonFollows tests that Python sees each row that Go appends exactly once, in order.
func TestPythonFollows(t *testing.T) {
	n := rowsToFollow(t)
	path := filepath.Join(t.TempDir(), "t.npy")
	f, err := array.Create(path, dtype.Int64, index.C, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cmd := python(t, "-c", `
import json, sys, time, follow
import numpy as np
n, seen = int(sys.argv[2]), []
for rows in follow.follow(sys.argv[1], float(sys.argv[3])):
    now = time.time_ns()
    want = np.arange(len(seen), len(seen) + len(rows))
    if not np.array_equal(rows[:, 0], want):
        sys.exit("rows %s; want %s" % (rows[:, 0], want))
    seen += (now - rows[:, 1]).tolist()
    if len(seen) >= n:
        break
print(json.dumps(seen))
`, path, fmt.Sprint(n), fmt.Sprint(every.Seconds()))
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := oracle.Rand(t, 0)
	for k := 0; k < n; {
		m := min(n-k, 1+r.IntN(3))
		rows := make([]int64, 2*m)
		for i := range m {
			rows[2*i], rows[2*i+1] = int64(k+i), time.Now().UnixNano()
		}
		v, err := array.FromSlice(rows, m, 2)
		if err == nil {
			err = f.Append(v.Array())
		}
		if err != nil {
			cmd.Process.Kill()
			t.Fatal(err)
		}
		k += m
		time.Sleep(time.Duration(r.ExpFloat64() * 1e5))
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	var d delays
	if err := json.Unmarshal([]byte(out.String()), &d); err != nil {
		t.Fatal(err)
	}
	if len(d) != n {
		t.Fatalf("%d rows, want %d", len(d), n)
	}
	t.Logf("Go appends, Python follows: %v", d)
}

// TestAppend tests both programs appending to one file in turn, and lines that they reject.
func TestAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.npy")
	for _, lines := range []string{"\n1 2.5 -3\n4 5 6\n", "7 8 9\n\n"} {
		if err := appendLines(path, strings.NewReader(lines)); err != nil {
			t.Fatal(err)
		}
		cmd := python(t, "follow.py", "-append", path)
		cmd.Stdin = strings.NewReader(lines)
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
	}
	done := errors.New("done")
	var got string
	err := follow(t.Context(), path, func(rows array.Array) error {
		got += fmt.Sprint(rows)
		return done
	})
	want := "[[ 1.   2.5 -3. ]\n [ 4.   5.   6. ]\n [ 1.   2.5 -3. ]\n [ 4.   5.   6. ]\n [ 7.   8.   9. ]\n [ 7.   8.   9. ]]"
	if err != done || got != want {
		t.Errorf("got %v, %v; want %s", got, err, want)
	}
	for lines, want := range map[string]string{
		"1 2 x":      `line 1: "x": invalid syntax`,
		"\n \n1e999": `line 3: "1e999": value out of range`,
		"\n1 2":      "line 2: " + path + ": shape mismatch: the file has shape (6, 3), want (0, 2); only the length of axis 0 may differ",
	} {
		t.Run(lines, func(t *testing.T) {
			if err := appendLines(path, strings.NewReader(lines)); err == nil || err.Error() != want {
				t.Errorf("%q: %v, want %s", lines, err, want)
			}
		})
	}
	columns := filepath.Join(t.TempDir(), "f.npy")
	f, err := array.Create(columns, dtype.Float64, index.F, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := follow(t.Context(), columns, nil); err == nil ||
		err.Error() != columns+": shape [2 2], order F: want an array with rows in C order" {
		t.Error(err)
	}
}

// TestCreateAndReplace tests that concurrent appenders create a single file, and that a follower continues with a file
// that replaces it.
func TestCreateAndReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.npy")
	const writers = 8
	errs := make(chan error, writers)
	for i := range writers {
		write := func() { errs <- appendLines(path, strings.NewReader(fmt.Sprintf("%d 7\n", i))) }
		if runtime.GOOS == "windows" { // Windows cannot open a file while it is being renamed
			write()
		} else {
			go write()
		}
	}
	for range writers {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	if runtime.GOOS == "windows" {
		t.Skip("a file that is mapped cannot be replaced")
	}
	other, err := array.FromSlice([]float64{1, 2, 3, 4}, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	done := errors.New("done")
	var seen [writers]int
	files := 0
	err = follow(t.Context(), path, func(rows array.Array) error {
		v, err := array.As[float64](rows)
		switch files++; {
		case err != nil:
			return err
		case files == 1:
			for row := range rows.Len(0) {
				seen[int(v.At(row, 0))]++
			}
			if err := os.Remove(path); err != nil {
				return err
			}
			time.AfterFunc(5*every, func() { array.Save(path, other.Array()) })
			return nil
		}
		if got := fmt.Sprint(v); got != fmt.Sprint(other) {
			t.Errorf("got %s", got)
		}
		return done
	})
	if err != done || seen != [writers]int{1, 1, 1, 1, 1, 1, 1, 1} {
		t.Errorf("%v, number of copies of each row: %v", err, seen)
	}
}

// TestLines tests blank lines, including those at the beginning of a new file, and very long lines.
func TestLines(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("0.123456789012345 ", 10_000)
	for i, tt := range []struct {
		lines string
		shape []int // nil: no file
	}{
		{"\n1 2\n", []int{1, 2}},
		{"1 2\n\n \t\n3 4", []int{2, 2}},
		{"\n\n", nil},
		{"", nil},
		{long + "\n" + long + "\n", []int{2, 10_000}},
	} {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := appendLines(path, strings.NewReader(tt.lines)); err != nil {
			t.Errorf("%.20q …: %v", tt.lines, err)
		}
		f, err := array.Open(path, array.ReadOnly)
		if tt.shape == nil && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || !slices.Equal(f.Shape(), tt.shape) {
			t.Errorf("%.20q …: %v, %v, want shape %v", tt.lines, f, err, tt.shape)
			continue
		}
		f.Close()
	}
}

// TestFollowCut tests that rows cut off within the last page are not printed as zeros.
func TestFollowCut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file that is mapped cannot be truncated")
	}
	path := filepath.Join(t.TempDir(), "t.npy")
	v, err := array.FromSlice([]float64{1, 2, 3, 4}, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := array.Save(path, v.Array()); err != nil {
		t.Fatal(err)
	}
	f, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, 128+24); err != nil {
		t.Fatal(err)
	}
	rows, err := currentRows(f)
	if err == nil {
		t.Errorf("truncated within the last page: %v, no error", rows)
	}
}
