package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

func TestMean(t *testing.T) {
	if dtype.Native != dtype.LittleEndian {
		t.Skip("what it expects has the byte order of little-endian machines, as NumPy's is")
	}
	p := oracle.Start(t)
	for _, a := range []string{
		"np.arange(120, dtype='>u2').reshape(5, 4, 6)", "np.arange(120, dtype='f4').reshape(5, 4, 6, order='F')",
		"np.arange(5) * 1j", "np.arange(24).reshape(3, 8) % 3 == 0",
	} {
		in, err := p.Save(a, nil)
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "out.npy")
		if err := mean(t.Context(), in, out, false); err != nil {
			t.Fatal(err)
		}
		var same bool
		if err := p.Eval("(lambda got, want: got.dtype == want.dtype and got.shape == want.shape and np.allclose(got, want, 1e-7))(np.load(x[1]), np.mean(np.load(x[0]), axis=0))", []string{in, out}, &same); err != nil || !same {
			t.Errorf("%s: not the mean of NumPy, %v", a, err)
		}
	}
	if err := mean(t.Context(), filepath.Join(t.TempDir(), "none.npy"), "out.npy", false); err == nil {
		t.Error("no error")
	}
}

// TestKeeps tests that an input named as output, also through a link, is not changed, and that Ctrl-C leaves no file.
func TestKeeps(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.npy")
	v, err := array.FromSlice([]float64{1, 2, 3, 4}, 2, 2)
	if err == nil {
		err = array.Save(in, v.Array())
	}
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(in)
	if err != nil {
		t.Fatal(err)
	}
	outs := []string{in}
	if runtime.GOOS != "windows" {
		link := filepath.Join(dir, "link.npy")
		if err := os.Symlink(in, link); err != nil {
			t.Fatal(err)
		}
		outs = append(outs, link)
	}
	for _, out := range outs {
		if err := mean(t.Context(), in, out, false); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v, want %v", out, err, fs.ErrExist)
		}
	}
	if after, err := os.ReadFile(in); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the stack has changed: %v", err)
	}
	ended, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	cancel(interrupted)
	if err := mean(ended, in, filepath.Join(dir, "out.npy"), false); !errors.Is(err, interrupted) {
		t.Errorf("%v, want %v", err, interrupted)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != len(outs) {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}
