package npz

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// objectMember is a .npy file of Python objects. Its data is not a pickle, because nothing reads it.
const objectMember = "\x93NUMPY\x01\x00\x38\x00{'descr': '|O', 'fortran_order': False, 'shape': (3,)}  \nnot looked at"

// TestObjectHeader tests that Header describes a member of Python objects, that Array returns an error for it, and that
// no array can be created with the dtype.
func TestObjectHeader(t *testing.T) {
	a, err := OpenBytes(zipOf(t, zip.Store, "o.npy", objectMember))
	if err != nil {
		t.Fatal(err)
	}
	h, err := a.Header("o")
	if err != nil || h.DType.Kind() != dtype.KindObject || !slices.Equal(h.Shape, []int{3}) || h.DataOffset <= 0 {
		t.Fatalf("%+v, %v", h, err)
	}
	if _, err := a.Array("o"); !errors.Is(err, array.ErrFormat) || !strings.Contains(err.Error(), "is a Python object") {
		t.Errorf("Array: %v", err)
	}
	d := h.DType
	record, err := dtype.Struct(-1, dtype.Field{Name: "a", Type: d})
	if err != nil {
		t.Fatal(err)
	}
	v, err := array.FromSlice(make([]float64, 3))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.npy")
	for _, d := range []dtype.DType{d, record} {
		for name, do := range map[string]func() error{
			"FromBytes":   func() error { _, err := array.FromBytes(make([]byte, 24), d, index.C, 3); return err },
			"New":         func() error { _, err := array.New(d, index.C, 3); return err },
			"Create":      func() error { _, err := array.Create(path, d, index.C, 3); return err },
			"NewWriter":   func() error { _, err := array.NewWriter(io.Discard, d, index.C, 3); return err },
			"AsType":      func() error { _, err := v.Array().AsType(d, index.C); return err },
			"Reinterpret": func() error { _, err := v.Array().Reinterpret(d); return err },
			"Convert":     func() error { return array.Convert(path, v.Array(), d, index.C) },
			"Add":         func() error { return NewWriter(io.Discard).Add("x", v.Array(), d) },
		} {
			t.Run(name, func(t *testing.T) {
				if err := do(); !errors.Is(err, array.ErrDType) {
					t.Errorf("%s of %v: %v", name, d, err)
				}
			})
		}
	}
}

// zipOf returns an archive of one member.
func zipOf(t *testing.T, method uint16, name, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
	if err == nil {
		_, err = io.WriteString(f, content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestCopy tests that Copy adds members unchanged, and returns an error if the CRC of a member is wrong.
func TestCopy(t *testing.T) {
	for _, content := range []struct{ name, text string }{
		{"o.npy", objectMember}, {"note.txt", "text"}, {"empty", ""}, {"large", strings.Repeat("ndmap", 1<<19)},
	} {
		t.Run(content.name, func(t *testing.T) {
			for _, from := range []uint16{zip.Store, zip.Deflate} {
				for _, to := range []bool{false, true} {
					source, err := OpenBytes(zipOf(t, from, content.name, content.text))
					if err != nil {
						t.Fatal(err)
					}
					var b bytes.Buffer
					w := NewWriter(&b)
					w.Compress = to
					if err := w.Copy(source, content.name); err != nil {
						t.Fatal(err)
					}
					if err := w.Copy(source, content.name); !errors.Is(err, fs.ErrExist) {
						t.Errorf("%s: the second Copy: %v", content.name, err)
					}
					if err := w.Copy(source, "none"); !errors.Is(err, fs.ErrNotExist) {
						t.Errorf("Copy of an unknown member: %v, want fs.ErrNotExist", err)
					}
					if err := w.Close(); err != nil {
						t.Fatal(err)
					}
					if err := w.Copy(source, content.name); !errors.Is(err, fs.ErrClosed) {
						t.Errorf("Copy after Close: %v", err)
					}
					a, err := OpenBytes(b.Bytes())
					if err != nil {
						t.Fatal(err)
					}
					got, err := a.ReadFile(content.name)
					if err != nil || string(got) != content.text {
						t.Errorf("%s from method %d, compressed %t: %d bytes, %v", content.name, from, to, len(got), err)
					}
				}
			}
		})
	}
	damaged := zipOf(t, zip.Store, "o.npy", objectMember)
	damaged[bytes.Index(damaged, []byte("looked"))] ^= 1
	a, err := OpenBytes(damaged)
	if err != nil {
		t.Fatal(err)
	}
	w := NewWriter(io.Discard)
	if err := w.Copy(a, "o"); !errors.Is(err, array.ErrFormat) || !strings.Contains(err.Error(), "its CRC-32 is") {
		t.Errorf("Copy of a damaged member: %v", err)
	}
}

// TestCopyTruncated copies a member of an archive that another process has truncated before its directory.
func TestCopyTruncated(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	path := filepath.Join(t.TempDir(), "a.npz")
	names, arrays := []string{}, map[string]array.Array{}
	for k := range 200 { // the directory needs several pages
		names = append(names, fmt.Sprintf("%0100d", k))
		v, err := array.FromSlice([]int64{int64(k)})
		if err != nil {
			t.Fatal(err)
		}
		arrays[names[k]] = v.Array()
	}
	if err := Save(path, arrays); err != nil {
		t.Fatal(err)
	}
	a, err := Open(path, array.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	m, err := a.Member(names[0])
	if err == nil {
		err = os.Truncate(path, m.Offset+m.Size)
	}
	if err != nil {
		t.Skip(err) // Windows does not truncate mapped files
	}
	err = NewWriter(io.Discard).Copy(a, names[0])
	if fault := (*mmap.FaultError)(nil); !errors.As(err, &fault) {
		t.Errorf("%v, want a page fault", err)
	}
}
