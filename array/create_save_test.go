package array

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestSave tests that Save, Create with SetAt, Write, and Convert to the same dtype write the same bytes for every
// layout, and that Read reads them back.
func TestSave(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.AnyProcessor(t)
	for _, v := range []View[float64]{
		countingView(index.C, 3, 4, 5), countingView(index.F, 3, 4, 5), countingView(index.C, 7).T(), countingView(index.C),
		countingView(index.C, 0, 4), must(countingView(index.C, 30, 400, 50).Transpose(1, 2, 0)),
		must(countingView(index.C, 6, 8).Select(index.Every(-2), index.Range(1, 7))),
		must(countingView(index.C, 3).Broadcast(5, 3)),
	} {
		dir := t.TempDir()
		a, b, c := filepath.Join(dir, "a.npy"), filepath.Join(dir, "b.npy"), filepath.Join(dir, "c.npy")
		if err := Save(a, v.Array()); err != nil {
			t.Fatal(err)
		}
		f := must(Create(b, v.DType(), v.view.FileOrder(index.K), v.Shape()...))
		w := must(As[float64](f.Array))
		for idx, x := range v.All(index.C) {
			w.SetAt(x, idx...)
		}
		f.Close()
		if err := Convert(c, v.Array(), v.DType(), index.K); err != nil {
			t.Fatal(err)
		}
		var stream bytes.Buffer
		if err := Write(&stream, v.Array()); err != nil {
			t.Fatal(err)
		}
		want := must(os.ReadFile(b))
		for name, got := range map[string][]byte{"Save": must(os.ReadFile(a)), "Convert": must(os.ReadFile(c)),
			"Write": stream.Bytes()} {
			t.Run(name, func(t *testing.T) {
				if !bytes.Equal(got, want) {
					t.Errorf("%s of %v differs from Create and SetAt", name, v.Layout())
				}
			})
		}
		if got := fileNames(t, dir); len(got) != 3 {
			t.Errorf("the folder has %v", got)
		}
		stream.WriteString("what follows")
		r := must(As[float64](must(Read(iotest.HalfReader(&stream)))))
		if !cmp.Equal(r.Shape(), v.Shape()) || !cmp.Equal(collect(r), collect(v)) {
			t.Errorf("Read of %v differs", v.Layout())
		}
		if rest := must(io.ReadAll(&stream)); string(rest) != "what follows" {
			t.Errorf("Read consumed bytes after the array: %q is left", rest)
		}
	}
}

// TestWriteAllocates tests that Write uses a buffer of fixed size for arrays whose order differs from that of the file,
// and does not copy all elements.
func TestWriteAllocates(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.AnyProcessor(t)
	a := sequence("<i4", index.C, 0, 512, 2048) // 4 MiB
	all := index.Colon
	back := index.Reverse()
	padded := dtype.MustParse("[('a', '<i4'), ('', '|V3'), ('b', '<i2')]")
	for name, a := range map[string]Array{
		"in order":         a,
		"F order":          a.T(),
		"broadcast rows":   must(must(a.Index(0).Reshape(1, 2048)).Broadcast(512, 2048)),
		"broadcast column": must(must(a.Index(0).Reshape(2048, 1)).Broadcast(2048, 512)),
		"broadcast number": must(a.Index(1).Index(1).Broadcast(1 << 21)),
		"every other":      must(a.Select(all, index.Every(2))),
		"backwards":        must(a.Select(back, back)),
		"a stack":          must(Stack(a.T(), a.T())),
		"(1, 1, n, 1, m)":  must(a.T().Reshape(1, 1, 2048, 1, 512)),
		"padding": must(must(FromBytes(bytes.Repeat([]byte{5}, 9000), padded, index.C, 1000)).Broadcast(400,
			1000)),
		"large elements": must(must(FromBytes(make([]byte, 6<<20), dtype.Bytes(3<<20), index.C, 2)).Select(back)),
	} {
		t.Run(name, func(t *testing.T) {
			want := writtenBytes(t, must(a.Clone(a.view.FileOrder(index.K))))
			path := tempPath(t)
			for op, write := range map[string]func(w io.Writer) error{
				"Write": func(w io.Writer) error { return Write(w, a) },
				"WriteTo": func(w io.Writer) error {
					size := must(EncodedSize(a))
					if n, err := a.WriteTo(w); n != size || n != int64(len(want)) || err != nil {
						t.Errorf("%s: WriteTo: %d of %d bytes, EncodedSize %d: %v", name, n, len(want), size, err)
					}
					return nil
				},
				"Save": func(w io.Writer) error { return Save(path, a) },
			} {
				got := bytes.NewBuffer(make([]byte, 0, len(want)))
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				gc := debug.SetGCPercent(-1) // the collector drops buffers that could be used again
				err := write(got)
				debug.SetGCPercent(gc)
				runtime.ReadMemStats(&after)
				limit := uint64(3 << 19)
				if op == "Save" { // up to two buffers of 1 MiB for each goroutine
					limit = uint64(1+2*runtime.GOMAXPROCS(0)) << 20
				}
				if n := after.TotalAlloc - before.TotalAlloc; n > limit || err != nil {
					t.Errorf("%s of %s, %d bytes: %v, allocates %d bytes", op, name, a.NBytes(), err, n)
				}
				b := got.Bytes()
				if op == "Save" {
					b = must(os.ReadFile(path))
				}
				if !bytes.Equal(b, want) {
					t.Errorf("%s of %s: the bytes differ from those of its Clone", op, name)
				}
			}
		})
	}
}

func TestConvert(t *testing.T) {
	path := tempPath(t)
	v := countingView(index.C, 3, 4)
	if err := Convert(path, v.Array(), dtype.MustParse(">i2"), index.F); err != nil {
		t.Fatal(err)
	}
	f := must(Open(path, mmap.ReadOnly))
	if f.Order() != index.F || f.DType().String() != ">i2" || must(As[int16](f.Array)).At(2, 3) != 11 {
		t.Errorf("%v %v %v", f.Order(), f.DType(), must(As[int16](f.Array)).At(2, 3))
	}
	before := must(os.ReadFile(path))

	// Convert replaces a file only if Replace is set. The file may then be its own source.
	if err := Convert(path, v.Array(), v.DType(), index.C); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Convert of an existing file: %v", err)
	}
	if err := Convert(filepath.Join(filepath.Dir(path), "text.npy"), f.Array, dtype.Bytes(3), index.C); err == nil ||
		!strings.HasPrefix(err.Error(), path+": cannot convert between these dtypes: have dtype >i2, want |S3") {
		t.Errorf("Convert of numbers to text: %v", err)
	}
	if got := fileNames(t, filepath.Dir(path)); !cmp.Equal(got, []string{"a.npy"}) || !bytes.Equal(before,
		must(os.ReadFile(path))) {
		t.Errorf("after errors, the folder has %v", got)
	}
	err := SaveConfig{Replace: true}.Convert(path, f.Array, dtype.Int64, index.C)
	if runtime.GOOS == "windows" {
		if got := fileNames(t, filepath.Dir(path)); !errors.Is(err, fs.ErrPermission) || !cmp.Equal(got, []string{"a.npy"}) ||
			!bytes.Equal(before, must(os.ReadFile(path))) {
			t.Errorf("onto itself on Windows: %v, %v", err, got)
		}
		f.Close()
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	g := must(Open(path, mmap.ReadOnly))
	defer g.Close()
	if must(As[int64](g.Array)).At(2, 3) != 11 {
		t.Error("the file is wrong after a conversion onto itself")
	}
}

// TestCreateReplace tests that Create with Replace replaces a file, also through a link. Mappings of the old file must
// keep its elements. If Create fails, the old file must remain.
func TestCreateReplace(t *testing.T) {
	path := tempPath(t)
	err := Save(path, countingView(index.C, 3).Array())
	link, want := path, []string{"a.npy"}
	if runtime.GOOS != "windows" { // Wine does not create links
		link, want = filepath.Join(filepath.Dir(path), "link"), []string{"a.npy", "link"}
		err = errors.Join(err, os.Symlink(path, link))
	}
	if err != nil {
		t.Fatal(err)
	}
	cfg := SaveConfig{Replace: true}
	if _, err := cfg.Create(link, dtype.Float32, index.K, 2); err == nil {
		t.Error("order K: no error")
	}
	old := must(Open(path, mmap.ReadOnly))
	defer old.Close()
	if runtime.GOOS == "windows" {
		if _, err := cfg.Create(link, dtype.Float32, index.F, 2, 2); err == nil {
			t.Error("Create replaced a mapped file")
		}
		old.Close()
	}
	f := must(cfg.Create(link, dtype.Float32, index.F, 2, 2))
	defer f.Close()
	must(As[float32](f.Array)).SetAt(5, 1, 0)
	got := must(Open(path, mmap.ReadOnly))
	defer got.Close()
	if d := cmp.Diff(collect(must(As[float32](f.Array))), collect(must(As[float32](got.Array)))); d != "" ||
		got.Order() != index.F {
		t.Errorf("order %v, want -, got +\n%s", got.Order(), d)
	}
	if f.Path() != link || link != path && must(os.Lstat(link)).Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the path is %s, the link is %v", f.Path(), must(os.Lstat(link)).Mode())
	}
	if runtime.GOOS != "windows" && must(As[float64](old.Array)).At(2) != 2 {
		t.Error("the mapping of the old file has changed")
	}
	if got := fileNames(t, filepath.Dir(path)); !cmp.Equal(got, want) {
		t.Errorf("the folder has %v", got)
	}
}

// TestSaveLink tests that Save replaces the file that a link points to, and keeps the mode of that file. If the
// directory does not exist, the error must contain the path passed to Save.
func TestSaveLink(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file.npy"), filepath.Join(dir, "link.npy")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := os.Symlink("file.npy", link)
	if fi, none := os.Lstat(link); runtime.GOOS == "windows" && (none != nil || fi.Mode()&fs.ModeSymlink == 0) {
		t.Skipf("no link: Windows creates links only for some users, and Wine for none: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := Save(link, countingView(index.C, 3).Array()); err != nil {
		t.Fatal(err)
	}
	if fi := must(os.Lstat(file)); fi.Mode() != 0o600 || fi.Size() == 0 {
		t.Errorf("the file is %v, %d bytes", fi.Mode(), fi.Size())
	}
	if must(os.Lstat(link)).Mode()&fs.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	none := filepath.Join(dir, "none", "x.npy")
	var e *fs.PathError
	if err := Save(none, countingView(index.C, 3).Array()); !errors.As(err, &e) || e.Path != none || !errors.Is(err,
		fs.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
}

// TestReadErrors tests the messages of Read for truncated streams, other formats and failing readers.
func TestReadErrors(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, countingView(index.C, 2, 3).Array()); err != nil {
		t.Fatal(err)
	}
	whole := b.String()
	for n, want := range map[int]string{
		0:   "stream: header at byte 0: the stream ends here: EOF",
		4:   "stream: header at byte 4: the file ends inside the magic: unexpected EOF",
		9:   "stream: header at byte 9: the file ends inside the length of the header: unexpected EOF",
		60:  "stream: header at byte 60: the stream ends here: unexpected EOF",
		150: "stream: data at byte 150: the stream ends here: unexpected EOF",
	} {
		_, err := Read(strings.NewReader(whole[:n]))
		var format *FormatError
		if err == nil || err.Error() != want || !errors.As(err, &format) || errors.Is(err, io.EOF) != (n == 0) ||
			errors.Is(err, io.ErrUnexpectedEOF) != (n > 0) {
			t.Errorf("%d bytes: %v, want %s", n, err, want)
		}
	}
	for in, want := range map[string]string{ // invalid from their first bytes, so the error is not EOF
		"NUMPY":              "stream: text, not a .npy file; npy convert -dtype D reads tables of numbers in CSV, or written by numpy.savetxt",
		"\x93NUMPY\x09\x00":  "stream: header at byte 6: format version (9, 0) is unknown; want (1, 0), (2, 0) or (3, 0)",
		"1.5,2.5,3.5\n":      "stream: text, not a .npy file; npy convert -dtype D reads tables of numbers in CSV, or written by numpy.savetxt",
		"PK\x03\x04\x14\x00": "stream: a zip archive (.npz), not a .npy file; use npz.Open",
	} {
		t.Run(in, func(t *testing.T) {
			if _, err := Read(strings.NewReader(in)); err == nil || err.Error() != want || npy.IsEOF(err) {
				t.Errorf("%q: %v, want %s", in, err, want)
			}
		})
	}
	broken := errors.New("broken")
	if _, err := Read(io.MultiReader(strings.NewReader(whole[:140]), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("Read from a failing reader: %v", err)
	}
	// Read does not allocate all the memory that the header asks for before it reads the data.
	huge := strings.Replace(whole, "(2, 3), }         ", "(1073741823, 3), }", 1)
	if got := testing.AllocsPerRun(1, func() {
		if _, err := Read(strings.NewReader(huge)); err == nil {
			t.Error("a file of 24 GiB was read from 200 bytes")
		}
	}); got > 100 {
		t.Errorf("%v allocations", got)
	}
	var version2 bytes.Buffer
	d := must(dtype.Packed(dtype.Field{Name: strings.Repeat("x", 70000), Type: dtype.Int32}))
	if err := Write(&version2, must(FromBytes([]byte{1, 0, 0, 0}, d, index.C, 1))); err != nil {
		t.Fatal(err)
	}
	if a, err := Read(&version2); err != nil || !a.DType().Equal(d) {
		t.Errorf("version 2: %v", err)
	}
}

// TestSaveNoName tests that an empty path causes an error and creates no file.
func TestSaveNoName(t *testing.T) {
	t.Chdir(t.TempDir())
	a := must(FromSlice([]byte{1})).Array()
	for _, err := range []error{Save("", a), Convert("", a, dtype.Int8, index.C),
		second(SaveConfig{Replace: true}.Create("",
			dtype.Int8, index.C, 1))} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v", err)
		}
	}
	if left := must(os.ReadDir(".")); len(left) > 0 {
		t.Errorf("files were created: %v", left)
	}
}

// TestWriteToErrors tests that WriteTo counts the bytes before an error, and that EncodedSize refuses the arrays that
// Write refuses.
func TestWriteToErrors(t *testing.T) {
	a := must(FromSlice(make([]float64, 100))).Array()
	full := errors.New("full")
	if n, err := a.WriteTo(&limitedWriter{500, full}); n != 128+372 || err != full {
		t.Errorf("%d bytes: %v", n, err)
	}
	endless := must(must(FromSlice([]int8{1})).Broadcast(math.MaxInt)).Array() // the header makes the file too large
	if size, err := EncodedSize(endless); size != 0 || err == nil || err.Error() != Write(io.Discard, endless).Error() {
		t.Errorf("EncodedSize of too many elements: %d, %v", size, err)
	}
}
