package array

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// A streamCase is an array and a dtype to read it as.
type streamCase struct {
	a     Array
	other dtype.DType // converts to and from the dtype of a
}

func randomStream(r *rand.Rand) streamCase {
	types := among(r, [2]string{"<f8", ">f4"}, [2]string{">i2", "<i8"}, [2]string{"|b1", "|u1"}, [2]string{"<c8", ">c16"},
		[2]string{"|S3", "|S7"},
		[2]string{"<U2", ">U2"}, [2]string{"|V5", "|V5"}, [2]string{"<M8[s]", ">M8[s]"}, [2]string{"|S0", "|S1"},
		[2]string{"[('x', '<i2'), ('y', '>f4', (2,))]", "[('x', '>i4'), ('y', '<f8', (2,))]"},
		[2]string{"[('', '|V3'), ('a', '<i2'), ('', '|V4')]", "[('b', '>i8')]"})
	d := dtype.MustParse(types[0])
	shape := randomShape(r)
	mem := randomMemory(r.Uint64(), slowSize(shape)*d.ItemSize())
	for i := range mem {
		if d.Kind() == dtype.KindBool {
			mem[i] &= 1
		}
	}
	return streamCase{must(FromBytes(mem, d, among(r, index.C, index.F), shape...)), dtype.MustParse(types[1])}
}

// randomEntries returns an array of random layout that has room for n entries of a stream.
func randomEntries(r *rand.Rand, d dtype.DType, order index.Order, n int, shape []int) Array {
	shape = slices.Clone(shape)
	if len(shape) > 0 {
		shape[streamAxis(order, shape)] = n
	}
	a := must(FromBytes(make([]byte, slowSize(shape)*d.ItemSize()), d, among(r, index.C, index.F), shape...))
	if len(shape) > 0 && oneIn(r, 3) {
		a = must(a.Select(index.Reverse()))
	}
	return a
}

func streamAxis(order index.Order, shape []int) int {
	if order == index.F {
		return len(shape) - 1
	}
	return 0
}

// TestReaderWriter reads random streams in random parts, to memory of any layout, with and without conversion. It
// compares the elements with a Copy of the whole array. It then writes them in the same parts, and compares the bytes
// with the original stream.
func TestReaderWriter(t *testing.T) {
	r := oracle.Rand(t, 40)
	for k := range oracle.Cases(t, 2000) {
		c := randomStream(r)
		file := writtenBytes(t, c.a)
		var stream io.Reader = bytes.NewReader(append(slices.Clone(file), "what follows"...))
		switch r.IntN(4) {
		case 0:
			stream = iotest.OneByteReader(stream)
		case 1:
			stream = iotest.HalfReader(stream)
		case 2:
			stream = iotest.DataErrReader(stream)
		}
		in := must(NewReader(stream))
		if major, minor := in.Version(); !in.DType().Equal(c.a.DType()) || !slices.Equal(in.Shape(), c.a.Shape()) ||
			major != int(file[6]) || minor != int(file[7]) {
			t.Fatalf("%d: %v, %v, version %d.%d of %+v", k, in.DType(), in.Shape(), major, minor, c.a)
		}
		d := among(r, c.a.DType(), c.a.DType(), c.other)
		want := must(FromBytes(make([]byte, c.a.Size()*d.ItemSize()), d, index.C, c.a.Shape()...))
		if err := Copy(want, c.a); err != nil {
			t.Fatal(err)
		}
		axis, length := streamAxis(in.Order(), in.Shape()), 1
		if want.NDim() > 0 {
			length = want.Shape()[axis]
		}
		var out bytes.Buffer
		w := must(NewWriter(&out, c.a.DType(), in.Order(), in.Shape()...))
		for at := 0; ; {
			if oneIn(r, 4) && at < length {
				n := r.IntN(length - at + 1)
				if err := in.Skip(n); err != nil {
					t.Fatalf("%d: Skip: %v", k, err)
				}
				if n > 0 {
					check(t, w.Write(selectRange(c.a, axis, at, at+n)))
				}
				at += n
			}
			part := randomEntries(r, d, in.Order(), 1+r.IntN(4), in.Shape())
			n, err := in.Read(part)
			if err == io.EOF && n == 0 && at == length {
				break
			}
			if err != nil || n == 0 {
				t.Fatalf("%d: %d entries and %v at %d of %d, shape %v", k, n, err, at, length, in.Shape())
			}
			got := selectRange(part, axis, 0, n)
			if err := sameBytes(selectRange(want, axis, at, at+n), got); err != nil {
				t.Fatalf("%d: %v at entry %d of %+v: %v", k, d, at, c.a, err)
			}
			if d.Equal(c.a.DType()) {
				got = selectRange(c.a, axis, at, at+n) // part lacks the padding
			} else if !roundTrips(c) {
				got = selectRange(c.a, axis, at, at+n)
			}
			if err := w.Write(got); err != nil {
				t.Fatalf("%d: %v", k, err)
			}
			at += n
		}
		if err := w.Close(); err != nil || !bytes.Equal(out.Bytes(), file) {
			t.Fatalf("%d: %v, and %q; want %q", k, err, out.Bytes(), file)
		}
		if rest := string(must(io.ReadAll(stream))); rest != "what follows" {
			t.Fatalf("%d: %q is left of the stream", k, rest)
		}
	}
}

// roundTrips reports whether all values of the array survive a conversion to c.other and back.
func roundTrips(c streamCase) bool {
	return strings.Contains("<U2 <M8[s] >i2 |b1", c.a.DType().String())
}

// selectRange returns entries lo to hi of a along axis.
func selectRange(a Array, axis, lo, hi int) Array {
	if a.NDim() == 0 {
		return a
	}
	sel := make([]index.Selector, axis+1)
	sel[axis] = index.Range(lo, hi)
	return must(a.Select(sel...))
}

// TestReaderLarge reads entries and elements that are larger than the buffer.
func TestReaderLarge(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	for _, tt := range []struct {
		d, as string
		shape []int
	}{
		{"<f8", ">f8", []int{2, 3, 400, 300}}, {"<i2", "<i4", []int{2, 3 << 20}}, {"|S3000000", "|S3000001", []int{3}},
		{"|S3000000", "|S2", []int{}}, {"<f8", "<f8", []int{3, 200_000}}, {"|u1", ">f8", []int{5 << 20}},
	} {
		for _, order := range []index.Order{index.C, index.F} {
			d, as := dtype.MustParse(tt.d), dtype.MustParse(tt.as)
			a := must(FromBytes(randomMemory(1, slowSize(tt.shape)*d.ItemSize()), d, order, tt.shape...))
			want := must(a.AsType(as, index.C))
			file := writtenBytes(t, a)
			in := must(NewReader(iotest.HalfReader(bytes.NewReader(file))))
			dst := must(FromBytes(make([]byte, a.Size()*as.ItemSize()), as, index.C, tt.shape...))
			if n, err := in.Read(dst); err != nil || n == 0 {
				t.Fatalf("%v: %d, %v", tt, n, err)
			}
			var out bytes.Buffer
			check(t, Write(&out, want))
			if got := writtenBytes(t, dst); !bytes.Equal(got, out.Bytes()) {
				t.Errorf("%v, order %v: wrong elements", tt, order)
			}
			out.Reset()
			w := must(NewWriter(&out, as, index.C, tt.shape...))
			check(t, w.Write(a))
			if check(t, w.Close()); !bytes.Equal(writtenBytes(t, want), out.Bytes()) {
				t.Errorf("%v, order %v: wrong elements written", tt, order)
			}
		}
	}
}

// TestReaderCut ends a stream after each of its bytes, by io.EOF or another error. The complete entries before the end
// must be right, and a second call must return the same error.
func TestReaderCut(t *testing.T) {
	broken := errors.New("the line is broken")
	for _, d := range []string{"<i4", ">i4"} {
		a := sequence("<i4", index.C, 1, 5, 3)
		file := writtenBytes(t, a)
		for n := range file {
			for _, end := range []error{io.EOF, broken} {
				in, err := NewReader(io.MultiReader(bytes.NewReader(file[:n]), iotest.ErrReader(end)))
				format, isFormat := errors.AsType[*FormatError](err)
				if n < 128 {
					if end == broken && err != broken || end == io.EOF && (!isFormat || format.Offset != int64(n) || !npy.IsEOF(err)) {
						t.Fatalf("%d bytes, %v: %v", n, end, err)
					}
					continue
				}
				check(t, err)
				dst := must(FromBytes(make([]byte, 5*12), dtype.MustParse(d), index.C, 5, 3))
				got, err := in.Read(dst)
				if got != (n-128)/12 {
					t.Fatalf("%d bytes: %d entries", n, got)
				}
				if end == broken && err != broken || end == io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Fatalf("%d bytes: %v", n, err)
				}
				if want := fmt.Sprintf("stream: data at byte %d: the stream ends here: unexpected EOF", n); end == io.EOF &&
					err.Error() != want {
					t.Fatalf("%v; want %s", err, want)
				}
				for i := range got {
					if x := must(Cast[int](dst.Index(i))); x.At(0) != 1+3*i || x.At(2) != 3+3*i {
						t.Fatalf("%d bytes: entry %d is %v", n, i, x)
					}
				}
				if again, err2 := in.Read(dst); again != 0 || err2 == nil || err2.Error() != err.Error() || in.Skip(1) == nil {
					t.Fatalf("%d, %v after %v", again, err2, err)
				}
			}
		}
	}
}

// TestReaderRefused tests that Read consumes nothing if Copy would refuse the destination.
func TestReaderRefused(t *testing.T) {
	a := sequence("<i4", index.C, 1, 2, 3)
	src := bytes.NewReader(writtenBytes(t, a))
	in := must(NewReader(src))
	left := src.Len()
	path := tempPath(t)
	check(t, Save(path, a))
	f := must(Open(path, mmap.ReadOnly))
	defer f.Close()
	for _, tt := range []struct {
		dst  Array
		is   error
		want string
	}{
		{f.Array, ErrReadOnly, path + ": array is read-only"},
		{sequence("<i4", index.C, 1, 2, 4), ErrShape,
			"array: shape mismatch: shape (2, 4) does not match the shape of the stream, (2, 3); only the length of axis 0 may differ"},
		{sequence("<i4", index.C, 1, 3), ErrShape,
			"array: shape mismatch: shape (3,) does not match the shape of the stream, (2, 3); only the length of axis 0 may differ"},
		{sequence("<i4", index.C, 1, 0, 3), ErrShape,
			"array: shape mismatch: dst has length 0 along axis 0; want at least 1"},
		{must(FromBytes(make([]byte, 60), dtype.MustParse("S2"), index.C, 2, 3)), nil, "array: S does not convert to i4"},
	} {
		n, err := in.Read(tt.dst)
		_, isDType := errors.AsType[*DTypeError](err)
		if n != 0 || src.Len() != left || tt.is != nil && (!errors.Is(err, tt.is) || err.Error() != tt.want) ||
			tt.is == nil && !isDType {
			t.Errorf("%d, %v, %d bytes left; want %s", n, err, src.Len(), tt.want)
		}
	}
	if err := in.Skip(-1); !errors.Is(err, fs.ErrInvalid) || src.Len() != left {
		t.Errorf("Skip(-1): %v", err)
	}
	if err := in.Skip(3); err != io.EOF || src.Len() != 0 {
		t.Errorf("Skip(3) of 2: %v, %d bytes left", err, src.Len())
	}
	if v := panicValue(func() { in.Read(Array{}) }); v == nil {
		t.Error("Read to the zero Array does not panic")
	}
}

// TestReaderTargets reads to a stack, to a file, and to a file that was truncated.
func TestReaderTargets(t *testing.T) {
	a := sequence("<i4", index.C, 1, 4, 3)
	stack := must(Stack(sequence("<i4", index.C, 0, 3), sequence("<i4", index.C, 0, 3)))
	in := must(NewReader(bytes.NewReader(writtenBytes(t, a))))
	if n, err := in.Read(stack); n != 2 || err != nil || fmt.Sprint(stack) != "[[1 2 3]\n [4 5 6]]" {
		t.Fatalf("a stack: %d, %v, %v", n, err, stack)
	}
	path := tempPath(t)
	f := must(Create(path, dtype.Int32, index.C, 3, 3))
	defer f.Close()
	if n, err := in.Read(f.Array); n != 2 || err != nil || fmt.Sprint(f) != "[[ 7  8  9]\n [10 11 12]\n [ 0  0  0]]" {
		t.Fatalf("a file: %d, %v, %v", n, err, f)
	}
	if !isEmulated() {
		in = must(NewReader(bytes.NewReader(writtenBytes(t, a))))
		truncate(t, path, 0)
		err := mmap.Guard(func() error { _, err := in.Read(f.Array); return err })
		if _, ok := errors.AsType[*mmap.FaultError](err); !ok {
			t.Fatalf("a truncated file: %v", err)
		}
	}
}

// TestReaderAllocates tests that no shape or element size in a header makes the package allocate more than has arrived,
// and that the parts of a long stream share one buffer.
func TestReaderAllocates(t *testing.T) {
	oracle.OneGoroutine(t)
	for _, header := range []string{
		"{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000, 10)}",
		"{'descr': '<f8', 'fortran_order': True, 'shape': (2, 1, 100000000000)}",
		"{'descr': '|S2000000000', 'fortran_order': False, 'shape': (2,)}",
		"{'descr': '|V2000000000', 'fortran_order': False, 'shape': ()}",
	} {
		file := npyBytes(header, make([]byte, 100))
		var err error
		bytes := allocatedBytes(func() {
			var in *Reader
			if in, err = NewReader(iotest.HalfReader(strings.NewReader(file))); err == nil {
				shape := in.Shape()
				if len(shape) > 0 {
					shape[streamAxis(in.Order(), shape)] = 1
				}
				d := dtype.Float32
				if in.DType().ItemSize() > 8 {
					_, err = in.Read(must(FromBytes(make([]byte, 100), dtype.MustParse(in.DType().String()[:2]+"2"), index.C,
						shape...)))
					if err2 := in.Skip(1); err2 == nil || err2.Error() != err.Error() {
						t.Errorf("%v, and then %v", err, err2)
					}
				} else {
					_, err = in.Read(must(FromBytes(make([]byte, 100), d, index.C, shape...)))
					err = in.Skip(1 << 30)
				}
			}
		})
		if !isEarlyEnd(err) || bytes > 3<<20 {
			t.Errorf("%s: %v, and %d bytes allocated", header, err, bytes)
		}
	}
	shape := []int{100_000, 40} // 16 MB
	a := must(FromBytes(make([]byte, 16e6), dtype.MustParse(">f4"), index.C, shape...))
	file := writtenBytes(t, a)
	dst := must(FromBytes(make([]byte, 1000*40*8), dtype.Float64, index.C, 1000, 40))
	n := 0
	bytes := allocatedBytes(func() {
		in := must(NewReader(io.MultiReader(bytes.NewReader(file))))
		for {
			k, err := in.Read(dst)
			if n += k; err != nil {
				return
			}
		}
	})
	if n != 100_000 || bytes > 2<<20 {
		t.Errorf("%d rows, %d bytes allocated", n, bytes)
	}
}

func npyBytes(header, data any) string {
	h := fmt.Sprint(header)
	return fmt.Sprintf("\x93NUMPY\x01\x00%c%c%s%s", len(h)&0xFF, len(h)>>8, h, data)
}

// allocatedBytes returns the number of bytes that f allocates.
func allocatedBytes(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestReadOnce tests that Read allocates memory for the data only once if the reader can tell its length.
func TestReadOnce(t *testing.T) {
	if oracle.Race {
		t.Skip("allocations are not counted")
	}
	a := must(FromBytes(make([]byte, 40<<20), dtype.Uint8, index.C, 40<<20))
	path := tempPath(t)
	check(t, Save(path, a))
	f := must(os.Open(path))
	defer f.Close()
	file := must(os.ReadFile(path))
	for name, r := range map[string]func() io.Reader{
		"file":    func() io.Reader { must(f.Seek(0, io.SeekStart)); return f },
		"bytes":   func() io.Reader { return bytes.NewReader(file) },
		"buffer":  func() io.Reader { return bytes.NewBuffer(file) },
		"limited": func() io.Reader { return io.LimitReader(bytes.NewReader(file), 1<<40) },
	} {
		t.Run(name, func(t *testing.T) {
			var got Array
			in := r()
			if n := allocatedBytes(func() { got = must(Read(in)) }); n > 42<<20 || got.NBytes() != 40<<20 {
				t.Errorf("%s: %d bytes allocated for %d", name, n, got.NBytes())
			}
		})
	}
	// The header describes more data than the file has.
	check(t, os.WriteFile(path, []byte(npyBytes("{'descr': '|u1', 'fortran_order': False, 'shape': (1000000000000000,)}",
		"")), 0o600))
	if err := os.Truncate(path, 1<<30); err == nil {
		g := must(os.Open(path))
		defer g.Close()
		check(t, os.Truncate(path, 1000))
		if n := allocatedBytes(func() { _, err = Read(g) }); !isEarlyEnd(err) || n > 3<<20 {
			t.Errorf("%v, %d bytes", err, n)
		}
	}
}

// isEarlyEnd reports whether err says that a stream is shorter than its header describes. On 32-bit systems, the error
// may be that the size overflows int.
func isEarlyEnd(err error) bool {
	if strconv.IntSize == 32 && err != nil && strings.Contains(err.Error(), "overflows int") {
		return errors.Is(err, ErrFormat)
	}
	return errors.Is(err, io.ErrUnexpectedEOF)
}

// TestWriter tests the arrays that a Writer refuses, and its errors for streams that fail and for missing entries.
func TestWriter(t *testing.T) {
	var out bytes.Buffer
	w := must(NewWriter(&out, dtype.Int32, index.C, 4, 3))
	n := out.Len()
	for _, tt := range []struct {
		src  Array
		want string
	}{
		{sequence("<i4", index.C, 1, 2, 4),
			"array: shape mismatch: shape (2, 4) does not match the shape of the stream, (4, 3); only the length of axis 0 may differ"},
		{sequence("<i4", index.C, 1, 5, 3), "array: shape mismatch: cannot write 5 entries along axis 0: only 4 are missing"},
		{must(FromBytes(make([]byte, 12), dtype.MustParse("S2"), index.C, 2, 3)), "array: S and U do not convert"},
	} {
		err := w.Write(tt.src)
		if _, ok := errors.AsType[*DTypeError](err); out.Len() != n || err == nil || !ok && (err.Error() != tt.want ||
			!errors.Is(err, ErrShape)) {
			t.Errorf("%v, %d bytes; want %s", err, out.Len()-n, tt.want)
		}
	}
	check(t, w.Write(sequence("<i4", index.C, 1, 1, 3)))
	if err := w.Close(); !errors.Is(err, io.ErrUnexpectedEOF) ||
		err.Error() != "array: 3 of 4 entries along axis 0 are missing: unexpected EOF" {
		t.Error(err)
	}
	if err := w.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
	if err := w.Write(sequence("<i4", index.C, 1, 1, 3)); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
	for _, order := range []index.Order{index.K, 7} {
		if _, err := NewWriter(&out, dtype.Int32, order, 2); !errors.Is(err, ErrShape) {
			t.Error(err)
		}
	}
	if _, err := NewWriter(&out, dtype.Int32, index.C, 2, -1); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
	full := errors.New("full")
	for limit := range 150 {
		w, err := NewWriter(&limitedWriter{limit, full}, dtype.Int32, index.F, 3, 2)
		if limit < 128 {
			if err != full {
				t.Fatalf("%d: %v", limit, err)
			}
			continue
		}
		for _, src := range []Array{sequence("<i4", index.F, 1, 3, 1), sequence(">i2", index.C, 4, 3, 1)} {
			err = errors.Join(err, w.Write(src))
		}
		again := w.Write(sequence("<i4", index.F, 1, 3, 1))
		if closed := w.Close(); !errors.Is(err, full) || again != full || closed != full {
			t.Fatalf("%d: %v, %v, %v", limit, err, again, closed)
		}
	}
	if _, err := NewWriter(shortWriter{}, dtype.Int32, index.C, 2); err != io.ErrShortWrite {
		t.Error(err)
	}
}

// limitedWriter is a writer with room for n bytes.
type limitedWriter struct {
	n    int
	full error
}

func (w *limitedWriter) Write(b []byte) (int, error) {
	if len(b) > w.n {
		return w.n, w.full
	}
	w.n -= len(b)
	return len(b), nil
}

// shortWriter breaks the contract of io.Writer: it writes half of the bytes and returns no error.
type shortWriter struct{}

func (shortWriter) Write(b []byte) (int, error) { return len(b) / 2, nil }

// TestNumPyStream reads random files that NumPy wrote in parts, and writes them in parts. The bytes must equal NumPy's.
// With NDMAP_CASES=13 it reads about 5,000 files.
func TestNumPyStream(t *testing.T) {
	p := oracle.Start(t)
	check(t, p.Run(oracle.Random+`
import io
def draw(seed):
    b = io.BytesIO()
    np.save(b, array(random.Random(seed)))
    return b.getvalue()
`, nil, nil))
	r := oracle.Rand(t, 41)
	for range oracle.Cases(t, 400) {
		seed := r.IntN(1 << 30)
		var file []byte
		check(t, p.Eval("draw(x)", seed, &file))
		in, err := NewReader(iotest.HalfReader(bytes.NewReader(file)))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		mapped, err := OpenBytes(file, mmap.ReadOnly)
		if err != nil {
			t.Fatalf("seed %d: OpenBytes: %v", seed, err)
		}
		var out, copied bytes.Buffer
		check(t, Write(&copied, mapped))
		w := must(NewWriter(&out, in.DType(), in.Order(), in.Shape()...))
		for {
			part := randomEntries(r, in.DType(), in.Order(), 1+r.IntN(5), in.Shape())
			n, err := in.Read(part)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			check(t, w.Write(selectRange(part, streamAxis(in.Order(), in.Shape()), 0, n)))
		}
		if err := w.Close(); err != nil || !bytes.Equal(out.Bytes(), file) ||
			mapped.NBytes() > 0 && !bytes.Equal(copied.Bytes(), file) { // an array without bytes may have the other order
			t.Fatalf("seed %d: %v, and other bytes: %v, %v", seed, err, bytes.Equal(out.Bytes(), file),
				bytes.Equal(copied.Bytes(), file))
		}
	}
}

// countingReaderAt counts the bytes that are read through it.
type countingReaderAt struct {
	io.ReaderAt
	n atomic.Int64
}

func (r *countingReaderAt) ReadAt(b []byte, off int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(b, off)
	r.n.Add(int64(n))
	return n, err
}

// oddSeeker is a reader whose Seek method calls seek.
type oddSeeker struct {
	*io.SectionReader
	seek func(s io.Seeker, off int64, whence int) (int64, error)
}

func (r oddSeeker) Seek(off int64, whence int) (int64, error) {
	return r.seek(r.SectionReader, off, whence)
}

// TestReaderSkipSeeks tests that Skip seeks if the reader can, with the same results and errors as on a stream that
// cannot.
func TestReaderSkipSeeks(t *testing.T) {
	const rows, columns, from, skip, back = 3000, 64, 5, 2500, 300 // 1.5 MB
	a := sequence("<f8", index.C, 0, rows, columns)
	file := writtenBytes(t, a)
	noSeek := errors.New("no seek")
	section := func(r io.ReaderAt, _ *testing.T) io.Reader { return io.NewSectionReader(r, 0, int64(len(file))) }
	odd := func(seek func(s io.Seeker, off int64, whence int) (int64, error)) func(io.ReaderAt, *testing.T) io.Reader {
		return func(r io.ReaderAt, t *testing.T) io.Reader {
			return oddSeeker{section(r, t).(*io.SectionReader), seek}
		}
	}
	for _, tt := range []struct {
		name  string
		open  func(r io.ReaderAt, t *testing.T) io.Reader
		seeks bool
	}{
		{"section", section, true},
		{"section longer than its file", func(r io.ReaderAt, _ *testing.T) io.Reader {
			return io.NewSectionReader(r,
				0, 1<<50)
		}, true},
		{"its Seek fails", odd(func(io.Seeker, int64, int) (int64, error) { return 0, noSeek }), false},
		{"its Seek only returns the position", odd(func(s io.Seeker, off int64, whence int) (int64, error) {
			if whence == io.SeekCurrent && off > 0 {
				return 0, noSeek
			}
			return s.Seek(off, whence)
		}), false},
		{"its Seek does not move", odd(func(s io.Seeker, off int64, whence int) (int64, error) {
			if whence == io.SeekCurrent {
				return s.Seek(0, whence)
			}
			return s.Seek(off, whence)
		}), false},
		{"pipe", func(r io.ReaderAt, t *testing.T) io.Reader {
			in, out, err := os.Pipe()
			if err != nil {
				t.Skip(err)
			}
			t.Cleanup(func() { in.Close() })
			go func() {
				io.Copy(out, io.NewSectionReader(r, 0, 1<<50))
				out.Close()
			}()
			return in
		}, false},
	} {
		for _, end := range []int{len(file), len(file) - (rows-from-skip)*columns*8, len(file) - 1_000_000, len(file) - 1} {
			t.Run(fmt.Sprint(tt.name, ", ", end, " bytes"), func(t *testing.T) {
				c := &countingReaderAt{ReaderAt: bytes.NewReader(file[:end])}
				got, want := must(NewReader(tt.open(c, t))),
					must(NewReader(iotest.DataErrReader(bytes.NewReader(file[:end]))))
				for _, in := range []*Reader{got, want} {
					if err := in.Skip(from); err != nil { // too few bytes for a seek
						t.Fatal(err)
					}
				}
				c.n.Store(0)
				err, wantErr := got.Skip(skip), want.Skip(skip)
				if fmt.Sprint(err) != fmt.Sprint(wantErr) || (wantErr != nil) != errors.Is(err, io.ErrUnexpectedEOF) {
					t.Fatalf("%v, want %v", err, wantErr)
				}
				if n := c.n.Load(); tt.seeks && err == nil && n > 1 {
					t.Errorf("Skip read %d bytes", n)
				}
				x, y := must(New(dtype.Float64, index.C, back, columns)), must(New(dtype.Float64, index.C, back, columns))
				n, err := got.Read(x.Array)
				wantN, wantErr := want.Read(y.Array)
				if n != wantN || fmt.Sprint(err) != fmt.Sprint(wantErr) || !bytes.Equal(writtenBytes(t, x.Array), writtenBytes(t,
					y.Array)) {
					t.Errorf("%d rows, %v, want %d, %v", n, err, wantN, wantErr)
				}
				if err, wantErr := got.Skip(1<<30), want.Skip(1<<30); fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Errorf("the rest: %v, want %v", err, wantErr)
				}
			})
		}
	}
}
