package npz

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/oracle/far"
	"github.com/ndmap/ndmap/mmap"
)

// TestRemoteRequests counts the requests for opening an archive and one member, and their bytes.
func TestRemoteRequests(t *testing.T) {
	many := make([]string, 20_000)
	for k := range many {
		many[k] = fmt.Sprintf("layer.%d.weight", k)
	}
	// A header of more than headBytes takes one request more.
	fields := "[" + strings.Repeat("('a%d', '<f8'), ", 99)
	for k := range 99 {
		fields = strings.Replace(fields, "%d", fmt.Sprint(k), 1)
	}
	long := must(array.New(dtype.MustParse(fields+"]"), index.C, 3))
	defer long.Close()
	descriptors := temp(t)
	saveWithDescriptors(t, descriptors, "a", "b", "c")
	for _, c := range []struct {
		name     string
		b        []byte
		requests int
		most     int // bytes
	}{
		{"3 members", archiveOf(t, Writer{}, []string{"a", "b", "c"}, numbers(100)), 2, 70_000},
		{"3 members as savez", archiveOf(t, Writer{Format: Savez}, []string{"a", "b", "c"}, numbers(100_000)), 2, 70_000},
		{"long header", archiveOf(t, Writer{}, []string{"a", "b", "c"}, long.Array), 3, 80_000},
		{"descriptors", must(os.ReadFile(descriptors)), 2, 70_000},
		{"20,000 members", archiveOf(t, Writer{}, many, numbers(3)), 3, 1_700_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &far.File{B: c.b}
			a := must(NewReader(f, int64(len(f.B))))
			names := a.Names()
			must(a.Remote(names[1]))
			if n, size, _ := f.Take(); n != c.requests || size > c.most {
				t.Errorf("%d requests of %d bytes, want %d of at most %d", n, size, c.requests, c.most)
			}
			must(a.Remote(names[1]))
			if n, _, _ := f.Take(); n > 2 {
				t.Errorf("%d requests for the same member", n)
			}
			must(a.Remote(names[2]))
			if n, size, _ := f.Take(); n > 2 || size > 10_000 {
				t.Errorf("%d requests of %d bytes for another member", n, size)
			}
			for range 2 {
				must(a.Member(names[0]))
				if n, _, _ := f.Take(); n > 1 {
					t.Errorf("%d requests for the description of a member", n)
				}
			}
		})
	}
}

// archiveOf returns an archive of x under each of the names, with the fields of w.
func archiveOf(t testing.TB, cfg Writer, names []string, x array.Array) []byte {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b)
	w.Format, w.Compress = cfg.Format, cfg.Compress
	for _, name := range names {
		check(t, w.Add(name, x))
	}
	check(t, w.Close())
	return b.Bytes()
}

// TestRemoteSelections compares random selections of members with the same selections of the mapped archive.
func TestRemoteSelections(t *testing.T) {
	r := oracle.Rand(t, 1)
	dtypes := []string{"|u1", "<f4", ">i2", ">f8", "<c16", "|S3", "<M8[s]", "|V5",
		"[('id', '<i2'), ('pos', [('x', '>f8'), ('y', '<f4', (2,))])]"}
	for k := range oracle.Cases(t, 40) {
		path := temp(t)
		arrays := map[string]array.Array{}
		for i := range 1 + r.IntN(3) {
			shape := make([]int, r.IntN(4))
			for k := range shape {
				shape[k] = r.IntN(30)
			}
			arrays[strings.Repeat("m", 1+i)] = randomArray(t, r, dtypes[r.IntN(len(dtypes))], shape)
		}
		check(t, SaveConfig{Format: Format(r.IntN(3))}.Save(path, arrays))
		f := &far.File{B: must(os.ReadFile(path))}
		a := must(Open(path, mmap.ReadOnly))
		read := must(NewReader(f, int64(len(f.B))))
		for _, name := range a.Names() {
			whole := must(read.Remote(name))
			if whole.DataOffset() != must(a.Header(name)).DataOffset || whole.Order() != must(a.Header(name)).Order {
				t.Fatalf("case %d: %q starts at byte %d in order %v", k, name, whole.DataOffset(), whole.Order())
			}
			whole.Gap = []int{0, -1, 50}[r.IntN(3)]
			part, want, done := far.Select(r, whole, must(a.Array(name)))
			if err := far.Check(f, part, want); err != nil {
				t.Fatalf("case %d: %q%s: %v", k, name, done, err)
			}
			checkRemote(t, a, a, name)
			checkRemote(t, a, must(OpenBytes(f.B)), name)
		}
		check(t, a.Close())
	}
}

// randomArray returns an array of random bytes, in C or F order.
func randomArray(t testing.TB, r *rand.Rand, name string, shape []int) array.Array {
	t.Helper()
	d := dtype.MustParse(name)
	n := d.ItemSize()
	for _, length := range shape {
		n *= length
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return must(array.FromBytes(b, d, []index.Order{index.C, index.F}[r.IntN(2)], shape...))
}

// checkRemote compares a member of r, read by Remote, with the array in the mapped archive a. Where a has no array,
// Remote must return an error.
func checkRemote(t testing.TB, a, r *Archive, name string) {
	t.Helper()
	want, err := a.Array(name)
	got, err2 := r.Remote(name)
	switch {
	case errors.Is(err2, errors.ErrUnsupported) && must(a.Member(name)).Compressed:
		return
	case (err == nil) != (err2 == nil):
		t.Fatalf("%q: Array: %v; Remote: %v", name, err, err2)
	case err != nil || want.NBytes() > 1<<20 || want.Size() > 1<<20:
		return
	}
	elements, err := got.Read(context.Background())
	var b, b2 bytes.Buffer
	if err == nil && (elements.DType() != want.DType() || fmt.Sprint(elements.Shape()) != fmt.Sprint(want.Shape())) {
		t.Fatalf("%q is %v of %v, want %v of %v", name, elements.Shape(), elements.DType(), want.Shape(), want.DType())
	}
	if err == nil {
		err = errors.Join(array.Write(&b, elements), array.Write(&b2, want))
	}
	if err != nil || !bytes.Equal(b.Bytes(), b2.Bytes()) {
		t.Fatalf("%q: %v, or elements that differ from those of Array", name, err)
	}
}

// locateAll reads all local headers, and returns the first error.
func locateAll(a *Archive) error {
	for i := range a.members {
		if _, err := a.data(&a.members[i]); err != nil {
			return err
		}
	}
	return nil
}

// TestRemoteDamage damages single bytes. An archive behind a reader must have an error where Open has one, and the same
// elements otherwise.
func TestRemoteDamage(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	descriptors := temp(t)
	saveWithDescriptors(t, descriptors, "a", "b")
	x := must(array.FromSlice([]int16{1, 2, 3, 4, 5, 6}, 2, 3)).Array()
	r := oracle.Rand(t, 2)
	for _, c := range []struct {
		name string
		b    []byte
	}{
		{"aligned", archiveOf(t, Writer{}, []string{"a", "b"}, x)},
		{"savez", archiveOf(t, Writer{Format: Savez}, []string{"a", "b"}, x)},
		{"compressed", archiveOf(t, Writer{Compress: true}, []string{"a", "b"}, x)},
		{"descriptors", must(os.ReadFile(descriptors))},
	} {
		t.Run(c.name, func(t *testing.T) {
			refused := 0
			for range oracle.Cases(t, 400) {
				b := bytes.Clone(c.b)
				for range 1 + r.IntN(2) {
					b[r.IntN(len(b))] = byte(r.Uint32())
				}
				whole, err := OpenBytes(b)
				read, err2 := NewReader(&far.File{B: b}, int64(len(b)))
				if err2 == nil {
					err2 = locateAll(read)
				}
				if (err == nil) != (err2 == nil) {
					t.Fatalf("OpenBytes: %v; NewReader: %v", err, err2)
				}
				if err != nil {
					refused++
					continue
				}
				for _, name := range whole.Names() {
					checkRemote(t, whole, read, name)
				}
			}
			if refused == 0 {
				t.Error("no archive is refused")
			}
		})
	}
}

// TestRemoteErrors makes requests fail, and asks for members that do not exist.
func TestRemoteErrors(t *testing.T) {
	b := archiveOf(t, Writer{}, []string{"w", "dir/\x1b[2J"}, numbers(10_000))
	f := &far.File{B: b}
	a := must(NewReader(f, int64(len(b))))
	lost := errors.New("lost")
	for _, c := range []struct {
		name, want string
		is         error
		fail       error
	}{
		{"an error", "far: read bytes 0 to 4096: lost", lost, lost},
		{"a short file", fmt.Sprintf("far: archive at byte 2048: truncated: want %d bytes", len(b)), array.ErrFormat, io.EOF},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.Fail = func(off, n int) error { return c.fail }
			defer func() { f.Fail = nil }()
			if _, err := a.Remote("w"); !errors.Is(err, c.is) || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if _, err := NewReader(f, int64(len(b))); !errors.Is(err, c.is) || !strings.HasPrefix(err.Error(), "far: ") {
				t.Error(err)
			}
			if _, err := a.Remote("v"); !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
		})
	}
	w, control := must(a.Remote("w")), must(a.Remote("dir/\x1b[2J")) // after the errors
	f.Fail = func(off, n int) error { return lost }
	if _, err := w.Read(context.Background()); !errors.Is(err, lost) ||
		err.Error() != "far:w.npy: read bytes 192 to 80192: lost" {
		t.Error(err)
	}
	if _, err := control.Read(context.Background()); !errors.Is(err, lost) ||
		!strings.HasPrefix(err.Error(), `far:dir/\x1b[2J.npy: read bytes `) {
		t.Error(err)
	}
	f.Fail = nil
	f.B = b[:1000] // the server has cut the file
	if _, err := w.Read(context.Background()); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	f.B = b
	check(t, a.Close())
	if _, err := a.Remote("w"); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
	must(w.Read(context.Background())) // Close does not close the reader
	if _, err := must(NewReader(bytes.NewReader(b), int64(len(b)))).Remote("v"); !strings.HasPrefix(err.Error(), "npz: ") {
		t.Error(err)
	}

	path := temp(t)
	check(t, os.WriteFile(path, b, 0o666))
	mapped := must(Open(path, mmap.ReadWrite))
	w = must(mapped.Remote("w"))
	must(array.As[float64](must(mapped.Array("w")))).SetAt(7, 1)
	if got := must(w.Read(context.Background())); must(array.As[float64](got)).At(1) != 7 {
		t.Errorf("after an edit of the mapping, Remote reads %v", got)
	}
	check(t, mapped.Close())
	if _, err := mapped.Remote("w"); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user reports no fault addresses that can be matched: reading from a closed mapping is not tested here")
	}
	if _, err := w.Read(context.Background()); !errors.Is(err, fs.ErrClosed) || !strings.HasPrefix(err.Error(),
		path+":w.npy: ") {
		t.Error(err)
	}
}

// TestRemoteContext passes the context of Read on to the reader.
func TestRemoteContext(t *testing.T) {
	f := &far.File{B: archiveOf(t, Writer{}, []string{"w"}, numbers(10))}
	w := must(must(NewReader(f, int64(len(f.B)))).Remote("w"))
	f.Take()
	must(w.Read(context.WithValue(context.Background(), f, "a value")))
	if _, _, contexts := f.Take(); len(contexts) != 1 || contexts[0].Value(f) != "a value" {
		t.Errorf("the contexts are %v", contexts)
	}
}

// TestRemoteGoroutines uses one member in several goroutines, each of which may be the first.
func TestRemoteGoroutines(t *testing.T) {
	f := &far.File{B: archiveOf(t, Writer{}, []string{"w"}, numbers(10))}
	a := must(NewReader(f, int64(len(f.B))))
	var workers sync.WaitGroup
	for k := range 8 {
		workers.Go(func() {
			x, err := a.Array("w")
			if k%2 == 0 {
				x, err = must(a.Remote("w")).Read(context.Background())
			}
			if err != nil || !slices.Equal(data(t, x), data(t, numbers(10))) {
				t.Errorf("%v, %v", x, err)
			}
		})
	}
	workers.Wait()
}
