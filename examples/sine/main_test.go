package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

func TestSine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sine.npy")
	if err := sine(path, 1000, false); err != nil {
		t.Fatal(err)
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
	if x := v.At(250, 1); x != 1 || f.DType().String() != ">f8" || f.Order() != index.F {
		t.Errorf("sin(π/2) is %v, dtype %v, order %v; want 1, >f8, F", x, f.DType(), f.Order())
	}
	if err := sine(path, 1000, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second time: %v, want %v", err, fs.ErrExist)
	}
	f.Close()
	if err := sine(path, 10, true); err != nil { // as with -force
		t.Error(err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}
