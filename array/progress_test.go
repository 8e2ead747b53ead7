package array

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestProgress tests that Progress counts every byte twice, when it is written and when it is synced, for arrays of all
// sizes. With NoSync, it must count every byte once. The number of reports depends on the time, but there must be at
// least one every 32 MiB.
func TestProgress(t *testing.T) {
	oracle.AnyProcessor(t)
	for _, tt := range []struct {
		src     Array
		want    [][2]int64
		written int // number of reports about writing
	}{
		{countingView(index.C, 3, 4).Array(), [][2]int64{{0, 96}, {48, 96}, {96, 96}}, 2}, // in bytes of <f4
		{countingView(index.C).Array(), [][2]int64{{0, 8}, {4, 8}, {8, 8}}, 2},
		{countingView(index.C, 0, 3).Array(), [][2]int64{{0, 0}}, 1},
		{must(countingView(index.C, 1).Broadcast(20 << 20)).Array(), nil, 0},
	} {
		differ := func(got, want [][2]int64, total int64) string {
			if want != nil {
				return cmp.Diff(want, got)
			}
			last := int64(0)
			for k, g := range got {
				if k == 0 && g[0] != 0 || k > 0 && (g[0] <= last || g[0] > last+32<<20) || g[1] != total {
					return fmt.Sprint(got)
				}
				last = g[0]
			}
			if last != total {
				return fmt.Sprint(got)
			}
			return ""
		}
		size := int64(4 * tt.src.Size())
		path := tempPath(t)
		var got [][2]int64
		cfg := SaveConfig{Progress: func(done, total int64) error {
			got = append(got, [2]int64{done, total})
			return nil
		}}
		if err := cfg.Convert(path, tt.src, dtype.MustParse("<f4"), index.K); err != nil {
			t.Fatal(err)
		}
		if diff := differ(got, tt.want, 2*size); diff != "" {
			t.Errorf("%v: want -, got +\n%s", tt.src.Layout(), diff)
		}

		var want [][2]int64
		for _, w := range tt.want[:tt.written] {
			want = append(want, [2]int64{w[0], w[1] / 2})
		}
		got = nil
		cfg.NoSync, cfg.Replace = true, true
		if err := cfg.Convert(path, tt.src, dtype.MustParse("<f4"), index.K); err != nil {
			t.Fatal(err)
		}
		if diff := differ(got, want, size); diff != "" {
			t.Errorf("NoSync, %v: want -, got +\n%s", tt.src.Layout(), diff)
		}
	}
}

// TestProgressStops tests that an error of the callback ends the work at any point, leaves no files behind, and is
// returned by Convert.
func TestProgressStops(t *testing.T) {
	stop := errors.New("stop")
	for n := range 3 {
		dir := t.TempDir()
		path := filepath.Join(dir, "a.npy")
		if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
		calls := 0
		err := SaveConfig{Replace: true, Progress: func(done, total int64) error {
			if calls++; calls > n {
				return stop
			}
			return nil
		}}.Convert(path, countingView(index.C, 3, 4).Array(), dtype.Float32, index.C)
		if !errors.Is(err, stop) || err.Error() != "stop" || calls != n+1 {
			t.Errorf("call %d: %v after %d calls", n, err, calls)
		}
		if got := string(must(os.ReadFile(path))); got != "old" || len(fileNames(t, dir)) != 1 {
			t.Errorf("call %d: the file contains %q, the directory %q", n, got, fileNames(t, dir))
		}
		func() {
			defer func() { recover() }()
			SaveConfig{Replace: true, Progress: func(done, total int64) error { panic(stop) }}.Convert(path,
				countingView(index.C).Array(), dtype.Float32, index.C)
		}()
		if len(fileNames(t, dir)) != 1 {
			t.Errorf("after a panic, the directory contains %q", fileNames(t, dir))
		}
	}
}

// TestCopyPieces tests that the number of bytes copied at a time does not change the result.
func TestCopyPieces(t *testing.T) {
	oracle.AnyProcessor(t)
	for _, src := range []View[float64]{
		countingView(index.C, 13, 7, 5), countingView(index.F, 13, 7, 5), countingView(index.C, 1, 300, 1),
		must(countingView(index.C, 5, 13, 7).Transpose(1, 2, 0)), must(countingView(index.F, 13, 7, 10).Select(index.Ellipsis,
			index.Every(-2))),
		must(countingView(index.C, 13, 1, 5).Broadcast(13, 7, 5)), must(As[float64](must(Stack(countingView(index.C, 9,
			4).Array(),
			countingView(index.C, 9, 4).Array())))),
	} {
		for _, order := range []index.Order{index.C, index.F} {
			for k, size := range []int{1, 40, 700, 1 << 20, 1, 40, 700, 1 << 20} {
				d := dtype.Float64 // some bytes of src are written without a copy in memory
				if k < 4 {
					d = d.WithByteOrder(dtype.BigEndian)
				}
				f := must(Create(tempPath(t), d, order, src.Shape()...))
				dst := must(As[float64](f.Array))
				largest := int64(0)
				last := int64(0)
				p := newProgress(func(done, _ int64) error {
					largest = max(largest, done-last)
					last = done
					return nil
				}, int64(src.NBytes()), 0)
				p.pacer.Size = size
				if err := p.copyNew(dst.Array(), src.Array()); err != nil || p.End() != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("%v to %v, order %v, %d bytes at a time", src.Layout(), d, order, size)
				if diff := cmp.Diff(collect(src), collect(dst)); diff != "" {
					t.Errorf("%s: want -, got +\n%s", name, diff)
				}
				if last != p.Total || largest > int64(runtime.GOMAXPROCS(0)*max(8, size)) {
					t.Errorf("%s: reported %d of %d bytes, up to %d at a time", name, last, p.Total, largest)
				}
				f.Close()
			}
		}
	}
}

// TestAppendProgress tests that Append reports the bytes written, the bytes stored, and the end. After an error of the
// callback, even in the last report, Append must not report again and must append nothing.
func TestAppendProgress(t *testing.T) {
	stop := errors.New("enough")
	all, none := [][2]int64{{0, 64}, {32, 64}, {64, 64}}, [][2]int64{{0, 0}}
	for _, tt := range []struct {
		rows    int
		stopAt  int // number of the report that returns an error, or 0 for none
		want    [][2]int64
		stopped bool
	}{
		{4, 0, all, false},
		{4, 1, all[:1], true},
		{4, 2, all[:2], true},
		{4, 3, all, true},
		{0, 0, none, false},
		{0, 1, none, true},
	} {
		path := tempPath(t)
		if err := must(Create(path, dtype.Float64, index.C, 2)).Close(); err != nil {
			t.Fatal(err)
		}
		var got [][2]int64
		f := must(OpenConfig{Mode: ReadWrite, Progress: func(done, total int64) error {
			got = append(got, [2]int64{done, total})
			if len(got) == tt.stopAt {
				return stop
			}
			return nil
		}}.Open(path))
		err := f.Append(must(New(dtype.Float64, index.C, tt.rows)).Array)
		want := 2 + tt.rows
		if tt.stopped {
			want = 2
		}
		if errors.Is(err, stop) != tt.stopped || (err != nil) != tt.stopped || f.Len(0) != want {
			t.Errorf("%d rows, an error at report %d: %v, and %d rows, want %d", tt.rows, tt.stopAt, err, f.Len(0), want)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%d rows, an error at report %d: want -, got +\n%s", tt.rows, tt.stopAt, diff)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestProgressOfStack tests that one report covers many members of a stack if the members are small.
func TestProgressOfStack(t *testing.T) {
	const members = 1000
	all := make([]Array, members)
	for k := range all {
		all[k] = countingView(index.C, 3).Array()
	}
	stack := must(Stack(all...))
	for _, a := range []Array{stack, must(stack.Transpose())} {
		calls := 0
		cfg := SaveConfig{Progress: func(_, _ int64) error { calls++; return nil }}
		path := tempPath(t)
		saved := func() error {
			err := cfg.Save(path, a)
			if err == nil {
				f := must(Open(path, ReadOnly))
				defer f.Close()
				if equal := must(Equal(f.Array, a)); !equal {
					err = errors.New("the file differs")
				}
			}
			return err
		}
		if err := saved(); err != nil {
			t.Error(err)
		}
		if calls > 10 {
			t.Errorf("a stack of %d arrays of 3 elements: %d calls of Progress", members, calls)
		}
	}
}

// TestStoreProgress tests that Grow, Commit and Make report the bytes that they store, and that an error of the
// callback ends each of them.
func TestStoreProgress(t *testing.T) {
	stop := errors.New("enough")
	for name, run := range map[string]func(cfg SaveConfig, path string, begin func()) error{
		"Grow": func(cfg SaveConfig, path string, begin func()) error {
			f := must(cfg.Create(path, dtype.Float64, index.C, 1))
			defer f.Close()
			begin()
			err := f.Grow(4)
			if n := f.Len(0); (n == 5) != (err == nil) {
				t.Errorf("Grow: %v, and the array has %d elements", err, n)
			}
			return err
		},
		"Commit": func(cfg SaveConfig, path string, begin func()) error {
			f := must(cfg.CreatePending(path, dtype.Float64, index.C, 4))
			defer f.Close()
			begin()
			err := f.Commit()
			if err != nil && f.pending == nil {
				t.Error("after an error, the file is not pending")
			}
			return err
		},
		"Make": func(cfg SaveConfig, path string, begin func()) error {
			return cfg.Make(path, dtype.Float64, index.C, []int{4}, func(*File) error { begin(); return nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, noSync := range []bool{false, true} {
				want := [][2]int64{{0, 32}, {32, 32}}
				if noSync && name != "Grow" {
					want = [][2]int64{{0, 0}}
				}
				for n := range len(want) + 1 {
					var got [][2]int64
					path := tempPath(t)
					err := run(SaveConfig{NoSync: noSync, Progress: func(done, total int64) error {
						if got = append(got, [2]int64{done, total}); len(got) > n {
							return stop
						}
						return nil
					}}, path, func() { got = nil })
					if errors.Is(err, stop) != (n < len(want)) || (err != nil) != (n < len(want)) {
						t.Errorf("%s: %v, with an error after %d calls", name, err, n)
					}
					if diff := cmp.Diff(want[:min(n+1, len(want))], got); diff != "" {
						t.Errorf("%s: want -, got +\n%s", name, diff)
					}
					if _, lerr := os.Lstat(path); name != "Grow" && (lerr == nil) != (err == nil) {
						t.Errorf("%s: %v, and the path: %v", name, err, lerr)
					}
				}
			}
		})
	}
}
