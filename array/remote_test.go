package array

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/fetch"
	"github.com/ndmap/ndmap/internal/oracle"
)

// A recorder is a file in memory that records the requests for its bytes.
type recorder struct {
	b      []byte
	fail   func(off, n int) error // the error of a request
	mu     sync.Mutex
	ranges [][2]int // start and end of each request
	now    int      // the number of requests that have not returned
	most   int      // the maximum of now
}

func (r *recorder) Name() string { return "far.npy" }

func (r *recorder) ReadAt(p []byte, off int64) (n int, err error) {
	r.mu.Lock()
	r.ranges = append(r.ranges, [2]int{int(off), int(off) + len(p)})
	r.now++
	r.most = max(r.most, r.now)
	r.mu.Unlock()
	defer func() { r.mu.Lock(); r.now--; r.mu.Unlock() }()
	if r.fail != nil {
		if err := r.fail(int(off), len(p)); err != nil {
			return len(p) / 2, err
		}
	}
	return bytes.NewReader(r.b).ReadAt(p, off)
}

// take returns the number of requests since the last call, and the number of their bytes. It returns an error if a byte
// was requested twice.
func (r *recorder) take() (n int, size int64, err error) {
	ranges := r.ranges
	r.ranges = nil
	slices.SortFunc(ranges, func(a, b [2]int) int { return a[0] - b[0] })
	for k, x := range ranges {
		size += int64(x[1] - x[0])
		if k > 0 && ranges[k-1][1] > x[0] {
			err = fmt.Errorf("requests for bytes %v and %v", ranges[k-1], x)
		}
	}
	return len(ranges), size, err
}

// lower sets a limit for the duration of t.
func lower(t *testing.T, limit *int, to int) {
	old := *limit
	*limit = to
	t.Cleanup(func() { *limit = old })
}

// farArray returns the file of a random array, and the array in memory, whose elements have the addresses, modulo 8, of
// the elements in the file.
func farArray(t *testing.T, r *rand.Rand, names []string, shape ...int) (*recorder, Array) {
	t.Helper()
	a := must(New(dtype.MustParse(among(r, names...)), among(r, index.C, index.F), shape...))
	t.Cleanup(func() { a.Close() })
	mem := a.Map().Bytes()
	rand.NewChaCha8([32]byte{byte(r.Uint32())}).Read(mem)
	for i := range mem {
		mem[i] &= 0x3f // no NaN
	}
	var b bytes.Buffer
	check(t, Write(&b, a.Array))
	return &recorder{b: b.Bytes()}, a.Array
}

var farTypes = []string{"u1", "<f4", ">i2", "<f8", ">c16", "S3", "<M8[s]", "V5"}

// selectBoth applies random selections to a and to the same array in memory.
func selectBoth(r *rand.Rand, a *Remote, m Array) (*Remote, Array, string) {
	done := ""
	for range 1 + r.IntN(3) {
		switch n := m.NDim(); {
		case r.IntN(4) == 0:
			axes := r.Perm(n)
			a, m = must(a.Transpose(axes...)), must(m.Transpose(axes...))
			done += fmt.Sprintf(" T%v", axes)
		case r.IntN(6) == 0:
			a, m = a.T(), m.T()
			done += " T"
		case r.IntN(4) == 0 && n > 1 && m.Len(0) > 0:
			i := r.IntN(m.Len(0))
			a, m = a.Index(i), m.Index(i)
			done += fmt.Sprintf(" [%d]", i)
		default:
			sel := make([]index.Selector, n)
			for k := range sel {
				from := r.IntN(m.Len(k) + 1)
				to := from + r.IntN(m.Len(k)+1-from)
				sel[k] = among(r, index.Colon, index.Range(from, to), index.Reverse(), index.Every(-1-r.IntN(4)),
					index.Every(1+r.IntN(50)))
			}
			a, m = must(a.Select(sel...)), must(m.Select(sel...))
			done += fmt.Sprintf(" %v", sel)
		}
	}
	return a, m, done
}

// TestRemoteRead reads random selections, and compares their elements with those in memory and the requests with
// Requests.
func TestRemoteRead(t *testing.T) {
	seed := oracle.Seed(t)
	ctx := context.Background()
	for k := range oracle.Cases(t, 400) {
		r := rand.New(rand.NewPCG(seed, uint64(k)))
		shape := make([]int, 1+r.IntN(4))
		for axis := range shape {
			shape[axis] = 1 + r.IntN(50/len(shape))
		}
		rec, m := farArray(t, r, farTypes, shape...)
		a := must(OpenReaderAt(rec, int64(len(rec.b))))
		if n, size, _ := rec.take(); n != 1 || size != 128 {
			t.Fatalf("case %d: %d requests, %d bytes for the header", k, n, size)
		}
		a.Gap, a.Parallel = among(r, 0, -1, 1, 7, 100), r.IntN(4)
		lower(t, &fetch.MaxRequest, among(r, 1, 16, 4<<20))
		lower(t, &fetch.MaxPages, among(r, 1, 4096, 10_000, 64<<20))
		lower(t, &fetch.MaxExtent, among(r, 1, 200, 1<<30))
		a, m, done := selectBoth(r, a, m)
		if !slices.Equal(a.Shape(), m.Shape()) || a.DType() != m.DType() || a.Size() != m.Size() || a.NBytes() != m.NBytes() {
			t.Fatalf("case %d:%s: shape %v, dtype %v", k, done, a.Shape(), a.DType())
		}
		got, err := a.Read(ctx)
		n, size, twice := rec.take()
		wantN, wantSize := a.Requests()
		switch {
		case err != nil || twice != nil:
			t.Fatalf("case %d:%s: %v, %v", k, done, err, twice)
		case n != wantN || size != wantSize:
			t.Fatalf("case %d:%s: %d requests of %d bytes; Requests: %d, %d", k, done, n, size, wantN, wantSize)
		case a.Gap < 0 && size != int64(a.NBytes()):
			t.Fatalf("case %d:%s: %d bytes for %d bytes without gaps", k, done, size, a.NBytes())
		case rec.most > a.elements().Parallel:
			t.Fatalf("case %d:%s: %d requests at a time, want at most %d", k, done, rec.most, a.elements().Parallel)
		}
		if err := sameBytes(got, m); err != nil {
			t.Fatalf("case %d:%s: %v", k, done, err)
		}
		if d := m.DType(); d.IsNumber() && d.Kind() != dtype.KindComplex {
			dst := must(New(dtype.Float64, index.F, m.Shape()...))
			err := a.ReadInto(ctx, dst.Array)
			if err == nil {
				err = sameBytes(dst.Array, must(m.AsType(dtype.Float64, index.C)))
			}
			dst.Close()
			if err != nil {
				t.Fatalf("case %d:%s: as float64: %v", k, done, err)
			}
		}
	}
}

// TestRemoteField reads fields of records.
func TestRemoteField(t *testing.T) {
	r := oracle.Rand(t, 1)
	rec, m := farArray(t, r, []string{"[('id', '<i4'), ('pos', [('x', '<f8'), ('y.z', '>f4', (2, 3))])]"}, 7, 5)
	a := must(OpenReaderAt(rec, int64(len(rec.b))))
	rec.take()
	a.Gap = -1
	for _, name := range []string{"id", "pos", "pos.x", "pos.y.z"} {
		t.Run(name, func(t *testing.T) {
			part, want := must(a.Field(name)), must(m.Field(name))
			if !slices.Equal(part.Shape(), want.Shape()) {
				t.Fatalf("shape %v, want %v", part.Shape(), want.Shape())
			}
			part, want = must(part.Select(index.Range(1, 4))), must(want.Select(index.Range(1, 4)))
			check(t, sameBytes(must(part.Read(context.Background())), want))
			if _, size, err := rec.take(); size != int64(want.NBytes()) || err != nil {
				t.Errorf("%d bytes requested, want %d; %v", size, want.NBytes(), err)
			}
		})
	}
	for _, name := range []string{"", "pos.", "pos.z", "x", "id.x", "."} {
		if _, err := a.Field(name); !errors.Is(err, ErrDType) || !strings.HasPrefix(err.Error(), "far.npy: no field") {
			t.Errorf("field %q: %v", name, err)
		}
		if _, err := m.Field(name); !errors.Is(err, ErrDType) {
			t.Errorf("field %q of the Array: %v", name, err)
		}
	}
}

// TestRemoteReduction compares reductions of arrays behind a ReaderAt with reductions in memory, bit for bit.
func TestRemoteReduction(t *testing.T) {
	seed := oracle.Seed(t)
	for k := range oracle.Cases(t, 40) {
		r := rand.New(rand.NewPCG(seed, uint64(k)))
		shape := []int{1 + r.IntN(20), 1 + r.IntN(4)}
		for _, n := range r.Perm(len(shape)) {
			shape[n] *= 1 + r.IntN(300)
		}
		rec, m := farArray(t, r, []string{"u1", "<f4", ">f4", "<f8", ">f8", "<i2", "<c8"}, shape...)
		a := must(OpenReaderAt(rec, int64(len(rec.b))))
		a.Gap = among(r, 0, -1, 100)
		a, m, done := selectBoth(r, a, m)
		if m.Size() == 0 {
			continue
		}
		red := Reduction{Op: Op(r.IntN(int(OpMedian))), SkipNaN: r.IntN(2) == 0, Axes: among(r, nil, []int{0}, []int{-1})}
		if r.IntN(2) == 0 {
			red.Progress = func(_, _ int64) error { return nil }
		}
		if err := checkRemoteReduction(red, rec, a, m); err != nil {
			t.Fatalf("case %d:%s: %v", k, done, err)
		}
	}
	for _, order := range []index.Order{index.C, index.F} { // in every way in which goroutines share a reduction
		m := countingView(order, 400, 12000).Array()
		var b bytes.Buffer
		check(t, Write(&b, m))
		rec := &recorder{b: b.Bytes()}
		a := must(OpenReaderAt(rec, int64(len(rec.b))))
		for _, op := range []Op{OpSum, OpStd, OpArgMax} {
			for _, axes := range [][]int{nil, {0}, {1}} {
				red := Reduction{Op: op, Axes: axes}
				if err := checkRemoteReduction(red, rec, a.T(), m.T()); err != nil {
					t.Error(order, err)
				}
			}
		}
	}
}

// TestRemoteReductionParallel tests the number of requests at a time of reductions whose parts are fetched by several
// goroutines, or by one.
func TestRemoteReductionParallel(t *testing.T) {
	var b bytes.Buffer
	check(t, Write(&b, countingView(index.C, 400, 12000).Array()))
	eachGOMAXPROCS(func(procs int) {
		for _, axes := range [][]int{nil, {0}} {
			rec := &recorder{b: b.Bytes(), fail: func(off, n int) error { time.Sleep(time.Millisecond); return nil }}
			a := must(OpenReaderAt(rec, int64(len(rec.b))))
			a.Parallel = 2
			least := min(procs, 2) // a part of a reduction to one number is one request
			if axes != nil {
				least = 2
			}
			if _, err := (Reduction{Axes: axes}).OfRemote(context.Background(), a); err != nil || rec.most > 2 ||
				rec.most < least {
				t.Errorf("%d goroutines, axes %v: %d requests at a time, want %d to 2; %v", procs, axes, rec.most, least, err)
			}
		}
	})
}

// checkRemoteReduction returns an error if the reduction of a, in rec, differs from the reduction of m, in memory.
func checkRemoteReduction(red Reduction, rec *recorder, a *Remote, m Array) error {
	want, wantErr := red.Of(m)
	rec.take()
	got, err := red.OfRemote(context.Background(), a)
	if (err == nil) != (wantErr == nil) {
		return fmt.Errorf("%v of %v: %v, in memory %v", red.Op, a.DType(), err, wantErr)
	}
	if err == nil {
		_, _, err = rec.take()
	}
	if err == nil && wantErr == nil {
		err = sameBytes(got, want)
	}
	if err != nil && wantErr == nil {
		return fmt.Errorf("%v of %v %v, axes %v: %w", red.Op, a.DType(), a.Shape(), red.Axes, err)
	}
	return nil
}

// TestRemoteErrors makes requests fail.
func TestRemoteErrors(t *testing.T) {
	ctx := context.Background()
	rec, m := farArray(t, oracle.Rand(t, 2), []string{"<f8"}, 1000, 700)
	a := must(OpenReaderAt(rec, int64(len(rec.b))))
	a.Gap = -1
	column := must(a.Select(index.Colon, index.At(3)))
	if rows := m.Contiguous(index.C); !rows {
		column = must(a.Select(index.At(3)))
	}
	lost := errors.New("lost")
	off := column.elem.Start + 500*700*8
	if m.Contiguous(index.F) {
		off = column.elem.Start + 350*1000*8
	}
	far := fmt.Sprintf("far.npy: read bytes %d to %d: ", off, off+8)
	cancelled, cancel := context.WithCancelCause(ctx)
	cancel(lost)
	for _, c := range []struct {
		name string
		fail func(off, n int) error
		ctx  context.Context
		is   error
		want string
	}{
		{"an error", func(o, n int) error {
			if o == off {
				return lost
			}
			return nil
		}, ctx, lost, far + "lost"},
		{"a short file", func(o, n int) error {
			if o == off {
				return io.EOF
			}
			return nil
		}, ctx, io.ErrUnexpectedEOF, far + "unexpected EOF"},
		{"a context", nil, cancelled, lost, "lost"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec.fail = c.fail
			defer func() { rec.fail = nil }()
			checkNoGoroutineLeft(t, func() {
				got, err := column.Read(c.ctx)
				if !got.IsZero() || !errors.Is(err, c.is) || !strings.HasSuffix(err.Error(), c.want) {
					t.Errorf("Read returns %v, want %q", err, c.want)
				}
				n := 0
				for rows, err := range column.Rows(c.ctx, 100) {
					if n += 100; err != nil {
						if !rows.IsZero() || !errors.Is(err, c.is) || !strings.HasSuffix(err.Error(), c.want) {
							t.Errorf("Rows yields %v, want %q", err, c.want)
						}
						n = -1
						break
					}
				}
				if n != -1 {
					t.Error("Rows yields no error")
				}
				for _, limit := range []int{16, 64 << 20} {
					lower(t, &fetch.MaxPages, limit)
					if _, err := (Reduction{}).OfRemote(c.ctx, column); !errors.Is(err, c.is) || !strings.HasSuffix(err.Error(),
						c.want) {
						t.Errorf("OfRemote returns %v, want %q", err, c.want)
					}
				}
			})
		})
	}
	t.Run("arguments", func(t *testing.T) {
		rec.take()
		for _, c := range []struct {
			name string
			err  error
			is   error
		}{
			{"shape", a.ReadInto(ctx, must(FromSlice(make([]float64, 7))).Array()), ErrShape},
			{"dtype", a.ReadInto(ctx, must(FromBytes(make([]byte, 700_000), dtype.MustParse("S1"), index.C, 1000, 700))),
				ErrDType},
			{"read-only", a.ReadInto(ctx, must(must(FromSlice([]float64{1})).Array().Broadcast(1000, 700))), ErrReadOnly},
			{"median", second(Reduction{Op: OpMedian}.OfRemote(ctx, a)), errors.ErrUnsupported},
			{"axis", second(Reduction{Axes: []int{2}}.OfRemote(ctx, a)), index.ErrShape},
			{"selection", second(a.Select(index.At(1000))), index.ErrShape},
			{"axes", second(a.Transpose(0, 0)), index.ErrShape},
		} {
			var bounds *index.BoundsError
			if !errors.Is(c.err, c.is) && !errors.As(c.err, &bounds) {
				t.Errorf("%s: %v", c.name, c.err)
			}
		}
		if n, _, _ := rec.take(); n != 0 {
			t.Errorf("%d requests", n)
		}
		wantPanic(t, "far.npy: Rows: 0 rows at a time of shape (1000, 700); want 1 or more, of 1 or more axes", ErrShape,
			func() { a.Rows(ctx, 0) })
		wantPanic(t, "far.npy: Rows: 1 rows at a time of shape (); want 1 or more, of 1 or more axes", ErrShape,
			func() { a.Index(0).Index(0).Rows(ctx, 1) })
	})
}

// A panicker is an io.ReaderAt that calls a function for all bytes after the first kilobyte.
type panicker struct {
	*recorder
	f func()
}

func (p panicker) ReadAt(b []byte, off int64) (int, error) {
	if off > 1024 {
		p.f()
	}
	return p.recorder.ReadAt(b, off)
}

// TestRemotePanics tests that a panic of a ReaderAt, and a call of Goexit, reach the goroutine of the caller.
func TestRemotePanics(t *testing.T) {
	ctx := context.Background()
	rec, _ := farArray(t, oracle.Rand(t, 6), []string{"<f8"}, 1000, 700)
	for name, f := range map[string]func(){"panic": func() { panicWith("mine") }, "Goexit": runtime.Goexit} {
		a := must(OpenReaderAt(panicker{rec, f}, int64(len(rec.b))))
		for work, do := range map[string]func(){
			"Read": func() { a.Read(ctx) },
			"Rows": func() {
				for range a.Rows(ctx, 10) {
				}
			},
			"OfRemote":       func() { Reduction{}.OfRemote(ctx, a) },
			"OfRemote, axis": func() { Reduction{Axes: []int{0}}.OfRemote(ctx, a) },
		} {
			t.Run(name+" in "+work, func(t *testing.T) {
				checkNoGoroutineLeft(t, func() {
					var got any
					returned := false
					done := make(chan bool)
					go func() {
						defer close(done)
						got = panicValue(func() { do(); returned = true })
					}()
					<-done
					e, ok := got.(*PanicError)
					if returned || ok != (name == "panic") || ok && (e.Recovered != "mine" ||
						!strings.Contains(string(e.Stack), "array.panicWith(")) {
						t.Errorf("panic with %v; returned: %v", got, returned)
					}
				})
			})
		}
	}
}

// TestRemoteHuge tests that a size that does not fit in memory is an error.
func TestRemoteHuge(t *testing.T) {
	n := math.MaxInt / 16
	a := must(OpenRawReaderAt(&recorder{}, int64(n)*8, 0, dtype.Float64, index.C, n))
	for _, err := range []error{second(a.Read(context.Background())), second(Reduction{}.OfRemote(context.Background(),
		a))} {
		if err == nil || !strings.HasPrefix(err.Error(), "far.npy: ") {
			t.Errorf("error %v", err)
		}
	}
	for _, err := range must(a.Select(index.Range(5, n))).Rows(context.Background(), n) {
		if err == nil {
			t.Error("Rows yields no error")
		}
	}
}

// TestRemoteGap tests that a request includes gaps of any length if Gap is the largest int.
func TestRemoteGap(t *testing.T) {
	for _, gap := range []int{1 << 20, math.MaxInt - 1, math.MaxInt} {
		a := must(OpenRawReaderAt(&recorder{}, 1<<20, 0, dtype.Float64, index.C, 1<<8, 1<<9))
		a.Gap = gap
		if n, size := a.Requests(); n != 1 || size != 1<<20 {
			t.Errorf("gap %d: %d requests of %d bytes, want 1 of 1 MiB", gap, n, size)
		}
	}
}

// TestRemoteRows reads rows while a loop works on the previous ones.
func TestRemoteRows(t *testing.T) {
	rec, m := farArray(t, oracle.Rand(t, 3), []string{">f4"}, 103, 7)
	a := must(OpenReaderAt(rec, int64(len(rec.b))))
	for _, n := range []int{1, 10, 103, 1000} {
		row := 0
		for rows, err := range a.Rows(context.Background(), n) {
			check(t, err)
			check(t, sameBytes(rows, must(m.Select(index.Range(row, min(row+n, 103))))))
			row += rows.Len(0)
		}
		if row != 103 {
			t.Errorf("%d rows with %d at a time, want 103", row, n)
		}
	}
	checkNoGoroutineLeft(t, func() {
		for range a.Rows(context.Background(), 1) {
			break
		}
	})
}

// TestOpenReaderAt opens files with errors, and files with long headers.
func TestOpenReaderAt(t *testing.T) {
	rec, _ := farArray(t, oracle.Rand(t, 4), []string{"<f8"}, 10, 3)
	names := make([]string, 40)
	for k := range names {
		names[k] = fmt.Sprintf("('field%d', '<f8')", k)
	}
	long, _ := farArray(t, oracle.Rand(t, 5), []string{"[" + strings.Join(names, ", ") + "]"}, 10)
	if a := must(OpenReaderAt(long, int64(len(long.b)))); a.Size() != 10 || a.DType().NumField() != 40 {
		t.Errorf("long header: shape %v, dtype %v", a.Shape(), a.DType())
	}
	if n, size, err := long.take(); n != 2 || err != nil || size > 4096 {
		t.Errorf("long header: %d requests of %d bytes, %v", n, size, err)
	}
	for _, c := range []struct {
		name string
		b    []byte
		size int
		want string
	}{
		{"truncated", rec.b, 300, "data at byte 128: the file holds 172 bytes"},
		{"in the header", rec.b, 50, "header at byte 50"},
		{"empty", nil, 0, "not a .npy file"},
		{"negative", nil, -1, "not a .npy file"},
		{"zip", []byte("PK\x03\x04 and so on"), 12, "zip"},
		{"shorter than size", rec.b[:100], 368, "read bytes 0 to 128: unexpected EOF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := OpenReaderAt(&recorder{b: c.b}, int64(c.size))
			if a != nil || err == nil || !strings.HasPrefix(err.Error(), "far.npy: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	if _, err := OpenReaderAt(bytes.NewReader(rec.b[:40]), 40); !errors.Is(err, ErrFormat) {
		t.Errorf("without a name: %v", err)
	}
}

// TestOpenReaderAtNames tests that an error contains the name of the file once.
func TestOpenReaderAtNames(t *testing.T) {
	f := must(os.Create(filepath.Join(t.TempDir(), "a.npy")))
	f.Close()
	_, err := OpenReaderAt(f, 200)
	if err == nil || err.Error() != f.Name()+": read bytes 0 to 128: file already closed" || !errors.Is(err,
		fs.ErrClosed) {
		t.Errorf("error %v", err)
	}
}

// TestOpenRawReaderAt reads elements that have no header.
func TestOpenRawReaderAt(t *testing.T) {
	b := randomMemory(1, 100)
	want := must(FromBytes(b[7:], dtype.MustParse(">u4"), index.F, 3, 5))
	a := must(OpenRawReaderAt(bytes.NewReader(b), 100, 7, dtype.MustParse(">u4"), index.F, 3, 5))
	check(t, sameBytes(must(a.Read(context.Background())), want))
	if a.DataOffset() != 7 || a.Order() != index.F || a.Layout().Stride(0) != 4 {
		t.Errorf("offset %d, order %v, %v", a.DataOffset(), a.Order(), a.Layout())
	}
	for _, c := range []struct {
		offset int64
		d      dtype.DType
		order  index.Order
		shape  []int
		is     error
	}{
		{-1, dtype.Int8, index.C, []int{1}, ErrShape},
		{101, dtype.Int8, index.C, []int{0}, ErrShape},
		{97, dtype.Int32, index.C, []int{1}, ErrShape},
		{0, dtype.Int8, index.K, []int{1}, ErrShape},
		{0, dtype.Int8, index.C, []int{-1}, ErrShape},
		{0, dtype.DType{}, index.C, []int{1}, ErrDType},
	} {
		if a, err := OpenRawReaderAt(bytes.NewReader(b), 100, c.offset, c.d, c.order, c.shape...); a != nil || !errors.Is(err,
			c.is) {
			t.Errorf("%d %v %v %v: %v", c.offset, c.d, c.order, c.shape, err)
		}
	}
}

// TestOpenRawReaderAtOverflow opens data that ends at the greatest int, and one byte later.
func TestOpenRawReaderAtOverflow(t *testing.T) {
	for off, want := range map[int64]error{math.MaxInt - 4: nil, math.MaxInt - 3: errors.ErrUnsupported} {
		if _, err := OpenRawReaderAt(endless{}, math.MaxInt64, off, dtype.Uint8, index.C, 4); !errors.Is(err, want) {
			t.Errorf("offset %d: %v", off, err)
		}
	}
}

// endless is a file of zeros without end.
type endless struct{}

func (endless) ReadAt(p []byte, _ int64) (int, error) { clear(p); return len(p), nil }

// TestRemoteAddresses reads elements whose extent exceeds the address space.
func TestRemoteAddresses(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("int has 32 bits, and so have all extents")
	}
	n := math.MaxInt >> 4
	a := must(OpenRawReaderAt(endless{}, math.MaxInt64, 0, dtype.Int8, index.C, 3, n))
	ends := must(a.Select(index.Colon, index.Every(n-1)))
	if got := must(ends.Read(context.Background())); got.Size() != 6 {
		t.Errorf("shape %v", got.Shape())
	}
	if n, size := ends.Requests(); n != 6 || size != 6 {
		t.Errorf("%d requests of %d bytes, want 6 of 6", n, size)
	}
	lower(t, &fetch.MaxPages, 16)
	if _, err := (Reduction{}).OfRemote(context.Background(), ends); err == nil || !strings.HasPrefix(err.Error(),
		"array: too few addresses: ") {
		t.Errorf("OfRemote returns %v", err)
	}
}

// TestRemoteContext reads through a ReaderAt that has a method ReadAtContext.
func TestRemoteContext(t *testing.T) {
	rec, m := farArray(t, oracle.Rand(t, 6), []string{"<f8"}, 10)
	r := &contextRecorder{recorder: rec}
	a := must(OpenReaderAt(r, int64(len(rec.b))))
	ctx := context.WithValue(context.Background(), r, "a value")
	check(t, sameBytes(must(a.Read(ctx)), m))
	if r.value != "a value" {
		t.Errorf("the context has the value %v", r.value)
	}
}

type contextRecorder struct {
	*recorder
	value any
}

func (r *contextRecorder) ReadAtContext(ctx context.Context, p []byte, off int64) (int, error) {
	r.value = ctx.Value(r)
	return r.ReadAt(p, off)
}
