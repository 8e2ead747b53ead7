package array

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/internal/readat"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/mmap"
)

// A Remote is an array whose elements are read from an [io.ReaderAt] on request: from a web server (see package
// httpat), an object store, or a file that cannot be mapped. Select, Index, Field and Transpose return parts of it and
// request nothing; Read, ReadInto, Rows and [Reduction.OfRemote] request the bytes of its elements, and few others.
//
// If the ReaderAt has a method ReadAtContext(ctx, p, off), it is called instead of ReadAt; otherwise a context is
// checked before each call. Its method Name() string, if it has one, returns the name for error messages. Methods may
// be called by several goroutines at once.
type Remote struct {
	// Gap is the longest gap between elements, in bytes, that a request includes. Longer gaps take more requests and fewer
	// bytes. 0 means 64 KiB, and a negative number no gap.
	Gap int

	// Parallel is the maximum number of requests at a time; 0 means 8. A request has up to 4 MiB.
	Parallel int

	r      io.ReaderAt
	slots  chan struct{} // limits the requests at a time of several Remotes; may be nil
	path   string
	h      npy.Header // of the file
	dtype  dtype.DType
	layout index.Layout
	start  int // offset of the first element in r
}

const (
	defaultGap      = 64 << 10
	defaultParallel = 8
)

// Tests lower these limits.
var (
	maxRequestBytes = 4 << 20

	// fetchBytes is the maximum number of bytes in the pages that are fetched at a time, and fetchExtent the maximum
	// extent of their addresses: a part of the address space of 32 bits, and no limit with 64 bits.
	fetchBytes  = 64 << 20
	fetchExtent = math.MaxInt >> 4
)

// OpenReaderAt reads the header of the .npy file in r, which has size bytes, and no elements. For the errors see
// [Open]; errors of r name the bytes that were requested.
func OpenReaderAt(r io.ReaderAt, size int64) (*Remote, error) {
	a := newRemote(r)
	head := make([]byte, min(max(size, 0), headBytes))
	err := a.readAt(context.Background(), head, 0)
	if err != nil {
		return nil, err
	}
	if _, _, end, err := npy.Span(head, 0); err == nil && end > len(head) && int64(end) <= size {
		rest := make([]byte, end-len(head))
		if err := a.readAt(context.Background(), rest, len(head)); err != nil {
			return nil, err
		}
		head = append(head, rest...)
	}
	if a.h, err = npy.Parse(head, 0); err == nil {
		err = a.h.Within(size)
	}
	if err != nil {
		return nil, formatError(a.path, err)
	}
	return a, a.setLayout()
}

// OpenRawReaderAt returns the array of dtype d, in the order C or F, whose elements start at byte offset of r, which
// has size bytes. It requests nothing. For the errors see [OpenRaw]; no length may be -1.
func OpenRawReaderAt(r io.ReaderAt, size, offset int64, d dtype.DType, order index.Order, shape ...int) (*Remote,
	error) {
	a := newRemote(r)
	var err error
	a.h, err = newRaw(d, order, shape)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s%w", nd.Prefix(a.path), err)
	case offset > math.MaxInt-int64(a.h.NBytes):
		return nil, fmt.Errorf("%sdata at byte %d: its end overflows int: %w", nd.Prefix(a.path), offset,
			errors.ErrUnsupported)
	case offset < 0 || offset > size || int64(a.h.NBytes) > size-offset:
		return nil, fmt.Errorf("%sdata at byte %d: %w: shape %s of %v takes %d bytes, but the file has %d bytes",
			nd.Prefix(a.path), offset, ErrShape, nd.Tuple(shape), d, a.h.NBytes, size)
	}
	a.h.DataOffset = int(offset)
	return a, a.setLayout()
}

func newRemote(r io.ReaderAt) *Remote { return &Remote{r: r, path: readat.Name(r)} }

// setLayout sets the array to the whole array of the header.
func (a *Remote) setLayout() (err error) {
	a.dtype, a.start = a.h.DType, a.h.DataOffset
	if a.layout, err = index.NewLayout(a.h.Shape, a.dtype.ItemSize(), a.h.Order); err != nil {
		return fmt.Errorf("%s%w", nd.Prefix(a.path), err)
	}
	return nil
}

// DType returns the type of the elements.
func (a *Remote) DType() dtype.DType { return a.dtype }

// NDim returns the number of axes.
func (a *Remote) NDim() int { return a.layout.NDim() }

// Len returns the length of an axis.
func (a *Remote) Len(axis int) int { return a.layout.Len(axis) }

// Shape returns the length of each axis, in a new slice.
func (a *Remote) Shape() []int { return a.layout.Shape() }

// Layout returns the shape and the strides in the file.
func (a *Remote) Layout() index.Layout { return a.layout }

// Size returns the number of elements.
func (a *Remote) Size() int { return a.layout.Size() }

// NBytes returns the number of bytes of the elements.
func (a *Remote) NBytes() int { return a.Size() * a.dtype.ItemSize() }

// Order returns the order of the elements in the file, C or F.
func (a *Remote) Order() index.Order { return a.h.Order }

// Version returns the version of the .npy format, or 0, 0 without a header.
func (a *Remote) Version() (major, minor int) { return int(a.h.Version[0]), int(a.h.Version[1]) }

// DataOffset returns the offset of the first element of the file, in bytes.
func (a *Remote) DataOffset() int64 { return int64(a.h.DataOffset) }

// Select returns a part of a; see [Array.Select].
func (a *Remote) Select(sel ...index.Selector) (*Remote, error) {
	return a.derive(a.layout.Select(sel...))
}

// Index returns a at position i of the first axis; see [Array.Index].
func (a *Remote) Index(i int) *Remote {
	lay, off := a.layout.Index(i)
	return nd.Must(a.derive(lay, off, nil))
}

// T returns a with its axes reversed; see [Array.T].
func (a *Remote) T() *Remote { return nd.Must(a.Transpose()) }

// Transpose returns a with its axes in another order; see [Array.Transpose].
func (a *Remote) Transpose(axes ...int) (*Remote, error) {
	lay, err := a.layout.Transpose(axes...)
	return a.derive(lay, 0, err)
}

// Field returns a field of a structured array; see [Array.Field].
func (a *Remote) Field(name string) (*Remote, error) {
	part := *a
	for rest, more := name, true; more; {
		var f dtype.Field
		var err error
		if f, rest, more, err = cutField(part.dtype, rest); err != nil {
			return nil, nd.OfKind(fmt.Errorf("%sno field %q in dtype %v", nd.Prefix(a.path), name, part.dtype), ErrDType)
		}
		if part.dtype, part.layout, err = nd.FieldLayout(part.layout, f); err != nil {
			return nil, fmt.Errorf("%s%w", nd.Prefix(a.path), err)
		}
		part.start += f.Offset
	}
	return &part, nil
}

// derive returns a with another layout. The first element is off bytes after the first element of a.
func (a *Remote) derive(lay index.Layout, off int, err error) (*Remote, error) {
	if err != nil {
		return nil, fmt.Errorf("%s%w", nd.Prefix(a.path), err)
	}
	part := *a
	part.layout, part.start = lay, a.start+off
	return &part, nil
}

// Requests returns the number of requests that Read and ReadInto make, and the number of bytes that they request. Each
// byte is requested once. Requests takes time in proportion to n.
func (a *Remote) Requests() (n int, bytes int64) {
	a.eachPart(func(part *Remote, _ []index.Selector) error {
		part.eachRequest(func(_, size int) bool {
			n++
			bytes += int64(size)
			return true
		})
		return nil
	})
	return n, bytes
}

// Read returns the elements of a in new Go memory. The axes are in the order of the file. If ctx is done, the error
// wraps context.Cause(ctx).
func (a *Remote) Read(ctx context.Context) (Array, error) {
	lay, err := a.layout.Compact(a.dtype.ItemSize(), index.K)
	if err != nil {
		return Array{}, fmt.Errorf("%s%w", nd.Prefix(a.path), err)
	}
	room, err := mmap.Anonymous(a.NBytes()) // no memory is an error here, and the end of the program in make
	if err != nil {
		return Array{}, fmt.Errorf("%sno memory for shape %s of %v: %w; read parts of it, or use ReadInto",
			nd.Prefix(a.path), nd.Tuple(a.Shape()), a.dtype, err)
	}
	room.Close()
	v, err := nd.OnBytes(strided.Alloc(a.NBytes()), a.dtype, lay)
	if err == nil {
		err = a.ReadInto(ctx, Array{v})
	}
	if err != nil {
		return Array{}, err
	}
	return Array{v}, nil
}

// ReadInto copies the elements of a to dst, which has the same shape, and converts them as [Copy] does. It fetches up
// to 64 MiB at a time, or less if the addresses of the process are short. If dst has another shape or is read-only, or
// the elements cannot be converted, it returns the error of Copy before it requests anything. After another error dst
// may be partly written.
func (a *Remote) ReadInto(ctx context.Context, dst Array) error {
	to := dst.view.MustBeSet()
	if !dst.view.Layout.SameShape(a.layout) {
		return fmt.Errorf("%s%w: cannot read shape %s into shape %s", nd.Prefix(a.path), ErrShape, nd.Tuple(a.Shape()),
			nd.Tuple(dst.Shape()))
	}
	if dst.ReadOnly() {
		return fmt.Errorf("%s%w", nd.Prefix(to.Mem.Path), ErrReadOnly)
	}
	if _, err := nd.Assignment(to, nd.NewStorage(&strided.Memory{Path: a.path}, a.dtype)); err != nil {
		return err
	}
	return a.eachPart(func(part *Remote, sel []index.Selector) error {
		fetched, free, err := part.fetch(ctx)
		if err != nil {
			return err
		}
		defer free()
		return Copy(nd.Must(dst.Select(sel...)), fetched)
	})
}

// Rows returns an iterator over the rows of a, n at a time. A row is the elements at one index of the first axis. While
// the loop works on rows, which stay valid, the next ones are read. The iterator ends after an error. Rows panics if n
// < 1 or a has no axes.
func (a *Remote) Rows(ctx context.Context, n int) iter.Seq2[Array, error] {
	if n < 1 || a.NDim() == 0 {
		panic(nd.Misuse(fmt.Sprintf("%sRows: %d rows at a time of shape %s; want 1 or more, of 1 or more axes",
			nd.Prefix(a.path), n, nd.Tuple(a.Shape())), ErrShape))
	}
	type result struct {
		rows Array
		err  error
	}
	return func(yield func(Array, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		next, stop := make(chan result), make(chan struct{})
		var reading strided.Group
		defer reading.Wait()
		defer cancel()
		defer close(stop)
		reading.Go(func() {
			defer close(next)
			for i := 0; i < a.Len(0); i += n {
				part := nd.Must(a.Select(index.Range(i, min(i+n, a.Len(0)))))
				rows, err := part.Read(ctx)
				select {
				case next <- result{rows, err}:
				case <-stop:
					return
				}
				if err != nil {
					return
				}
			}
		}, func() {})
		for r := range next {
			if !yield(r.rows, r.err) {
				return
			}
		}
	}
}

// OfRemote is like [Reduction.Of] for the elements of src, with a result of the same bits. It requests each part of the
// elements once, and needs memory for a part of about 16 MiB in each of GOMAXPROCS goroutines. If the process has too
// few addresses for the extent of src, the error is the system's: reduce parts of src. OpMedian and OpQuantile are
// not supported: Read the elements first.
func (r Reduction) OfRemote(ctx context.Context, src *Remote) (Array, error) {
	if r.Op == OpMedian || r.Op == OpQuantile {
		return Array{}, fmt.Errorf("%s%v needs all elements: %w; Read them, or ReadInto a file", nd.Prefix(src.path), r.Op,
			errors.ErrUnsupported)
	}
	if src.pages() <= fetchBytes/16 {
		a, free, err := src.fetch(ctx)
		if err != nil {
			return Array{}, err
		}
		defer free()
		return r.Of(a)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	slots := make(chan struct{}, src.parallel())
	a, free, err := src.reserve(func(p strided.Piece, start int) (strided.Pointer, func()) {
		part := *src
		part.layout, part.start, part.slots = p.Layout, start, slots
		fetched, free, err := part.fetch(ctx)
		if err != nil {
			cancel(err)
			return nil, nil
		}
		return fetched.view.P, free
	})
	if err != nil {
		return Array{}, err
	}
	defer free()
	report := r.Progress
	r.Progress = func(done, total int64) error {
		if err := contextCause(ctx); err != nil || report == nil {
			return err
		}
		return report(done, total)
	}
	result, err := r.Of(a)
	if cause := contextCause(ctx); cause != nil {
		return Array{}, cause
	}
	return result, err
}

// eachPart calls f with parts of a that together contain each element once, and with the selection of each part. The
// bytes to request for a part, and their extent, are limited. If f returns an error because the system has no memory
// for the extent, eachPart calls it again with halves of the part.
func (a *Remote) eachPart(f func(part *Remote, sel []index.Selector) error) error {
	return a.eachPartOf(make([]int, a.NDim()), a.Shape(), f)
}

// eachPartOf does the work of eachPart for the elements from position lo to position hi along each axis.
func (a *Remote) eachPartOf(lo, hi []int, f func(part *Remote, sel []index.Selector) error) error {
	sel := make([]index.Selector, len(lo))
	for axis := range sel {
		sel[axis] = index.Range(lo[axis], hi[axis])
	}
	part := nd.Must(a.Select(sel...))
	first, end := part.layout.Bounds(part.dtype.ItemSize())
	if part.Size() < 2 || part.pages() <= fetchBytes && end-first <= fetchExtent {
		err := f(part, sel)
		if part.Size() < 2 || !errors.Is(err, errNoAddresses) {
			return err
		}
	}
	axis := strided.HalvedAxis(strided.Piece{Layout: part.layout, ItemSize: part.dtype.ItemSize()})
	mid := slices.Clone(lo)
	mid[axis] = lo[axis] + part.Len(axis)/2
	low := slices.Clone(hi)
	low[axis] = mid[axis]
	if err := a.eachPartOf(lo, low, f); err != nil {
		return err
	}
	return a.eachPartOf(mid, hi, f)
}

// gap returns the value of a.Gap, or its default. It is less than math.MaxInt.
func (a *Remote) gap() int {
	if a.Gap == 0 {
		return defaultGap
	}
	return min(max(a.Gap, 0), math.MaxInt-1)
}

// parallel returns the value of a.Parallel, or its default.
func (a *Remote) parallel() int { return cmp.Or(max(a.Parallel, 0), defaultParallel) }

// pages returns the approximate number of bytes in the pages that the requested bytes of a would take.
func (a *Remote) pages() int { return strided.RangePages(a.layout, a.dtype.ItemSize(), a.gap()) }

// eachRequest calls f with the offset and the size of each request for the elements of a, until f returns false.
func (a *Remote) eachRequest(f func(off, n int) bool) {
	strided.EachRange(a.layout, a.dtype.ItemSize(), a.gap(), func(off, n int) (more bool) {
		for more = true; n > 0 && more; off, n = off+maxRequestBytes, n-maxRequestBytes {
			more = f(a.start+off, min(n, maxRequestBytes))
		}
		return more
	})
}

// errNoAddresses reports that the process has no addresses for the extent of an array.
var errNoAddresses = errors.New("too few addresses")

// reserve returns an array with the layout of a in new memory, in which an element has the same address, modulo the
// size of a page, as in a mapped file. The memory is zero and takes no pages. The function free returns it to the
// system. fetch, if it is not nil, becomes the Fetch of the memory, with the offset of the first element in the file.
func (a *Remote) reserve(fetch func(p strided.Piece, start int) (strided.Pointer, func())) (v Array, free func(),
	err error) {
	const page = 4096
	lo, hi := a.layout.Bounds(a.dtype.ItemSize())
	margin := (a.start + lo) % page
	m, err := mmap.Anonymous(hi - lo + margin)
	if err != nil {
		return Array{}, nil, fmt.Errorf("%s%w: %w", nd.Prefix(a.path), errNoAddresses, err)
	}
	b := m.Bytes()
	if b == nil {
		b = []byte{}
	}
	mem := strided.Memory{Path: a.path, Base: strided.Start(b), Size: len(b), ReadOnly: true}
	if fetch != nil {
		mem.Gap = a.gap()
		mem.Fetch = func(p strided.Piece) (strided.Pointer, func()) {
			return fetch(p, a.start+lo-margin+strided.Distance(p.P, mem.Base))
		}
	}
	v.view, err = new(nd.Backing).Init(mem, a.dtype, margin-lo, a.layout)
	return v, func() { m.Close() }, err
}

// fetch requests the elements of a. The function free returns their memory to the system.
func (a *Remote) fetch(ctx context.Context) (v Array, free func(), err error) {
	v, release, err := a.reserve(nil)
	if err != nil {
		return Array{}, nil, err
	}
	mem := v.view.Store.Mem
	base := a.start - strided.Distance(v.view.P, mem.Base) // offset of the memory in the file
	b := strided.Slice[byte](mem.Base, mem.Size)
	fetched := false
	defer func() { // even after a panic of r
		if !fetched {
			release()
		}
	}()
	if err := a.request(ctx, func(off, n int) []byte { return b[off-base:][:n:n] }); err != nil {
		return Array{}, nil, err
	}
	fetched = true
	return v, release, nil
}

// request makes the requests for the elements of a, several at a time, and stores the bytes in the slices that at
// returns. It returns the first error.
func (a *Remote) request(ctx context.Context, at func(off, n int) []byte) error {
	type span struct{ off, n int }
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	spans := make(chan span)
	var workers strided.Group
	for range a.parallel() {
		workers.Go(func() {
			for s := range spans {
				if err := a.readAt(ctx, at(s.off, s.n), s.off); err != nil {
					cancel(err)
				}
			}
		}, func() { cancel(nil) })
	}
	a.eachRequest(func(off, n int) bool {
		select {
		case spans <- span{off, n}:
			return true
		case <-ctx.Done():
			return false
		}
	})
	close(spans)
	workers.Wait()
	return contextCause(ctx)
}

// readAt requests the bytes of b at byte off.
func (a *Remote) readAt(ctx context.Context, b []byte, off int) error {
	if a.slots != nil {
		a.slots <- struct{}{}
		defer func() { <-a.slots }()
	}
	n, err := readat.Read(ctx, a.r, b, int64(off))
	if n == len(b) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%sread bytes %d to %d: %w", nd.Prefix(a.path), off, off+len(b), err)
}
