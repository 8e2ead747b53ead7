package npz

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// configure copies the fields of cfg to w, and returns w.
func configure(cfg SaveConfig, w *Writer) *Writer {
	w.Compress, w.Format, w.NoSync, w.Progress = cfg.Compress, cfg.Format, cfg.NoSync, cfg.Progress
	return w
}

// streamed returns the archive that a Writer of NewWriter writes.
func streamed(t testing.TB, cfg SaveConfig, arrays map[string]array.Array) []byte {
	t.Helper()
	var b bytes.Buffer
	w := configure(cfg, NewWriter(&b))
	for _, name := range slices.Sorted(keys(arrays)) {
		check(t, w.Add(name, arrays[name]))
	}
	check(t, w.Close())
	return b.Bytes()
}

func keys(m map[string]array.Array) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// TestNewWriter tests that an archive of stored members has the same bytes in a stream and in a file, and that
// compressed members, which have a descriptor in a stream, can be read.
func TestNewWriter(t *testing.T) {
	arrays := map[string]array.Array{"x": numbers(3), "é": numbers(1000), "empty": numbers(0), "large": numbers(1 << 18),
		"f": must(must(numbers(6).Reshape(2, 3)).Clone(index.F))}
	for _, cfg := range []SaveConfig{{}, {Format: Savez}, {Format: OldSavez}, {Compress: true}} {
		path := temp(t)
		check(t, cfg.Save(path, arrays))
		want, got := must(os.ReadFile(path)), streamed(t, cfg, arrays)
		if bytes.Equal(got, want) == cfg.Compress {
			t.Errorf("%+v: %d bytes, want %d", cfg, len(got), len(want))
		}
		for way, a := range openAll(t, got) {
			for name, x := range arrays {
				t.Run(name, func(t *testing.T) {
					if got := data(t, must(a.Array(name))); !slices.Equal(got, data(t, x)) {
						t.Errorf("%+v, %s: %s is %.100v", cfg, way, name, got)
					}
					check(t, a.Verify(name))
				})
			}
		}
		check(t, os.WriteFile(path, got, 0o600))
		runProgram(t, lookProgram(t, "unzip"), "-tqq", path)
		runProgram(t, lookProgram(t, "7z"), "t", path)
	}
	var b bytes.Buffer
	if w := NewWriter(&b); w.Add("x", numbers(3)) != nil || w.Add("x", numbers(3)) == nil || w.Close() != nil ||
		!errors.Is(w.Close(), fs.ErrClosed) || !errors.Is(w.Add("y", numbers(1)), fs.ErrClosed) {
		t.Error("want errors for a duplicate name, a second Close, and Add after Close")
	}
}

// TestFormats tests that the members of one archive may have different Formats, and that an unknown Format is an error.
func TestFormats(t *testing.T) {
	path := temp(t)
	w := must(Create(path))
	defer w.Discard()
	for i, cfg := range []SaveConfig{{}, {Compress: true}, {Format: Savez}, {Format: OldSavez}, {Compress: true}} {
		check(t, configure(cfg, w).Add(fmt.Sprint(i), numbers(1000)))
	}
	for _, cfg := range []SaveConfig{{Format: 3}, {Format: Savez, Compress: true}} {
		if err := configure(cfg, w).Add("none", numbers(1)); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%+v: Add: %v", cfg, err)
		}
		if err := configure(cfg, NewWriter(io.Discard)).Close(); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%+v: Close: %v", cfg, err)
		}
	}
	check(t, configure(SaveConfig{NoSync: true}, w).Close())
	a := must(Open(path, mmap.ReadOnly))
	defer a.Close()
	for i, name := range a.Names() {
		check(t, a.Verify(name))
		if m := must(a.Member(name)); name != fmt.Sprint(i) || m.Compressed != (i == 1 || i == 4) {
			t.Errorf("member %d is %+v", i, m)
		}
	}
	runProgram(t, lookProgram(t, "unzip"), "-tqq", path)
}

// TestAddConverts tests that Add with a dtype writes the elements that AsType returns.
func TestAddConverts(t *testing.T) {
	oracle.OneGoroutine(t)
	x := must(numbers(600_000).Reshape(2, -1))
	for _, cfg := range []SaveConfig{{}, {Compress: true}} {
		for _, x := range []array.Array{x, x.T(), x.Index(0).Index(5)} {
			var b bytes.Buffer
			w := configure(cfg, NewWriter(&b))
			check(t, w.Add("x", x, dtype.MustParse(">i4")))
			if err := w.Add("y", x, dtype.Bytes(3)); func() bool {
				_,
					ok := errors.AsType[*array.DTypeError](err)
				return !ok
			}() {
				t.Error(err)
			}
			if err := w.Add("y", x, dtype.Int8, dtype.Int16); !errors.Is(err, fs.ErrInvalid) {
				t.Error(err)
			}
			check(t, w.Add("y", x, dtype.Int8)) // the Writer can be used after these errors
			check(t, w.Close())
			a := must(OpenBytes(b.Bytes()))
			got := must(a.Array("x"))
			if want := must(x.AsType(dtype.MustParse(">i4"), index.C)); !got.DType().Equal(want.DType()) ||
				!slices.Equal(got.Shape(), x.Shape()) ||
				!slices.Equal(must(array.As[int32](got)).Collect(), must(array.As[int32](want)).Collect()) {
				t.Errorf("%+v", got)
			}
		}
	}
}

// TestNewWriterFails tests that Add and Close return the error of a stream that fails at any byte, and that Add
// returns an error if an element changes between its two passes.
func TestNewWriterFails(t *testing.T) {
	full := errors.New("full")
	for _, cfg := range []SaveConfig{{}, {Compress: true}} {
		n := len(streamed(t, cfg, map[string]array.Array{"x": numbers(10), "y": numbers(20)}))
		for limit := range n {
			w := configure(cfg, NewWriter(&limitedWriter{limit, full}))
			err := errors.Join(w.Add("x", numbers(10)), w.Add("y", numbers(20)))
			if err2 := w.Close(); !errors.Is(err2, full) || err != nil && !errors.Is(err, full) {
				t.Fatalf("%d of %d bytes: %v, %v", limit, n, err, err2)
			}
		}
		if err := configure(cfg, NewWriter(&limitedWriter{20, nil})).Add("x", numbers(10)); err != io.ErrShortWrite {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
	x := must(array.FromSlice(make([]float64, 1000)))
	w := NewWriter(hookWriter{func() { x.SetAt(x.At(999)+1, 999) }})
	w.Progress = func(done, total int64) error { x.SetAt(x.At(0)+1, 0); return nil }
	if err := w.Add("x", x.Array()); err == nil ||
		err.Error() != `npz: member "x.npy": elements were changed while they were written` || w.Close() == nil {
		t.Errorf("Add of an array that changes: %v", err)
	}
	stop := errors.New("stop")
	w = NewWriter(io.Discard)
	w.Progress = func(done, total int64) error { return stop }
	if err := w.Add("x", x.Array()); err != stop {
		t.Error(err)
	}
}

// A limitedWriter is a writer that returns the error full after n bytes.
type limitedWriter struct {
	n    int
	full error
}

func (w *limitedWriter) Write(b []byte) (int, error) {
	k := min(w.n, len(b))
	w.n -= k
	if k < len(b) {
		return k, w.full
	}
	return k, nil
}

// A hookWriter is a writer that calls f and discards the bytes.
type hookWriter struct{ f func() }

func (m hookWriter) Write(b []byte) (int, error) { m.f(); return len(b), nil }

// TestNewWriterMemory tests that the number of allocations of a stream does not grow with the arrays.
func TestNewWriterMemory(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	x := must(array.FromSlice(make([]float64, 4<<20))).Array()
	for _, x := range []array.Array{x, must(must(x.Reshape(2048, -1)).Transpose())} {
		if n := testing.AllocsPerRun(1, func() {
			w := NewWriter(io.Discard)
			check(t, w.Add("x", x, dtype.Float32))
			check(t, w.Close())
		}); n > 2000 {
			t.Errorf("%v allocations", n)
		}
	}
}

// TestAppend adds members to archives of every kind. The old members must stay the same byte for byte, and the new ones
// must be readable.
func TestAppend(t *testing.T) {
	odd := newRaw()
	odd.add("text.txt", []byte("no array"), 8)
	odd.add("x.npy", npyFile(1, 2, 3), 8)
	check(t, odd.w.SetComment("a comment"))
	for name, b := range map[string][]byte{
		"aligned": archiveBytes(t, SaveConfig{}), "savez": archiveBytes(t, SaveConfig{Format: Savez}),
		"compressed": archiveBytes(t,
			SaveConfig{Compress: true}),
		"comment": odd.bytes(), "prefix": append([]byte("#!/bin/sh\nexit\n"), archiveBytes(t, SaveConfig{})...),
		"none":   streamed(t, SaveConfig{}, nil),
		"stream": streamed(t, SaveConfig{Compress: true}, map[string]array.Array{"x": numbers(5)}),
	} {
		t.Run(name, func(t *testing.T) {
			for _, cfg := range []SaveConfig{{}, {Format: Savez}, {Compress: true}, {NoSync: true}} {
				path := temp(t)
				check(t, os.WriteFile(path, b, 0o640))
				before := must(OpenBytes(b))
				w := configure(cfg, must(Append(path)))
				check(t, w.Add("new", numbers(7)))
				check(t, w.Add("dir/new", numbers(5), dtype.Int8))
				if _, taken := before.last["x.npy"]; taken {
					if err := w.Add("x", numbers(1)); !errors.Is(err, fs.ErrExist) {
						t.Errorf("%s: %v", name, err)
					}
				}
				if !bytes.Equal(must(os.ReadFile(path)), b) {
					t.Fatalf("%s: the archive has changed before Close", name)
				}
				check(t, w.Close())
				after := must(os.ReadFile(path))
				a := must(OpenBytes(after))
				if want := append(before.Names(), "new", "dir/new"); !slices.Equal(a.Names(), want) {
					t.Fatalf("%s: %v, want %v", name, a.Names(), want)
				}
				for i := range before.members {
					m, was := a.members[i].Member, before.members[i].Member
					m.CRCAt[0] = was.CRCAt[0] // the directory has another position
					if m != was || !bytes.Equal(after[m.Offset:m.End], b[was.Offset:was.End]) {
						t.Errorf("%s: the bytes of %s have changed", name, was.Name)
					}
				}
				for _, n := range a.Names() {
					check(t, a.Verify(n))
				}
				if got := data(t, must(a.Array("new"))); !slices.Equal(got, data(t, numbers(7))) {
					t.Errorf("%s: %v", name, got)
				}
				if m := must(a.Member("new")); !cfg.Compress && cfg.Format == Aligned && (m.Offset)%64 != 0 {
					t.Errorf("%s: the data of the new member is at byte %d", name, m.Offset)
				}
				if strings.HasSuffix(string(b), "a comment") != strings.HasSuffix(string(after), "a comment") {
					t.Errorf("%s: the comment is lost", name)
				}
				if fi := must(os.Stat(path)); fi.Mode().Perm() != 0o640 && runtime.GOOS != "windows" {
					t.Errorf("%s: %v", name, fi.Mode())
				}
				if l := fileNames(t, path); len(l) > 1 {
					t.Errorf("%s: %v", name, l)
				}
				if name != "prefix" { // unzip warns about a prefix
					runProgram(t, lookProgram(t, "unzip"), "-tqq", path)
					runProgram(t, lookProgram(t, "7z"), "t", path)
				}
			}
		})
	}
}

// TestAppendMeanwhile changes the archive between Append and Close. Close must add the members to the current archive.
// If that is impossible, path must not change.
func TestAppendMeanwhile(t *testing.T) {
	b := archiveBytes(t, SaveConfig{})
	for _, tt := range []struct {
		name   string
		meddle func(t *testing.T, path string)
		want   error // the error of Close wraps it
	}{
		{"another Append", func(t *testing.T, path string) {
			w := configure(SaveConfig{NoSync: true}, must(Append(path)))
			check(t, w.Add("other", numbers(77)))
			check(t, w.Close())
		}, nil},
		{"replaced", func(t *testing.T, path string) {
			check(t, SaveConfig{Replace: true, Format: Savez, NoSync: true}.Save(path, map[string]array.Array{"z": numbers(99)}))
		}, nil},
		{"a prefix", func(t *testing.T, path string) {
			check(t, os.WriteFile(path, append([]byte("#!/bin/sh\nexit\n"), b...), 0o600))
		}, nil},
		{"longer", func(t *testing.T, path string) { check(t, os.WriteFile(path, append(slices.Clone(b), 0), 0o600)) }, nil},
		{"edited, and the time is the same", func(t *testing.T, path string) {
			fi := must(os.Stat(path))
			a, err := Open(path, mmap.ReadWrite)
			if errors.Is(err, errors.ErrUnsupported) {
				t.Skip(err)
			}
			check(t, err)
			must(array.As[float64](must(a.Array("x")))).SetAt(-1, 0)
			check(t, a.Close())
			check(t, os.Chtimes(path, fi.ModTime(), fi.ModTime()))
		}, nil},
		{"removed", func(t *testing.T, path string) { check(t, os.Remove(path)) }, fs.ErrNotExist},
		{"no archive", func(t *testing.T, path string) {
			check(t, os.WriteFile(path, []byte("no archive"), 0o600))
		}, array.ErrFormat},
		{"the name is taken", func(t *testing.T, path string) {
			w := configure(SaveConfig{NoSync: true}, must(Append(path)))
			check(t, w.Add("dir/new", numbers(77)))
			check(t, w.Close())
		}, fs.ErrExist},
	} {
		for _, cfg := range []SaveConfig{{}, {Format: Savez, NoSync: true}, {Format: OldSavez, NoSync: true},
			{Compress: true, NoSync: true}} {
			t.Run(fmt.Sprint(tt.name, cfg.Format, cfg.Compress), func(t *testing.T) {
				t.Chdir(t.TempDir())
				path := filepath.Join(must(os.Getwd()), "t.npz")
				check(t, os.WriteFile(path, b, 0o600))
				w := configure(cfg, must(Append("t.npz")))
				check(t, w.Add("new", numbers(7)))
				check(t, w.Add("dir/new", numbers(500)))
				tt.meddle(t, path)
				before, _ := os.ReadFile(path)
				t.Chdir(t.TempDir())
				err := w.Close()
				after, _ := os.ReadFile(path)
				if tt.want != nil {
					if !errors.Is(err, tt.want) || !bytes.Equal(before, after) || !strings.Contains(err.Error(), "t.npz") ||
						strings.Contains(err.Error(), path) {
						t.Errorf("%v, want %v", err, tt.want)
					}
				} else {
					check(t, err)
					was, a := must(OpenBytes(before)), must(OpenBytes(after))
					if want := append(was.Names(), "new", "dir/new"); !slices.Equal(a.Names(), want) {
						t.Fatalf("%v, want %v", a.Names(), want)
					}
					for _, n := range a.Names() {
						check(t, a.Verify(n))
						want := map[string]array.Array{"new": numbers(7), "dir/new": numbers(500)}[n]
						if n != "new" && n != "dir/new" {
							want = must(was.Array(n))
						} else if m := must(a.Member(n)); cfg.Format == Aligned && !cfg.Compress && m.Offset%64 != 0 {
							t.Errorf("the data of %s is at byte %d", n, m.Offset)
						}
						if got := data(t, must(a.Array(n))); !slices.Equal(got, data(t, want)) {
							t.Errorf("%s: %.100v", n, got)
						}
					}
				}
				if l := fileNames(t, path); len(l) > 1 {
					t.Errorf("left: %v", l)
				}
			})
		}
	}
}

// TestAppendLocked tests that Append and Close wait, and then fail, while the archive is open with OpenConfig.Lock.
func TestAppendLocked(t *testing.T) {
	for _, mode := range []mmap.Mode{mmap.ReadOnly, mmap.ReadWrite} {
		t.Run(mode.String(), func(t *testing.T) {
			path := temp(t)
			check(t, Save(path, map[string]array.Array{"x": numbers(5)}))
			defer func(d time.Duration) { patience = d }(patience)
			stop, most := errors.New("stop"), 5*time.Millisecond
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, stop)
			defer cancel()
			begin := func(w *Writer) *Writer {
				check(t, w.Add("new", numbers(7)))
				return w
			}
			plain, long := begin(must(Append(path))), begin(must(AppendContext(ctx, path)))
			patience = most
			a, err := OpenConfig{Mode: mode, Lock: true}.Open(path)
			if errors.Is(err, errors.ErrUnsupported) {
				t.Skip(err)
			}
			check(t, err)
			b := must(os.ReadFile(path))
			const want = "lock t.npz: locked: another process, or this one, appends to it or has it open with OpenConfig.Lock"
			_, err = Append(path)
			short, cancelShort := context.WithTimeoutCause(t.Context(), most, stop)
			defer cancelShort()
			_, err2 := AppendContext(short, path)
			if !errors.Is(err2, stop) {
				t.Error(err2)
			}
			for _, e := range []struct {
				err  error
				want string
			}{{err, want + "; waited 5ms"}, {plain.Close(), want + "; waited 5ms"}, {err2, want + ": stop"}} {
				if !errors.Is(e.err, mmap.ErrLocked) || strings.ReplaceAll(e.err.Error(), path, "t.npz") != e.want {
					t.Errorf("got  %v\nwant %s", e.err, e.want)
				}
			}
			if !bytes.Equal(must(os.ReadFile(path)), b) {
				t.Error("the archive has changed")
			}
			done := make(chan error)
			go func() { done <- long.Close() }()
			time.Sleep(5 * time.Millisecond)
			check(t, a.Close())
			check(t, <-done)
			if a := must(OpenBytes(must(os.ReadFile(path)))); !slices.Equal(a.Names(), []string{"x", "new"}) {
				t.Error(a.Names())
			}
			if l := fileNames(t, path); len(l) > 1 {
				t.Errorf("left: %v", l)
			}
		})
	}
}

// TestAppendReadOnly tests that Append replaces an archive without write permission, and keeps its permissions.
func TestAppendReadOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not replace read-only files")
	}
	path := temp(t)
	check(t, Save(path, map[string]array.Array{"x": numbers(5)}))
	check(t, os.Chmod(path, 0o444))
	w := must(Append(path))
	check(t, w.Add("new", numbers(7)))
	check(t, w.Close())
	if fi := must(os.Stat(path)); fi.Mode().Perm() != 0o444 {
		t.Errorf("%v", fi.Mode())
	}
}

// TestAppendErrors tests that a file is unchanged if it is not an archive, or if the Writer is discarded.
func TestAppendErrors(t *testing.T) {
	path := temp(t)
	if _, err := Append(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	check(t, os.WriteFile(path, []byte("no archive"), 0o600))
	if e, ok := errors.AsType[*array.FormatError](func() error { _, err := Append(path); return err }()); !ok ||
		e.Path != path {
		t.Error(e)
	}
	b := archiveBytes(t, SaveConfig{})
	check(t, os.WriteFile(path, b, 0o600))
	w := must(Append(path))
	check(t, w.Add("new", numbers(7)))
	w.Discard()
	if err := w.Close(); !errors.Is(err, fs.ErrClosed) || !bytes.Equal(must(os.ReadFile(path)), b) {
		t.Error(err)
	}
}

// TestAppendContext tests that each step of Append returns an error once the context is done, and that the archive is
// unchanged.
func TestAppendContext(t *testing.T) {
	path, stop := temp(t), errors.New("stop")
	b := archiveBytes(t, SaveConfig{})
	check(t, os.WriteFile(path, b, 0o600))
	for _, tt := range []struct {
		name string
		do   func(ctx context.Context, cancel func()) error
	}{
		{"before", func(ctx context.Context, cancel func()) error {
			cancel()
			_, err := AppendContext(ctx, path)
			return err
		}},
		{"Add", func(ctx context.Context, cancel func()) error {
			w := must(AppendContext(ctx, path))
			defer w.Discard()
			cancel()
			return w.Add("new", numbers(1))
		}},
		{"during Add", func(ctx context.Context, cancel func()) error {
			w := must(AppendContext(ctx, path))
			w.Progress = func(done, total int64) error { cancel(); return nil }
			return errors.Join(w.Add("new", numbers(1<<18)), w.Close())
		}},
		{"Close", func(ctx context.Context, cancel func()) error {
			w := must(AppendContext(ctx, path))
			check(t, w.Add("new", numbers(1)))
			cancel()
			return w.Close()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			err := tt.do(ctx, func() { cancel(stop) })
			if !errors.Is(err, stop) || errors.Is(err, mmap.ErrLocked) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: %v", tt.name, err)
			}
			if l := fileNames(t, path); len(l) > 1 || !bytes.Equal(must(os.ReadFile(path)), b) {
				t.Errorf("%s: the folder has %v, or the archive has changed", tt.name, l)
			}
		})
	}
	w := must(AppendContext(t.Context(), path))
	check(t, w.Add("new", numbers(1)))
	check(t, w.Close())
}

// TestAppendNumPy tests that appending to an archive of numpy.savez gives the archive that numpy.savez writes of all
// the members, and that NewWriter writes the same bytes. NumPy, zipfile and unzip must be able to read the results.
// NDMAP_CASES=84 runs 5,000 cases.
func TestAppendNumPy(t *testing.T) {
	p := oracle.Start(t)
	check(t, p.Run(oracle.Random+drawArchive+readArchive+`
import io, sys, zipfile, tempfile, os
def draw2(seed):
    r = random.Random(seed)
    names = ["a", "b", "c", "é", "dir/x"][:r.randrange(1, 6)]
    global drawn
    drawn = {n: array(r) for n in names}
    k = r.randrange(len(names))
    first, whole = io.BytesIO(), io.BytesIO()
    np.savez(first, **{n: drawn[n] for n in names[:k]})
    np.savez(whole, **drawn)
    return [k, names, first.getvalue(), whole.getvalue()]
`, nil, nil))
	var new bool
	check(t, p.Eval("sys.version_info >= (3, 11, 4)", nil, &new))
	savez := OldSavez
	if new {
		savez = Savez
	}
	r := oracle.Rand(t, 45)
	unzip := lookProgram(t, "unzip")
	dir := t.TempDir()
	for k := range oracle.Cases(t, 60) {
		seed := r.IntN(1 << 30)
		var first int
		var names []string
		var old, whole []byte
		check(t, p.Run("drew = draw2(x); out = drew[0]", seed, &first))
		check(t, p.Eval("drew[1]", nil, &names))
		check(t, p.Eval("drew[2]", nil, &old))
		check(t, p.Eval("drew[3]", nil, &whole))
		all := must(OpenBytes(whole))
		path := filepath.Join(dir, "a.npz")
		check(t, os.WriteFile(path, old, 0o600))
		unsized := false
		add := func(w *Writer, names []string) {
			for _, name := range names {
				x := must(all.Array(name + ".npy"))
				unsized = unsized || x.ItemSize() == 0
				check(t, w.Add(name, x))
			}
			check(t, w.Close())
		}
		add(configure(SaveConfig{Format: savez, NoSync: true}, must(Append(path))), names[first:])
		var out, compressed bytes.Buffer
		add(configure(SaveConfig{Format: savez}, NewWriter(&out)), names)
		add(configure(SaveConfig{Compress: true}, NewWriter(&compressed)), names)
		if !unsized && (!bytes.Equal(must(os.ReadFile(path)), whole) || !bytes.Equal(out.Bytes(), whole)) {
			t.Fatalf("seed %d: appended %v, streamed %v", seed, bytes.Equal(must(os.ReadFile(path)), whole),
				bytes.Equal(out.Bytes(), whole))
		}
		for _, b := range [][]byte{must(os.ReadFile(path)), out.Bytes(), compressed.Bytes()} {
			check(t, os.WriteFile(path, b, 0o600))
			if err := p.Run("read(x)", path, nil); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if k%10 == 0 {
				runProgram(t, unzip, "-tqq", path)
			}
		}
	}
}

// init runs the process that TestKillAppend kills.
func init() {
	var path string
	if n, _ := fmt.Sscanf(os.Getenv("NDMAP_TEST_CHILD"), "append %q", &path); n == 1 {
		fmt.Println("ready")
		for k := 0; ; k++ {
			w, err := Append(path)
			if err == nil {
				err = w.Add(fmt.Sprint("n", len(w.names)), numbers(3000*(k%5)))
			}
			if err == nil {
				err = w.Close()
			}
			if err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			fmt.Println("appended")
		}
	}
}

// TestKillAppend kills a process that appends to an archive, at random moments. The archive must contain all members
// whose Append has returned and at most one more, and each must be complete. NDMAP_KILLS is the number of kills; `make
// long-kill` does 500.
func TestKillAppend(t *testing.T) {
	r := oracle.Rand(t, 46)
	kills := oracle.EnvInt(t, "NDMAP_KILLS", 15)
	dirs := []string{t.TempDir()}
	if dir, err := oracle.TempIn(t, "/dev/shm"); err == nil {
		dirs = append(dirs, dir)
	}
	appended, more := 0, 0
	for k := 0; k < kills || appended == 0 && k < 10*kills; k++ { // on a busy machine, continue with longer runs
		path := filepath.Join(dirs[k%len(dirs)], fmt.Sprint(k, ".npz"))
		check(t, SaveConfig{NoSync: true, Compress: k%3 == 0}.Save(path, map[string]array.Array{"a": numbers(10),
			"b": numbers(100_000)}))
		lines, err := oracle.Kill(t, fmt.Sprintf("append %q", path),
			time.Duration(r.Int64N(int64(30*time.Millisecond)*int64(1+k/max(1, kills)))))
		check(t, err)
		if i := slices.IndexFunc(lines, func(line string) bool { return line != "appended" }); i >= 0 {
			t.Fatal(lines[i])
		}
		n := len(lines)
		a, err := Open(path, mmap.ReadOnly)
		check(t, err)
		names := a.Names()
		for _, name := range names {
			must(a.Array(name))
			check(t, a.Verify(name))
		}
		if extra := len(names) - 2 - n; extra < 0 || extra > 1 {
			t.Fatalf("%d members after %d calls", len(names), n)
		} else {
			more += extra
		}
		appended += n
		check(t, a.Close())
	}
	t.Logf("%d kills at least, %d members appended, and %d more in place when the process died", kills, appended, more)
	if kills > 0 && appended == 0 {
		t.Error("no process did anything")
	}
}

// init runs one of the processes that TestKillAppendTogether starts.
func init() {
	var path string
	var id int
	if n, _ := fmt.Sscanf(os.Getenv("NDMAP_TEST_CHILD"), "together %q %d", &path, &id); n == 2 {
		for k := 0; ; k++ {
			name := fmt.Sprintf("%d-%d", id, k)
			w, err := Append(path)
			if err == nil {
				w.NoSync, w.Compress = id%2 == 0, k%4 == 3
				err = w.Add(name, numbers(1000*(k%5)))
			}
			if err == nil {
				err = w.Close()
			}
			if err != nil {
				fmt.Println("failed", err)
			} else {
				fmt.Println("appended", name)
			}
		}
	}
}

// TestKillAppendTogether starts five processes that append to one archive on a disk, kills one after the other, and
// starts another one in its place. Each acknowledged member must be in the archive and complete, together with at most
// one more of each process, and every Append must succeed at the first try. NDMAP_KILLS is the number of kills, about
// 200 ms apart; `make long-kill` does 500.
func TestKillAppendTogether(t *testing.T) {
	const processes = 5
	r := oracle.Rand(t, 55)
	kills, every := oracle.EnvInt(t, "NDMAP_KILLS", 0), 200*time.Millisecond
	if kills == 0 {
		kills, every = 5, 30*time.Millisecond
	}
	path := temp(t)
	check(t, Save(path, map[string]array.Array{"a": numbers(10)}))
	type process struct {
		*exec.Cmd
		ready, done chan bool
		appended    []string
		failed      []string
	}
	var all, alive []*process
	start := func() {
		p := &process{Cmd: exec.Command(os.Args[0]), ready: make(chan bool), done: make(chan bool)}
		p.Env = append(os.Environ(), fmt.Sprintf("NDMAP_TEST_CHILD=together %q %d", path, len(all)))
		p.Stderr = os.Stderr
		out := must(p.StdoutPipe())
		if err := p.Start(); errors.Is(err, syscall.ENOEXEC) {
			t.Skipf("this program is being emulated, and cannot start itself: %v", err)
		} else if err != nil {
			t.Fatal(err)
		}
		all, alive = append(all, p), append(alive, p)
		t.Cleanup(func() { p.Process.Kill() })
		go func() {
			defer close(p.done)
			for lines := bufio.NewScanner(out); lines.Scan(); {
				if name, ok := strings.CutPrefix(lines.Text(), "appended "); ok {
					p.appended = append(p.appended, name)
				} else {
					p.failed = append(p.failed, lines.Text())
				}
				if len(p.appended)+len(p.failed) == 1 {
					close(p.ready)
				}
			}
		}()
	}
	kill := func(k int) {
		p := alive[k]
		alive = slices.Delete(alive, k, k+1)
		p.Process.Kill()
		<-p.done
		p.Wait()
	}
	for range processes {
		start()
	}
	for _, p := range alive { // wait until all processes run
		select {
		case <-p.ready:
		case <-p.done:
		}
	}
	for range kills {
		time.Sleep(time.Duration(r.Int64N(2 * int64(every))))
		kill(r.IntN(processes))
		start()
	}
	for len(alive) > 0 {
		kill(0)
	}
	a := must(Open(path, mmap.ReadOnly))
	defer a.Close()
	there := map[string]bool{}
	for _, name := range a.Names() {
		there[name] = true
		check(t, a.Verify(name))
	}
	appended, failed, lost := 0, 0, 0
	for _, p := range all {
		appended += len(p.appended)
		failed += len(p.failed)
		for _, line := range p.failed[:min(len(p.failed), 3)] {
			t.Error(line)
		}
		for _, name := range p.appended {
			if !there[name] {
				lost++
			}
		}
	}
	more := len(there) - 1 - (appended - lost)
	t.Logf("%d kills, %d members appended, %d calls failed, %d members are lost, and %d more in place when a process died",
		kills, appended, failed, lost, more)
	if lost > 0 || failed > 0 || more > len(all) {
		t.Error("want none that failed or is lost, and at most one more for each process")
	}
	limit := processes // of temporary files: the next Append removes those of dead processes
	if runtime.GOOS == "windows" {
		limit = len(all) // but not on Windows
	}
	if l := fileNames(t, path); len(l) > 1+limit {
		t.Errorf("left: %v", l)
	}
}
