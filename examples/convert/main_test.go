package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// TestConvert tests that NumPy reads the same values, in the layout of a new NumPy array.
func TestConvert(t *testing.T) {
	p := oracle.Start(t)
	order := "<" // NumPy may run on a machine with another byte order
	if dtype.Native == dtype.BigEndian {
		order = ">"
	}
	for _, a := range []string{
		"np.arange(24, dtype='>i8').reshape(2, 3, 4, order='F') + 2**53",
		"np.array(np.nan, '>f4')",
		"np.zeros((0, 3), '<c16')",
		"np.array([['a', 'bc']], '>U2')",
		"np.array([(1, 2.5)], [('n', '>i2'), ('x', '<f8')])",
		"np.array(['2026-11-23', 'NaT'], '>M8[D]')",
	} {
		in, err := p.Save(a, nil)
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "out.npy")
		if err := convert(t.Context(), in, out, false); err != nil {
			t.Fatal(err)
		}
		var msg string
		if err := p.Run(`a, b = np.load(x[0]), np.load(x[1])
ok = b.dtype == a.dtype.newbyteorder(x[2]) and b.flags.c_contiguous and b.shape == a.shape and b.tobytes() == a.astype(b.dtype).tobytes()
out = "" if ok else repr(b)`, []string{in, out, order}, &msg); err != nil || msg != "" {
			t.Errorf("%s: %s, %v", a, msg, err)
		}
	}
}

// TestLeavesNothing tests that no new file appears after Ctrl-C at any call of Progress, or if the input has changed,
// and that an existing file is kept.
func TestLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.npy"), filepath.Join(dir, "out.npy")
	v, err := array.FromSlice(make([]float32, 1000))
	if err == nil {
		err = array.Save(in, v.Array())
	}
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	cancel(interrupted)
	if err := convert(ended, in, out, false); !errors.Is(err, interrupted) {
		t.Errorf("%v, want %v", err, interrupted)
	}
	f, err := array.OpenConfig{Mode: array.ReadWrite}.Open(in) // an append counts as a change
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	g, err := open(in)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if err := f.Append(v.Array()); err != nil {
		t.Fatal(err)
	}
	if err := convertFile(t.Context(), g, out, false); !errors.Is(err, mmap.ErrChanged) {
		t.Errorf("%v, want %v", err, mmap.ErrChanged)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
	if err := convert(t.Context(), in, in, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v, want %v", err, fs.ErrExist)
	}
	if err := array.Convert(out, v.Array(), dtype.Int8, index.C); err != nil {
		t.Fatal(err)
	}
	if err := convert(t.Context(), in, out, true); err != nil { // as with -force
		t.Error(err)
	}
}
