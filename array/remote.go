package array

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/fetch"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/internal/readat"
	"github.com/ndmap/ndmap/internal/strided"
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

	h    npy.Header     // of the file
	elem fetch.Elements // without Gap and Parallel; see elements
}

// OpenReaderAt reads the header of the .npy file in r, which has size bytes, and no elements. For the errors see
// [Open]; errors of r name the bytes that were requested.
func OpenReaderAt(r io.ReaderAt, size int64) (*Remote, error) {
	a := newRemote(r)
	head, err := fetch.Head(r, size)
	if err != nil {
		return nil, err
	}
	if a.h, err = npy.Parse(head, 0); err == nil {
		err = a.h.Within(size)
	}
	if err != nil {
		return nil, formatError(a.elem.Path, err)
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
		return nil, fmt.Errorf("%s%w", nd.Prefix(a.elem.Path), err)
	case offset > math.MaxInt-int64(a.h.NBytes):
		return nil, fmt.Errorf("%sdata at byte %d: its end overflows int: %w", nd.Prefix(a.elem.Path), offset,
			errors.ErrUnsupported)
	case offset < 0 || offset > size || int64(a.h.NBytes) > size-offset:
		return nil, fmt.Errorf("%sdata at byte %d: %w: shape %s of %v takes %d bytes, but the file has %d bytes",
			nd.Prefix(a.elem.Path), offset, ErrShape, nd.Tuple(shape), d, a.h.NBytes, size)
	}
	a.h.DataOffset = int(offset)
	return a, a.setLayout()
}

func newRemote(r io.ReaderAt) *Remote {
	return &Remote{elem: fetch.Elements{R: r, Path: readat.Name(r)}}
}

// setLayout sets the array to the whole array of the header.
func (a *Remote) setLayout() (err error) {
	a.elem.DType, a.elem.Start = a.h.DType, a.h.DataOffset
	if a.elem.Layout, err = index.NewLayout(a.h.Shape, a.h.DType.ItemSize(), a.h.Order); err != nil {
		return fmt.Errorf("%s%w", nd.Prefix(a.elem.Path), err)
	}
	return nil
}

// DType returns the type of the elements.
func (a *Remote) DType() dtype.DType { return a.elem.DType }

// NDim returns the number of axes.
func (a *Remote) NDim() int { return a.elem.Layout.NDim() }

// Len returns the length of an axis.
func (a *Remote) Len(axis int) int { return a.elem.Layout.Len(axis) }

// Shape returns the length of each axis, in a new slice.
func (a *Remote) Shape() []int { return a.elem.Layout.Shape() }

// Layout returns the shape and the strides in the file.
func (a *Remote) Layout() index.Layout { return a.elem.Layout }

// Size returns the number of elements.
func (a *Remote) Size() int { return a.elem.Layout.Size() }

// NBytes returns the number of bytes of the elements.
func (a *Remote) NBytes() int { return a.Size() * a.elem.DType.ItemSize() }

// Order returns the order of the elements in the file, C or F.
func (a *Remote) Order() index.Order { return a.h.Order }

// Version returns the version of the .npy format, or 0, 0 without a header.
func (a *Remote) Version() (major, minor int) { return int(a.h.Version[0]), int(a.h.Version[1]) }

// DataOffset returns the offset of the first element of the file, in bytes.
func (a *Remote) DataOffset() int64 { return int64(a.h.DataOffset) }

// Select returns a part of a; see [Array.Select].
func (a *Remote) Select(sel ...index.Selector) (*Remote, error) {
	return a.derive(a.elem.Layout.Select(sel...))
}

// Index returns a at position i of the first axis; see [Array.Index].
func (a *Remote) Index(i int) *Remote {
	lay, off := a.elem.Layout.Index(i)
	return nd.Must(a.derive(lay, off, nil))
}

// T returns a with its axes reversed; see [Array.T].
func (a *Remote) T() *Remote { return nd.Must(a.Transpose()) }

// Transpose returns a with its axes in another order; see [Array.Transpose].
func (a *Remote) Transpose(axes ...int) (*Remote, error) {
	lay, err := a.elem.Layout.Transpose(axes...)
	return a.derive(lay, 0, err)
}

// Field returns a field of a structured array; see [Array.Field].
func (a *Remote) Field(name string) (*Remote, error) {
	part := *a
	for rest, more := name, true; more; {
		var f dtype.Field
		var err error
		if f, rest, more, err = cutField(part.elem.DType, rest); err != nil {
			return nil, nd.OfKind(fmt.Errorf("%sno field %q in dtype %v", nd.Prefix(a.elem.Path), name, part.elem.DType),
				ErrDType)
		}
		if part.elem.DType, part.elem.Layout, err = nd.FieldLayout(part.elem.Layout, f); err != nil {
			return nil, fmt.Errorf("%s%w", nd.Prefix(a.elem.Path), err)
		}
		part.elem.Start += f.Offset
	}
	return &part, nil
}

// derive returns a with another layout. The first element is off bytes after the first element of a.
func (a *Remote) derive(lay index.Layout, off int, err error) (*Remote, error) {
	if err != nil {
		return nil, fmt.Errorf("%s%w", nd.Prefix(a.elem.Path), err)
	}
	part := *a
	part.elem.Layout, part.elem.Start = lay, a.elem.Start+off
	return &part, nil
}

// elements returns the elements to request. The values of Gap and Parallel, or their defaults, are in effect.
func (a *Remote) elements() *fetch.Elements {
	e := a.elem
	e.Gap = 64 << 10
	if a.Gap != 0 {
		e.Gap = min(max(a.Gap, 0), math.MaxInt-1)
	}
	e.Parallel = cmp.Or(max(a.Parallel, 0), 8)
	return &e
}

// Requests returns the number of requests that Read and ReadInto make, and the number of bytes that they request. Each
// byte is requested once. Requests takes time in proportion to n.
func (a *Remote) Requests() (n int, bytes int64) { return a.elements().Requests() }

// Read returns the elements of a in new Go memory. The axes are in the order of the file. If ctx is done, the error
// wraps context.Cause(ctx).
func (a *Remote) Read(ctx context.Context) (Array, error) {
	v, err := a.elem.New()
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
	if !dst.view.Layout.SameShape(a.elem.Layout) {
		return fmt.Errorf("%s%w: cannot read shape %s into shape %s", nd.Prefix(a.elem.Path), ErrShape, nd.Tuple(a.Shape()),
			nd.Tuple(dst.Shape()))
	}
	if dst.ReadOnly() {
		return fmt.Errorf("%s%w", nd.Prefix(to.Mem.Path), ErrReadOnly)
	}
	if _, err := nd.Assignment(to, nd.NewStorage(&strided.Memory{Path: a.elem.Path}, a.elem.DType)); err != nil {
		return err
	}
	return a.elements().Parts(func(part *fetch.Elements, sel []index.Selector) error {
		fetched, free, err := part.Fetch(ctx)
		if err != nil {
			return err
		}
		defer free()
		return Copy(nd.Must(dst.Select(sel...)), Array{fetched})
	})
}

// Rows returns an iterator over the rows of a, n at a time. A row is the elements at one index of the first axis. While
// the loop works on rows, which stay valid, the next ones are read. The iterator ends after an error. Rows panics if n
// < 1 or a has no axes.
func (a *Remote) Rows(ctx context.Context, n int) iter.Seq2[Array, error] {
	if n < 1 || a.NDim() == 0 {
		panic(nd.Misuse(fmt.Sprintf("%sRows: %d rows at a time of shape %s; want 1 or more, of 1 or more axes",
			nd.Prefix(a.elem.Path), n, nd.Tuple(a.Shape())), ErrShape))
	}
	return fetch.Ahead(ctx, a.Len(0), n, func(ctx context.Context, lo, hi int) (Array, error) {
		return nd.Must(a.Select(index.Range(lo, hi))).Read(ctx)
	})
}

// OfRemote is like [Reduction.Of] for the elements of src, with a result of the same bits. It requests each part of the
// elements once, and needs memory for a part of about 16 MiB in each of GOMAXPROCS goroutines. If the process has too
// few addresses for the extent of src, the error is the system's: reduce parts of src. OpMedian and OpQuantile are
// not supported: Read the elements first.
func (r Reduction) OfRemote(ctx context.Context, src *Remote) (Array, error) {
	if r.Op == OpMedian || r.Op == OpQuantile {
		return Array{}, fmt.Errorf("%s%v needs all elements: %w; Read them, or ReadInto a file", nd.Prefix(src.elem.Path),
			r.Op,
			errors.ErrUnsupported)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	v, free, err := src.elements().OnDemand(ctx, cancel)
	if err != nil {
		return Array{}, err
	}
	defer free()
	report := r.Progress
	r.Progress = func(done, total int64) error {
		if err := readat.Cause(ctx); err != nil || report == nil {
			return err
		}
		return report(done, total)
	}
	result, err := r.Of(Array{v})
	if cause := readat.Cause(ctx); cause != nil {
		return Array{}, cause
	}
	return result, err
}
