package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

func TestMain(m *testing.M) { oracle.Main(m) }

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func save(t *testing.T, cfg npz.SaveConfig) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.npz")
	a, err := array.FromSlice([]float64{-1, 2, -0.5, 3, 4, -5}, 2, 3)
	check(t, err)
	check(t, cfg.Save(path, map[string]array.Array{"a": a.Array(), "b": a.Array()}))
	return path
}

func values(t *testing.T, path, name string) []float64 {
	t.Helper()
	a, err := npz.Open(path, array.ReadOnly)
	check(t, err)
	defer a.Close()
	check(t, a.Verify(name))
	x, err := a.Array(name)
	check(t, err)
	v, err := array.As[float64](x)
	check(t, err)
	return slices.Collect(v.Values())
}

// TestEdit tests that the CRC matches the edited data, and that other members do not change.
func TestEdit(t *testing.T) {
	path := save(t, npz.SaveConfig{})
	if n, err := edit(path, "a", false); n != 3 || err != nil {
		t.Errorf("%d elements changed, %v; want 3", n, err)
	}
	if got, want := values(t, path, "a"), []float64{0, 2, 0, 3, 4, 0}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := values(t, path, "b"), []float64{-1, 2, -0.5, 3, 4, -5}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestDamage tests that a member with a wrong CRC is not edited without -repair.
func TestDamage(t *testing.T) {
	path := save(t, npz.SaveConfig{})
	a, err := npz.Open(path, array.ReadOnly)
	check(t, err)
	m, err := a.Member("a")
	check(t, err)
	check(t, a.Close())
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	check(t, err)
	_, err = f.WriteAt([]byte{0xf0, 0xbf},
		m.Offset+m.Size-2) // the last number: -1 instead of -5, if the machine is little-endian
	check(t, err)
	check(t, f.Close())
	before, err := os.ReadFile(path)
	check(t, err)
	var damaged *array.FormatError
	if n, err := edit(path, "a", false); n != 0 || !errors.As(err, &damaged) {
		t.Errorf("%d elements changed, %v; want a FormatError", n, err)
	}
	if after, err := os.ReadFile(path); err != nil || !slices.Equal(after, before) {
		t.Errorf("the file was changed: %v", err)
	}
	if n, err := edit(path, "a", true); n < 2 || err != nil {
		t.Errorf("%d elements changed, %v", n, err)
	}
	if got := values(t, path, "a"); slices.Min(got) < 0 {
		t.Errorf("%v", got)
	}
}

func TestRefuses(t *testing.T) {
	path := save(t, npz.SaveConfig{Compress: true})
	if _, err := edit(path, "a", false); err == nil || !strings.Contains(err.Error(), "compressed") {
		t.Error(err)
	}
	path = save(t, npz.SaveConfig{})
	if _, err := edit(path, "c", false); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	a, err := npz.OpenConfig{Mode: array.ReadWrite, Lock: true}.Open(path)
	check(t, err)
	defer a.Close()
	if _, err := edit(path, "a", false); !errors.Is(err, mmap.ErrLocked) {
		t.Errorf("%v, want %v", err, mmap.ErrLocked)
	}
}
