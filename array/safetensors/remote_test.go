package safetensors

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/oracle/far"
	"github.com/ndmap/ndmap/mmap"
)

// TestRemote compares random selections of tensors with the same selections of the mapped file.
func TestRemote(t *testing.T) {
	r := oracle.Rand(t, 5)
	for k := range oracle.Cases(t, 60) {
		arrays, _, metadata := randomFile(r)
		path := temp(t)
		check(t, SaveConfig{NoSync: true}.Save(path, arrays, metadata))
		b := must(os.ReadFile(path))
		mapped, inMemory := must(Open(path, mmap.ReadOnly)), must(OpenBytes(b))
		f := &far.File{B: b}
		read := must(NewReader(f, int64(len(b))))
		if n, size, _ := f.Take(); n != 1 || size > headBytes {
			t.Fatalf("case %d: NewReader makes %d requests of %d bytes", k, n, size)
		}
		for _, name := range mapped.Names() {
			want := must(mapped.Array(name))
			whole := must(read.Remote(name))
			if n, _, _ := f.Take(); n != 0 {
				t.Fatalf("case %d: Remote makes %d requests", k, n)
			}
			if whole.DataOffset() != must(read.Tensor(name)).Offset {
				t.Fatalf("case %d: %q starts at byte %d", k, name, whole.DataOffset())
			}
			whole.Gap = []int{0, -1, 10}[r.IntN(3)]
			part, wantPart, done := far.Select(r, whole, want)
			if err := far.Check(f, part, wantPart); err != nil {
				t.Fatalf("case %d: %q%s: %v", k, name, done, err)
			}
			for _, other := range []*File{mapped, inMemory} {
				if got := must(must(other.Remote(name)).Read(context.Background())); !bytes.Equal(elements(t, got), elements(t,
					want)) {
					t.Fatalf("case %d: %q: the elements differ", k, name)
				}
			}
		}
		check(t, mapped.Close())
	}
}

// TestRemoteRequests counts the requests for a header of more than 64 KiB, and their bytes.
func TestRemoteRequests(t *testing.T) {
	f := &far.File{B: must(os.ReadFile(thousandTensors(t)))}
	a := must(NewReader(f, int64(len(f.B))))
	if n, size, _ := f.Take(); n != 2 || int64(size) != a.start {
		t.Errorf("%d requests of %d bytes, want 2 of %d", n, size, a.start)
	}
	if len(a.Names()) != 1000 {
		t.Errorf("%d tensors", len(a.Names()))
	}
}

// TestRemoteErrors makes requests fail, and asks for tensors that do not exist.
func TestRemoteErrors(t *testing.T) {
	const header = `{"x":{"dtype":"F4","shape":[2],"data_offsets":[0,1]},"y\u001b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`
	b := fileBytes(header, 3)
	f := &far.File{B: b}
	a := must(NewReader(f, int64(len(b))))
	y := must(a.Remote("y\x1b"))
	lost := errors.New("lost")
	at := len(b) - 2
	for _, c := range []struct {
		name, want string
		is         error
		fail       error
	}{
		{"an error", fmt.Sprintf(`far:y\x1b: read bytes %d to %d: lost`, at, at+2), lost, lost},
		{"a short file", fmt.Sprintf(`far:y\x1b: read bytes %d to %d: unexpected EOF`, at, at+2), io.ErrUnexpectedEOF,
			io.EOF},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.Fail = func(off, n int) error { return c.fail }
			defer func() { f.Fail = nil }()
			if _, err := y.Read(context.Background()); !errors.Is(err, c.is) || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if _, err := NewReader(f, int64(len(b))); !errors.Is(err, c.is) || !strings.HasPrefix(err.Error(), "far: ") {
				t.Error(err)
			}
			if _, err := a.Array("y\x1b"); !errors.Is(err, c.is) || !strings.HasPrefix(err.Error(), `far: tensor "y\x1b": `) {
				t.Error(err)
			}
		})
	}
	f.Fail = func(off, n int) error { return lost }
	if want := fmt.Sprintf("far: read bytes 0 to %d: lost", len(b)); fmt.Sprint(second(NewReader(f,
		int64(len(b))))) != want {
		t.Errorf("want %s", want)
	}
	f.Fail = nil
	for name, want := range map[string]error{"x": errors.ErrUnsupported, "z": fs.ErrNotExist} {
		if _, err := a.Remote(name); !errors.Is(err, want) || !strings.HasPrefix(err.Error(), "far: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewReader(&far.File{B: b[:50]}, 50); !errors.Is(err, array.ErrFormat) || !strings.HasPrefix(err.Error(),
		"far: header at byte 0: ") {
		t.Error(err)
	}
	f.Take()
	must(y.Read(context.WithValue(context.Background(), f, "a value")))
	if _, _, contexts := f.Take(); len(contexts) != 1 || contexts[0].Value(f) != "a value" {
		t.Errorf("the contexts are %v", contexts)
	}
	path := temp(t)
	check(t, os.WriteFile(path, b, 0o666))
	mapped, inMemory := must(Open(path, mmap.ReadOnly)), must(OpenBytes(b))
	w := must(mapped.Remote("y\x1b"))
	for _, file := range []*File{mapped, inMemory, a} {
		check(t, file.Close())
		if _, err := file.Remote("y\x1b"); !errors.Is(err, fs.ErrClosed) {
			t.Error(err)
		}
	}
	must(y.Read(context.Background())) // Close does not close the reader
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user reports no fault addresses that can be matched: reading from a closed mapping is not tested here")
	}
	if _, err := w.Read(context.Background()); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
}
