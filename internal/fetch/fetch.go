// Package fetch reads elements of arrays from io.ReaderAts: from web servers, object stores, and files that cannot be
// mapped.
package fetch

import (
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

// Limits, which tests lower.
var (
	MaxRequest = 4 << 20 // the maximum number of bytes of a request

	// MaxPages is the maximum number of bytes in the pages that are fetched at a time, and MaxExtent the maximum extent of
	// their addresses: a part of the address space of 32 bits, and no limit with 64 bits.
	MaxPages  = 64 << 20
	MaxExtent = math.MaxInt >> 4
)

// Head returns the header of the .npy file in r, which has size bytes, and possibly some bytes after it. The header may
// be invalid.
func Head(r io.ReaderAt, size int64) ([]byte, error) {
	const usual = 128 // bytes of the header that NumPy writes, unless a dtype has many fields
	s := Elements{R: r, Path: readat.Name(r)}
	head := make([]byte, min(max(size, 0), usual))
	if err := s.readAt(context.Background(), head, 0); err != nil {
		return nil, err
	}
	_, _, end, err := npy.Span(head, 0)
	if err != nil || end <= len(head) || int64(end) > size {
		return head, nil
	}
	n := len(head)
	head = append(head, make([]byte, end-n)...)
	return head, s.readAt(context.Background(), head[n:], n)
}

// Elements are elements of an array in an io.ReaderAt.
type Elements struct {
	R        io.ReaderAt
	Path     string // the name of R in messages
	DType    dtype.DType
	Layout   index.Layout // the strides in R
	Start    int          // the offset of the first element in R
	Gap      int          // the longest gap between elements, in bytes, that a request includes
	Parallel int          // the maximum number of requests at a time

	slots chan struct{} // limits the requests at a time of several Elements; may be nil
}

// Select returns the selected elements of e.
func (e *Elements) Select(sel ...index.Selector) (Elements, error) {
	lay, off, err := e.Layout.Select(sel...)
	part := *e
	part.Layout, part.Start = lay, e.Start+off
	return part, err
}

// Parts calls f with parts of e that together contain each element once, and with the selection of each part. The bytes
// to request for a part, and their extent, are limited. If f returns an error because the system has no memory for the
// extent, Parts calls it again with halves of the part.
func (e *Elements) Parts(f func(part *Elements, sel []index.Selector) error) error {
	return e.partsBetween(make([]int, e.Layout.NDim()), e.Layout.Shape(), f)
}

// partsBetween is Parts for the elements from position lo to position hi along each axis.
func (e *Elements) partsBetween(lo, hi []int, f func(part *Elements, sel []index.Selector) error) error {
	sel := make([]index.Selector, len(lo))
	for axis := range sel {
		sel[axis] = index.Range(lo[axis], hi[axis])
	}
	part := nd.Must(e.Select(sel...))
	first, end := part.Layout.Bounds(part.DType.ItemSize())
	one := part.Layout.Size() < 2
	if one || part.pages() <= MaxPages && end-first <= MaxExtent {
		err := f(&part, sel)
		if one || !errors.Is(err, errNoAddresses) {
			return err
		}
	}
	axis := strided.HalvedAxis(strided.Piece{Layout: part.Layout, ItemSize: part.DType.ItemSize()})
	mid := slices.Clone(lo)
	mid[axis] = lo[axis] + part.Layout.Len(axis)/2
	low := slices.Clone(hi)
	low[axis] = mid[axis]
	if err := e.partsBetween(lo, low, f); err != nil {
		return err
	}
	return e.partsBetween(mid, hi, f)
}

// Requests returns the number of requests that Fetch makes for the Parts of e, and the number of bytes that it
// requests.
func (e *Elements) Requests() (n int, bytes int64) {
	e.Parts(func(part *Elements, _ []index.Selector) error {
		part.eachRequest(func(_, size int) bool {
			n++
			bytes += int64(size)
			return true
		})
		return nil
	})
	return n, bytes
}

// pages returns the approximate number of bytes in the pages that the requested bytes of e would take.
func (e *Elements) pages() int { return strided.RangePages(e.Layout, e.DType.ItemSize(), e.Gap) }

// eachRequest calls f with the offset and the size of each request for e, until f returns false.
func (e *Elements) eachRequest(f func(off, n int) bool) {
	strided.EachRange(e.Layout, e.DType.ItemSize(), e.Gap, func(off, n int) (more bool) {
		for more = true; n > 0 && more; off, n = off+MaxRequest, n-MaxRequest {
			more = f(e.Start+off, min(n, MaxRequest))
		}
		return more
	})
}

// New returns an array in new Go memory for the elements of e. Its axes are in the order of those in R.
func (e *Elements) New() (nd.View, error) {
	size := e.DType.ItemSize()
	lay, err := e.Layout.Compact(size, index.K)
	if err != nil {
		return nd.View{}, fmt.Errorf("%s%w", nd.Prefix(e.Path), err)
	}
	n := lay.Size() * size
	room, err := mmap.Anonymous(n) // no memory is an error here, and the end of the program in make
	if err != nil {
		return nd.View{}, fmt.Errorf("%sno memory for shape %s of %v: %w; read parts of it, or use ReadInto",
			nd.Prefix(e.Path), nd.Tuple(lay.Shape()), e.DType, err)
	}
	room.Close()
	return nd.OnBytes(strided.Alloc(n), e.DType, lay)
}

// Fetch requests the elements of e. It returns them in memory of their own, with the strides of e. The function free
// returns the memory to the system.
func (e *Elements) Fetch(ctx context.Context) (v nd.View, free func(), err error) {
	v, release, err := e.reserve(nil)
	if err != nil {
		return nd.View{}, nil, err
	}
	mem := v.Store.Mem
	base := e.Start - strided.Distance(v.P, mem.Base) // offset of the memory in the file
	b := strided.Slice[byte](mem.Base, mem.Size)
	fetched := false
	defer func() { // even after a panic of R
		if !fetched {
			release()
		}
	}()
	if err := e.request(ctx, func(off, n int) []byte { return b[off-base:][:n:n] }); err != nil {
		return nd.View{}, nil, err
	}
	fetched = true
	return v, release, nil
}

// OnDemand returns the elements of e as an array whose pieces are fetched when the pass asks for them: see the field
// Fetch of [strided.Memory]. If e is small, it is fetched at once. After an error of a fetch, the pass has nothing to
// work on, and fail has been called with the error.
func (e *Elements) OnDemand(ctx context.Context, fail func(error)) (v nd.View, free func(), err error) {
	if e.pages() <= MaxPages/16 {
		return e.Fetch(ctx)
	}
	slots := make(chan struct{}, e.Parallel)
	return e.reserve(func(p strided.Piece, start int) (strided.Pointer, func()) {
		part := *e
		part.Layout, part.Start, part.slots = p.Layout, start, slots
		fetched, free, err := part.Fetch(ctx)
		if err != nil {
			fail(err)
			return nil, nil
		}
		return fetched.P, free
	})
}

// errNoAddresses reports that the process has no addresses for the extent of an array.
var errNoAddresses = errors.New("too few addresses")

// reserve returns an array with the layout of e in new memory, in which an element has the same address, modulo the
// size of a page, as in a mapped file. The memory is zero and takes no pages. The function free returns it to the
// system. fetch, if it is not nil, becomes the Fetch of the memory, with the offset of the first element in the file.
func (e *Elements) reserve(fetch func(p strided.Piece, start int) (strided.Pointer, func())) (v nd.View, free func(),
	err error) {
	const page = 4096
	lo, hi := e.Layout.Bounds(e.DType.ItemSize())
	margin := (e.Start + lo) % page
	m, err := mmap.Anonymous(hi - lo + margin)
	if err != nil {
		return nd.View{}, nil, fmt.Errorf("%s%w: %w", nd.Prefix(e.Path), errNoAddresses, err)
	}
	b := m.Bytes()
	if b == nil {
		b = []byte{}
	}
	mem := strided.Memory{Path: e.Path, Base: strided.Start(b), Size: len(b), ReadOnly: true}
	if fetch != nil {
		mem.Gap = e.Gap
		mem.Fetch = func(p strided.Piece) (strided.Pointer, func()) {
			return fetch(p, e.Start+lo-margin+strided.Distance(p.P, mem.Base))
		}
	}
	v, err = new(nd.Backing).Init(mem, e.DType, margin-lo, e.Layout)
	return v, func() { m.Close() }, err
}

// request makes the requests for e, several at a time, and stores the bytes in the slices that at returns. It returns
// the first error.
func (e *Elements) request(ctx context.Context, at func(off, n int) []byte) error {
	type span struct{ off, n int }
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	spans := make(chan span)
	var workers strided.Group
	for range e.Parallel {
		workers.Go(func() {
			for s := range spans {
				if err := e.readAt(ctx, at(s.off, s.n), s.off); err != nil {
					cancel(err)
				}
			}
		}, func() { cancel(nil) })
	}
	e.eachRequest(func(off, n int) bool {
		select {
		case spans <- span{off, n}:
			return true
		case <-ctx.Done():
			return false
		}
	})
	close(spans)
	workers.Wait()
	return readat.Cause(ctx)
}

// readAt requests the bytes of b at byte off.
func (e *Elements) readAt(ctx context.Context, b []byte, off int) error {
	if e.slots != nil {
		e.slots <- struct{}{}
		defer func() { <-e.slots }()
	}
	n, err := readat.Read(ctx, e.R, b, int64(off))
	if n == len(b) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%sread bytes %d to %d: %w", nd.Prefix(e.Path), off, off+len(b), err)
}

// Ahead returns an iterator over the results of read for n positions, step at a time. read is called in another
// goroutine, for the next positions while the loop works on a result. When the loop ends, the context of read is done.
// The iterator ends after an error.
func Ahead[T any](ctx context.Context, n, step int, read func(ctx context.Context, lo, hi int) (T, error)) iter.Seq2[T,
	error] {
	type result struct {
		v   T
		err error
	}
	return func(yield func(T, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		next, stop := make(chan result), make(chan struct{})
		var reading strided.Group
		defer reading.Wait()
		defer cancel()
		defer close(stop)
		reading.Go(func() {
			defer close(next)
			for lo, hi := 0, 0; lo < n; lo = hi {
				hi = lo + min(step, n-lo)
				v, err := read(ctx, lo, hi)
				select {
				case next <- result{v, err}:
				case <-stop:
					return
				}
				if err != nil {
					return
				}
			}
		}, func() {})
		for r := range next {
			if !yield(r.v, r.err) {
				return
			}
		}
	}
}
