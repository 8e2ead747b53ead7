package array

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// TestFromMap tests that an array in a mapping is read-only if the mapping is. Every write to a read-only array panics
// before it touches memory, which would end the program.
func TestFromMap(t *testing.T) {
	path := tempPath(t)
	if err := os.WriteFile(path, []byte("abc0123456789"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []mmap.Mode{mmap.ReadOnly, mmap.CopyOnWrite, mmap.ReadWrite} {
		m := must(mmap.Open(path, mode))
		defer m.Close()
		a := must(FromMap(m, 3, dtype.Uint8, index.F, 2, 5))
		v := must(As[uint8](a))
		if v.At(1, 2) != '5' || a.ReadOnly() != (mode == mmap.ReadOnly) {
			t.Errorf("%v: %q, read-only %v", mode, v.At(1, 2), a.ReadOnly())
		}
		got := func() (r any) {
			defer func() { r = recover() }()
			v.Fill('x')
			return nil
		}()
		if err, _ := got.(error); mode == mmap.ReadOnly != errors.Is(err, ErrReadOnly) {
			t.Errorf("%v: Fill: %v", mode, got)
		}
		if err := Copy(a, a); mode == mmap.ReadOnly != errors.Is(err, ErrReadOnly) {
			t.Errorf("%v: Copy: %v", mode, err)
		}
		if mode != mmap.ReadOnly && string(m.Bytes()) != "abcxxxxxxxxxx" {
			t.Errorf("%v: %q", mode, m.Bytes())
		}
	}
	m := must(mmap.Open(path, mmap.ReadOnly))
	for _, tt := range []struct {
		offset int
		d      dtype.DType
		shape  int
		want   string
	}{
		{4, dtype.Uint8, 10, "PATH: data at byte 4: shape mismatch: 9 bytes do not fill shape (10,) of |u1, which takes 10"},
		{-1, dtype.Uint8, 1, "PATH: data at byte -1: shape mismatch: the offset is negative"},
		{14, dtype.Uint8, 0, "PATH: data at byte 14: shape mismatch: the mapping ends at byte 13"},
		{0, dtype.DType{}, 1, "PATH: the zero DType is invalid"},
	} {
		_, err := FromMap(m, tt.offset, tt.d, index.C, tt.shape)
		if want := strings.ReplaceAll(tt.want, "PATH", path); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := FromMap(m, 13, dtype.Uint8, index.C, 0); err != nil {
		t.Error(err)
	}
	m.Close()
	if _, err := FromMap(m, 0, dtype.Uint8, index.C, 1); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
	memory := must(mmap.Anonymous(100))
	defer memory.Close()
	must(As[float32](must(FromMap(memory, 0, dtype.Float32, index.C, 25)))).Fill(1)
	if _, err := FromMap(memory, 97, dtype.Float32, index.C, 1); err == nil ||
		err.Error() != "array: data at byte 97: shape mismatch: 3 bytes do not fill shape (1,) of "+dtype.Float32.String()+", which takes 4" {
		t.Error(err)
	}
}
