package array

import (
	"archive/zip"
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

//go:embed testdata/embedded.npy
var embedded embed.FS

//go:embed testdata/embedded.npy
var embeddedBytes []byte

// TestOpenBytes tests that OpenBytes shares memory with its argument, honors the mode, and refuses other formats.
func TestOpenBytes(t *testing.T) {
	b := writtenBytes(t, sequence(">i4", index.F, 1, 2, 3))
	a := must(OpenBytes(b, mmap.ReadOnly))
	v := must(As[int32](a))
	if fmt.Sprint(a) != "[[1 3 5]\n [2 4 6]]" && fmt.Sprint(a) != "[[1 2 3]\n [4 5 6]]" || !a.ReadOnly() ||
		!a.Contiguous(index.F) {
		t.Errorf("%+v", a)
	}
	wantPanic(t, "array: write through a read-only view; open the file with array.ReadWrite or array.CopyOnWrite",
		ErrReadOnly, func() { v.SetAt(7, 0, 1) })
	must(As[int32](must(OpenBytes(b, mmap.ReadWrite)))).SetAt(-1, 0, 0)
	if v.At(0, 0) != -1 || b[128] != 0xFF {
		t.Errorf("%v, % x", v, b[128:])
	}
	// OpenBytes does not copy the data.
	large := writtenBytes(t, must(FromBytes(make([]byte, 8<<20), dtype.Float64, index.C, 1<<20)))
	if n := allocatedBytes(func() { a = must(OpenBytes(large, mmap.ReadOnly)) }); n > 64<<10 || a.NBytes() != 8<<20 {
		t.Errorf("%d bytes allocated", n)
	}
	if a, err := OpenBytes(embeddedBytes, mmap.ReadOnly); err != nil || fmt.Sprint(a) != "[0 1 2]" {
		t.Errorf("embedded: %v, %v", a, err)
	}
	for _, tt := range []struct {
		b    []byte
		mode Mode
		is   error
		want string
	}{
		{b, CopyOnWrite, fs.ErrInvalid,
			"array: open: invalid argument: OpenBytes does not support mode CopyOnWrite; use ReadOnly or ReadWrite"},
		{b[:150], ReadOnly, nil,
			"stream: data at byte 128: the file holds 22 bytes of data; shape (2, 3) of >i4 needs 24: it was truncated, or never written to its end"},
		{nil, ReadOnly, nil,
			"stream: an empty file, not a .npy file; the program that should have written it did not; write it again"},
		{[]byte("PK\x03\x04 and more"), ReadWrite, nil, "stream: a zip archive (.npz), not a .npy file; use npz.Open"},
	} {
		a, err := OpenBytes(tt.b, tt.mode)
		_, isFormat := errors.AsType[*FormatError](err)
		if err == nil || err.Error() != tt.want || tt.is != nil && !errors.Is(err, tt.is) || tt.is == nil && !isFormat ||
			!a.IsZero() {
			t.Errorf("%v\nwant %s", err, tt.want)
		}
	}
}

// TestOpenBytesGolden opens NumPy's files in memory, at every alignment.
func TestOpenBytesGolden(t *testing.T) {
	for _, file := range slices.Concat(oracle.Variants(), oracle.Golden()) {
		b := must(os.ReadFile(file.Path))
		f, err := Open(file.Path, mmap.ReadOnly)
		a, err2 := OpenBytes(append(make([]byte, 1, len(b)+1), b...)[1:], mmap.ReadOnly)
		if (err == nil) != (err2 == nil) {
			t.Fatalf("%s: Open: %v, OpenBytes: %v", file.Path, err, err2)
		}
		if err != nil {
			continue
		}
		if err := sameBytes(f.Array, a); err != nil {
			t.Errorf("%s: %v", file.Path, err)
		}
		f.Close()
	}
}

// TestOpenFS opens files of a folder, of embedded files and of an archive. Only files of a folder are mapped.
func TestOpenFS(t *testing.T) {
	dir := t.TempDir()
	b := must(os.ReadFile("testdata/embedded.npy"))
	check(t, os.WriteFile(filepath.Join(dir, "a.npy"), b, 0o600))
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	must(must(z.Create("a.npy")).Write(b))
	check(t, z.Close())
	root := must(os.OpenRoot(dir))
	defer root.Close()
	for _, tt := range []struct {
		fsys   fs.FS
		name   string
		mapped bool
	}{
		{os.DirFS(dir), "a.npy", true},
		{root.FS(), "a.npy", true},
		{embedded, "testdata/embedded.npy", false},
		{must(zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))), "a.npy", false},
		{fstest.MapFS{"a.npy": {Data: b}}, "a.npy", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := OpenFS(tt.fsys, tt.name)
			if err != nil {
				t.Errorf("%T: %v", tt.fsys, err)
				return
			}
			if (f.Map() != nil) != tt.mapped || fmt.Sprint(f) != "[0 1 2]" || !f.ReadOnly() || f.Path() != tt.name ||
				f.DataOffset() != 128 || f.Order() != index.C {
				t.Errorf("%T: %+v, mapped: %v", tt.fsys, f, f.Map() != nil)
			}
			if err := f.Append(f.Array); err == nil {
				t.Errorf("%T: Append succeeds", tt.fsys)
			}
			if err := f.Close(); err != nil {
				t.Errorf("%T: %v", tt.fsys, err)
			}
			if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
				t.Errorf("%T: %v", tt.fsys, err)
			}
			if s := fmt.Sprint(f); !strings.Contains(s, fs.ErrClosed.Error()) {
				t.Errorf("%T: the closed File prints %s", tt.fsys, s)
			}
			_, err = OpenFS(tt.fsys, "none.npy")
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%T: %v", tt.fsys, err)
			}
			if _, err = OpenFS(tt.fsys, "."); !errors.Is(err, syscall.EISDIR) {
				t.Errorf("%T: %v", tt.fsys, err)
			}
		})
	}
}

// singleFileFS is a file system with a single file, whose contents come from r.
type singleFileFS struct{ r io.Reader }

func (f singleFileFS) Open(name string) (fs.File, error) { return f, nil }
func (f singleFileFS) Stat() (fs.FileInfo, error)        { return fstest.MapFS{"x": {}}.Stat("x") }
func (f singleFileFS) Read(b []byte) (int, error)        { return f.r.Read(b) }
func (f singleFileFS) Close() error                      { return nil }

// panickingFile is a file that panics in Stat if stat is set, and otherwise in Read. It records whether it was closed.
type panickingFile struct {
	singleFileFS
	stat, closed bool
}

func (f *panickingFile) Open(string) (fs.File, error) { return f, nil }
func (f *panickingFile) Read([]byte) (int, error)     { panic("Read") }
func (f *panickingFile) Close() error                 { f.closed = true; return nil }
func (f *panickingFile) Stat() (fs.FileInfo, error) {
	if f.stat {
		panic("Stat")
	}
	return f.singleFileFS.Stat()
}

// TestOpenFSPanics tests that OpenFS closes a file whose method panics.
func TestOpenFSPanics(t *testing.T) {
	for want, f := range map[string]*panickingFile{"Stat": {stat: true}, "Read": {}} {
		t.Run(want, func(t *testing.T) {
			func() {
				defer func() {
					if v := recover(); v != want || !f.closed {
						t.Errorf("%s: %v, closed %v", want, v, f.closed)
					}
				}()
				OpenFS(f, "a.npy")
			}()
		})
	}
}

// TestOpenFSErrors tests that errors name the file.
func TestOpenFSErrors(t *testing.T) {
	b := must(os.ReadFile("testdata/embedded.npy"))
	broken := errors.New("broken")
	damaged := func() fs.FS {
		var archive bytes.Buffer
		z := zip.NewWriter(&archive)
		must(must(z.CreateHeader(&zip.FileHeader{Name: "a.npy", Method: zip.Store})).Write(b))
		check(t, z.Close())
		file := archive.Bytes()
		file[bytes.Index(file, []byte("\x93NUMPY"))+130]++
		return must(zip.NewReader(bytes.NewReader(file), int64(len(file))))
	}
	for _, tt := range []struct {
		fsys fs.FS
		is   error
		want string
	}{
		{singleFileFS{strings.NewReader("")}, io.EOF, "a.npy: header at byte 0: the stream ends here: EOF"},
		{singleFileFS{bytes.NewReader(b[:5])}, io.ErrUnexpectedEOF,
			"a.npy: header at byte 5: the file ends inside the magic: unexpected EOF"},
		{singleFileFS{bytes.NewReader(b[:100])}, io.ErrUnexpectedEOF,
			"a.npy: header at byte 100: the stream ends here: unexpected EOF"},
		{singleFileFS{bytes.NewReader(b[:140])}, io.ErrUnexpectedEOF,
			"a.npy: data at byte 140: the stream ends here: unexpected EOF"},
		{singleFileFS{strings.NewReader("a,b,c\n1,2,3\n4,5,6\n")}, nil,
			"a.npy: text, not a .npy file; npy convert -dtype D reads tables of numbers in CSV, or written by numpy.savetxt"},
		{singleFileFS{io.MultiReader(bytes.NewReader(b[:140]), iotest.ErrReader(broken))}, broken, "read a.npy: broken"},
		{singleFileFS{io.MultiReader(bytes.NewReader(b), iotest.ErrReader(broken))}, broken, "read a.npy: broken"},
		{damaged(), zip.ErrChecksum, "read a.npy: zip: checksum error"},
	} {
		f, err := OpenFS(tt.fsys, "a.npy")
		if f != nil || err == nil || err.Error() != tt.want || tt.is != nil && !errors.Is(err, tt.is) {
			t.Errorf("%v\nwant %s", err, tt.want)
		}
	}
	var all bytes.Buffer
	little := must(FromBytes([]byte{8: 1, 16: 2, 23: 0}, dtype.Int64.WithByteOrder(dtype.LittleEndian), index.C, 3))
	check(t, Write(&all, little))
	if !bytes.Equal(all.Bytes(), b) {
		t.Error("testdata/embedded.npy does not hold 0, 1 and 2")
	}
}
