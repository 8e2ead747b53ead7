package array

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/atomicfile"
)

// TestPending tests that a pending file appears at its path, with all its data, when Commit is called and not before.
// Close without Commit must leave the path unchanged.
func TestPending(t *testing.T) {
	defer func() { atomicfile.Unnamed = true }()
	want := writtenBytes(t, sequence("<i4", index.C, 5, 4, 3))
	for _, tt := range []struct {
		name   string
		cfg    SaveConfig
		old    bool
		commit bool
		err    error
	}{
		{name: "new", commit: true},
		{name: "new, discarded"},
		{name: "in place of a file", cfg: SaveConfig{Replace: true}, old: true, commit: true},
		{name: "in place of a file, discarded", cfg: SaveConfig{Replace: true}, old: true},
		{name: "in place of none", cfg: SaveConfig{Replace: true}, commit: true},
		{name: "there is a file", old: true, err: fs.ErrExist},
		{name: "in place of a file, not synced", cfg: SaveConfig{Replace: true, NoSync: true}, old: true, commit: true},
		{name: "sparse", cfg: SaveConfig{Sparse: true}, commit: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, unnamed := range []bool{true, false} {
				atomicfile.Unnamed = unnamed
				path := tempPath(t)
				what := fmt.Sprintf("%s, without a name %v", tt.name, unnamed)
				var before []byte
				if tt.old {
					before = []byte("an old file")
					if err := os.WriteFile(path, before, 0o666); err != nil {
						t.Fatal(err)
					}
				}
				at := func() []byte { b, _ := os.ReadFile(path); return b }
				f, err := tt.cfg.CreatePending(path, dtype.MustParse("<i4"), index.C, 4, 3)
				if !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
					t.Fatalf("%s: %v", what, err)
				}
				if err != nil {
					continue
				}
				if err := Copy(f.Array, sequence("<i4", index.C, 5, 4, 3)); err != nil {
					t.Fatal(err)
				}
				if got := at(); !slices.Equal(got, before) || f.Path() != path {
					t.Errorf("%s: before Commit, %s has %d bytes", what, f.Path(), len(got))
				}
				if tt.commit {
					if err := f.Commit(); err != nil {
						t.Errorf("%s: %v", what, err)
					}
					before = want
					if err := f.Commit(); !errors.Is(err, fs.ErrInvalid) {
						t.Errorf("%s: the second Commit: %v", what, err)
					}
					if err := f.Map().CheckPath(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
						t.Errorf("%s: %v", what, err)
					}
					g, err := OpenConfig{Mode: ReadWrite, Lock: true}.OpenRaw(path, 0, dtype.Uint8, index.C, 1)
					if err != nil {
						t.Errorf("%s: with a lock: %v", what, err)
					} else {
						g.Close()
					}
				}
				if err := f.Close(); err != nil {
					t.Errorf("%s: Close: %v", what, err)
				}
				if err := f.Commit(); !errors.Is(err, fs.ErrInvalid) {
					t.Errorf("%s: Commit after Close: %v", what, err)
				}
				if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
					t.Errorf("%s: the second Close: %v", what, err)
				}
				if got := at(); !slices.Equal(got, before) {
					t.Errorf("%s: in the end the file has %d bytes, want %d", what, len(got), len(before))
				}
				if got := fileNames(t, filepath.Dir(path)); len(got) > 1 || len(got) == 1 && before == nil {
					t.Errorf("%s: the directory contains %q", what, got)
				}
			}
		})
	}
}

// TestPendingExists tests that Commit does not replace a file that was created in the meantime. The File stays pending:
// it can be saved elsewhere, or committed once the path is free.
func TestPendingExists(t *testing.T) {
	path := tempPath(t)
	f := must(SaveConfig{}.CreatePending(path, dtype.Int8, index.C, 3))
	defer f.Close()
	must(As[int8](f.Array)).Fill(7)
	if err := os.WriteFile(path, []byte("other"), 0o666); err != nil {
		t.Fatal(err)
	}
	err := f.Commit()
	if want := "create " + path + ": file exists"; !errors.Is(err, fs.ErrExist) || err.Error() != want &&
		runtime.GOOS != "windows" {
		t.Errorf("%v, want %s", err, want)
	}
	if got := must(os.ReadFile(path)); string(got) != "other" {
		t.Errorf("the file contains %q", got)
	}
	if got := fmt.Sprint(f.Array); got != "[7 7 7]" {
		t.Error(got)
	}
	if err := errors.Join(os.Remove(path), f.Commit()); err != nil {
		t.Fatal(err)
	}
	g := must(Open(path, ReadOnly))
	defer g.Close()
	if got := fmt.Sprint(g); got != "[7 7 7]" {
		t.Error(got)
	}
}

// TestCommitInvalid tests the error of Commit for files that are not pending.
func TestCommitInvalid(t *testing.T) {
	path := tempPath(t)
	f := must(Create(path, dtype.Int8, index.C, 3))
	defer f.Close()
	memory := must(New(dtype.Int8, index.C, 3))
	defer memory.Close()
	for _, tt := range []struct {
		f    *File
		want string
	}{
		{f, path + ": commit: invalid argument: the file is not pending; use CreatePending, and Commit once"},
		{memory, "array: commit: invalid argument: the file is not pending; use CreatePending, and Commit once"},
		{&File{}, "array: commit: invalid argument: the file is not pending; use CreatePending, and Commit once"},
	} {
		if err := tt.f.Commit(); !errors.Is(err, fs.ErrInvalid) || err.Error() != tt.want {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}

// TestPendingAppend tests that a pending file can grow before and after Commit, and that another File can take its lock
// after Commit.
func TestPendingAppend(t *testing.T) {
	path := tempPath(t)
	f := must(SaveConfig{}.CreatePending(path, dtype.Float64, index.C, 0, 2))
	defer f.Close()
	rows := sequence("<f8", index.C, 0, 3, 2)
	for k := range 4 {
		if k == 2 {
			if err := f.Commit(); err != nil {
				t.Fatal(err)
			}
			g := must(Open(path, ReadWrite))
			if err := g.Append(rows); err != nil {
				t.Fatal(err)
			}
			g.Close()
		}
		if err := f.Append(rows); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Refresh(); err != nil || f.Len(0) != 15 {
		t.Errorf("%v, %v", f.Shape(), err)
	}
	g := must(Open(path, ReadOnly))
	defer g.Close()
	if g.Len(0) != 15 {
		t.Errorf("the file has %v", g.Shape())
	}
}
