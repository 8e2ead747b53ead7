package npz

import (
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
	"testing/fstest"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// openAll opens the archive b with each function that opens archives. The keys of the result are the names of the
// functions.
func openAll(t testing.TB, b []byte) map[string]*Archive {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.npz")
	check(t, os.WriteFile(path, b, 0o600))
	all := map[string]*Archive{
		"Open":      must(Open(path, mmap.ReadOnly)),
		"OpenBytes": must(OpenBytes(b)),
		"NewReader": must(NewReader(bytes.NewReader(b), int64(len(b)))),
	}
	t.Cleanup(func() {
		for _, a := range all {
			a.Close()
		}
	})
	return all
}

// archiveBytes returns the bytes of an archive of several arrays.
func archiveBytes(t testing.TB, cfg SaveConfig) []byte {
	t.Helper()
	path := temp(t)
	check(t, cfg.Save(path, map[string]array.Array{"x": numbers(3), "dir/é": numbers(1000), "dir/empty": numbers(0),
		"y": numbers(100_000)}))
	return must(os.ReadFile(path))
}

// TestWays tests that an archive has the same content, and returns the same errors, with every function that opens it.
func TestWays(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	for _, cfg := range []SaveConfig{{}, {Format: Savez}, {Compress: true}} {
		b := archiveBytes(t, cfg)
		want := map[string]string{}
		for way, a := range openAll(t, b) {
			got := map[string]string{}
			for _, name := range a.Names() {
				x, err := a.Array(name)
				check(t, err)
				check(t, a.Verify(name))
				m, h := must(a.Member(name)), must(a.Header(name))
				got[name] = fmt.Sprint(m, h, x, data(t, x))
				if !x.ReadOnly() {
					t.Errorf("%s: %s can be written", way, name)
				}
				again := must(a.Array(name))
				if fmt.Sprint(again) != fmt.Sprint(x) {
					t.Errorf("%s: the second Array of %s is %v", way, name, again)
				}
				if f, err := array.OpenFS(a, m.Name); err != nil || !slices.Equal(data(t, f.Array), data(t, x)) {
					t.Errorf("%s: OpenFS %s: %v", way, name, err)
				}
			}
			if len(want) == 0 {
				want = got
			}
			for name := range want {
				if got[name] != want[name] {
					t.Errorf("%s: %s is %.100s, want %.100s", way, name, got[name], want[name])
				}
			}
			if err := fstest.TestFS(a, "x.npy", "dir/é.npy", "dir/empty.npy", "y.npy"); err != nil {
				t.Errorf("%s: %v", way, err)
			}
			if _, err := a.Array("none"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v", way, err)
			}
			if (a.Map() != nil) != (way == "Open") || (a.Path() != "") != (way == "Open") {
				t.Errorf("%s: %v, %q", way, a.Map(), a.Path())
			}
			if _, err := a.Repair(); !errors.Is(err, array.ErrReadOnly) {
				t.Errorf("%s: Repair: %v", way, err)
			}
			check(t, a.Sync())
			check(t, a.Close())
			if err := a.Close(); !errors.Is(err, fs.ErrClosed) {
				t.Errorf("%s: closed twice: %v", way, err)
			}
			_, err1 := a.Array("x")
			_, err2 := a.Header("x")
			_, err3 := a.Member("x")
			_, err4 := a.Open("x.npy")
			for _, err := range []error{err1, err2, err3, err4, a.Verify("x"), a.Sync()} {
				if !errors.Is(err, fs.ErrClosed) {
					t.Errorf("%s: closed: %v", way, err)
				}
			}
		}
	}
}

// TestLimits tests that MaxMember and MaxHeader limit the members of an archive with every function that opens it.
func TestLimits(t *testing.T) {
	for _, compress := range []bool{false, true} {
		for way, a := range openAll(t, archiveBytes(t, SaveConfig{Compress: compress})) {
			a.MaxMember = 1000
			if _, err := a.Array("x"); err != nil {
				t.Errorf("%s: %v", way, err)
			}
			for _, max := range []int64{1000, -1} {
				a.MaxMember = max
				if _, err := a.Array("dir/é"); compress != errors.Is(err, array.ErrFormat) {
					t.Errorf("%s: MaxMember %d: %v", way, max, err)
				}
			}
			a.MaxHeader = 50
			if _, err := a.Header("y"); !errors.Is(err, array.ErrFormat) {
				t.Errorf("%s: MaxHeader: %v", way, err)
			}
			check(t, a.Close())
		}
	}
}

// TestFSNames tests that members are not in the file system if their names are not valid paths or lead through a file,
// and that its folders are the folders in the names of the members.
func TestFSNames(t *testing.T) {
	r := newRaw()
	for _, name := range []string{"../up", "/root", "a//b", "a/./b", "", ".", "ok", "ok/below", "dir/", "dir/x", "empty/",
		"deep/er/y", "two", "two"} {
		content := npyFile(1, 2)
		if strings.HasSuffix(name, "/") {
			content = nil
		}
		r.add(name, content, 0)
	}
	a := must(OpenBytes(r.bytes()))
	var names []string
	check(t, fs.WalkDir(a, ".", func(name string, d fs.DirEntry, err error) error {
		names = append(names, fmt.Sprint(d))
		return err
	}))
	if want := "d ./ - deep/ d dir/"; !strings.HasPrefix(strings.Join(names, " "), "d ./ d deep/ d er/ - y d dir/ - x") ||
		names[len(names)-1] != "- two" || !slices.Contains(names, "- ok") || slices.Contains(names, "- below") {
		t.Errorf("%v; want %s", names, want)
	}
	if err := fstest.TestFS(a, "ok", "dir/x", "deep/er/y", "two"); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]error{"../up": fs.ErrInvalid, "/root": fs.ErrInvalid, "": fs.ErrInvalid,
		"ok/below": fs.ErrNotExist, "none": fs.ErrNotExist, "dir/": fs.ErrInvalid} {
		t.Run(name, func(t *testing.T) {
			if _, err := a.Open(name); !errors.Is(err, want) {
				t.Errorf("%q: %v", name, err)
			}
		})
	}
}

// TestReaderFails makes each read of an archive fail, or end, once. NewReader or a method must return an error, and
// nothing may panic.
func TestReaderFails(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	broken := errors.New("broken")
	for _, cfg := range []SaveConfig{{}, {Compress: true}} {
		b := archiveBytes(t, cfg)
		for _, end := range []error{broken, io.EOF} {
			for k := 0; ; k++ {
				r := &failingReader{r: bytes.NewReader(b), left: k, err: end}
				err := readAll(r, int64(len(b)))
				if err == nil && !r.failed {
					if k < 10 {
						t.Errorf("only %d reads", k)
					}
					break
				}
				if err == nil || end == broken && !errors.Is(err, broken) {
					t.Fatalf("read %d: %v", k, err)
				}
			}
		}
		// Pass a wrong size.
		for _, size := range []int64{-1, 0, 1, int64(len(b)) - 1, int64(len(b)) + 1, 1 << 50} {
			if _, err := NewReader(bytes.NewReader(b), size); err == nil {
				t.Errorf("NewReader of an archive of %d bytes with size %d: want an error", len(b), size)
			} else if _, ok := errors.AsType[*array.FormatError](err); !ok {
				t.Errorf("size %d: %v", size, err)
			}
		}
	}
}

// readAll reads all of an archive with each method that reads members, and returns the first error.
func readAll(r io.ReaderAt, size int64) error {
	a, err := NewReader(r, size)
	if err != nil {
		return err
	}
	defer a.Close()
	for _, name := range a.Names() {
		_, err1 := a.Header(name)
		_, err2 := a.Array(name)
		m, err3 := a.Member(name)
		if err := errors.Join(err1, err2, err3, a.Verify(name)); err != nil {
			return err
		}
		if _, err := a.ReadFile(m.Name); err != nil {
			return err
		}
	}
	return nil
}

// A failingReader is a reader that fails with err after left successful reads.
type failingReader struct {
	r      io.ReaderAt
	left   int
	failed bool
	err    error
}

func (f *failingReader) ReadAt(b []byte, off int64) (int, error) {
	if f.left--; f.left < 0 {
		f.failed = true
		return 0, f.err
	}
	return f.r.ReadAt(b, off)
}

// TestNumPyWays reads random archives of NumPy in memory and through a reader. NDMAP_CASES=67 reads 5,000 archives.
func TestNumPyWays(t *testing.T) {
	p := oracle.Start(t)
	check(t, p.Run(oracle.Random+drawArchive, nil, nil))
	r := oracle.Rand(t, 44)
	path := filepath.Join(t.TempDir(), "numpy.npz")
	for range oracle.Cases(t, 75) {
		seed := r.IntN(1 << 30)
		var want map[string][]byte
		check(t, p.Run("out = draw(x[0], x[1])", []any{seed, path}, &want))
		b := must(os.ReadFile(path))
		for way, open := range map[string]func() (*Archive, error){
			"OpenBytes": func() (*Archive, error) { return OpenBytes(b) },
			"NewReader": func() (*Archive, error) { return NewReader(bytes.NewReader(b), int64(len(b))) },
		} {
			t.Run(way, func(t *testing.T) {
				a, err := open()
				if err != nil || len(a.Names()) != len(want) {
					t.Fatalf("seed %d, %s: %v", seed, way, err)
				}
				for _, name := range a.Names() {
					var out bytes.Buffer
					check(t, array.Write(&out, must(a.Array(name))))
					if !bytes.Equal(dataOf(t, out.Bytes()), dataOf(t, want[numpyName(a, name)])) {
						t.Fatalf("seed %d, %s: the data of %q differs from NumPy's", seed, way, name)
					}
					content, err := a.ReadFile(must(a.Member(name)).Name)
					if err == nil && !bytes.Equal(content, want[numpyName(a, name)]) {
						t.Fatalf("seed %d, %s: the file %q differs from NumPy's", seed, way, name)
					}
					check(t, a.Verify(name))
				}
				check(t, a.Close())
			})
		}
	}
}
