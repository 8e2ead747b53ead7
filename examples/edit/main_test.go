package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

func TestMain(m *testing.M) { oracle.Main(m) }

func TestEdit(t *testing.T) {
	a, err := array.FromSlice([]float64{-1, 2, -0.5, 3, 4, -5}, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []dtype.DType{dtype.Float64.WithByteOrder(dtype.LittleEndian),
		dtype.Float64.WithByteOrder(dtype.BigEndian)} {
		path := filepath.Join(t.TempDir(), "t.npy")
		if err := array.Convert(path, a.Array(), d, index.F); err != nil {
			t.Fatal(err)
		}
		if n, err := edit(path); n != 3 || err != nil {
			t.Errorf("%v: changed %d elements, %v; want 3", d, n, err)
		}
		f, err := array.Open(path, array.ReadOnly)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		v, err := array.As[float64](f.Array)
		if err != nil {
			t.Fatal(err)
		}
		got, want := slices.Collect(v.Values()), []float64{0, 2, 0, 3, 4, 0}
		if !slices.Equal(got, want) {
			t.Errorf("%v: got %v, want %v", d, got, want)
		}
	}
}

func TestEditRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.npy")
	f, err := array.Create(path, dtype.Uint8, index.C, 3)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	want := fmt.Sprintf("%s: have dtype |u1, want %v; Cast[float64] converts", path, dtype.Float64)
	if _, err := edit(path); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestLost tests that edit returns an error if the file has been truncated or replaced, because its changes are lost.
func TestLost(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files that are mapped can be neither cut nor replaced")
	}
	path := filepath.Join(t.TempDir(), "t.npy")
	a, err := array.FromSlice(make([]float64, 1000))
	if err == nil {
		err = array.Save(path, a.Array())
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := array.Open(path, array.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := check(f); err != nil {
		t.Errorf("intact file: %v", err)
	}
	if err := os.Truncate(path, 8128-40); err != nil {
		t.Fatal(err)
	}
	want := path + ": truncated to 8088 bytes, want at least 8128"
	if err := check(f); err == nil || err.Error() != want {
		t.Errorf("cut: %v, want %s", err, want)
	}
	if err := array.Save(path, a.Array()); err != nil {
		t.Fatal(err)
	}
	if err := check(f); !errors.Is(err, mmap.ErrReplaced) {
		t.Errorf("replaced: %v, want %v", err, mmap.ErrReplaced)
	}
}

// TestLocked tests that edit fails while another process edits the file.
func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.npy")
	f, err := array.OpenConfig{Mode: array.ReadWrite, Lock: true}.OpenOrCreate(path, dtype.Float64, index.C, 3)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := edit(path); !errors.Is(err, mmap.ErrLocked) {
		t.Errorf("%v, want %v", err, mmap.ErrLocked)
	}
}
