package source

import (
	"context"
	"fmt"
	"slices"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/view/internal/temp"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// Projections are kept in temporary files. When there are too many, or their files are too large, the least recently
// used ones are removed.
const (
	maxProjected   = 1 << 30 // default of Config.Projected
	maxProjections = 32
)

// An origin is the original array of a projection.
type origin struct {
	Projection
	array *Array
	shape []int // shape of array
}

// Projected returns the original array of the projection a, and the operation. of is nil if a is not a projection.
func (a *Array) Projected() (of *Array, p Projection) {
	if a.of == nil {
		return nil, p
	}
	return a.of.array, a.of.Projection
}

// A Projecting is a projection to be computed.
type Projecting struct {
	set    *Set
	lease  *Lease
	of     origin
	src    array.Array // elements to be combined
	dtype  dtype.DType // of the results
	shape  []int
	nbytes int64
}

// Project prepares the projection p of an array. field is the field p.Field of l, which is a lease of a. l must not be
// closed before Compute returns.
func (a *Array) Project(l *Lease, field array.Array, p Projection) (*Projecting, error) {
	q := &Projecting{set: a.set, lease: l, of: origin{p, a, slices.Clone(l.Shape())}}
	var err error
	if q.src, q.dtype, q.shape, err = p.selectFrom(field); err != nil {
		return nil, err
	}
	most := a.set.cfg.Projected
	_, size, err := index.Size(q.shape, q.dtype.ItemSize())
	if q.nbytes = int64(size); err != nil || q.nbytes > most {
		return nil,
			fmt.Errorf("the projection would have shape %v and dtype %v: want at most %d bytes; project another axis, too, or show the index",
				q.shape, q.dtype, most)
	}
	return q, nil
}

// Compute returns the id of the projection. It computes the projection unless it has been computed before. It calls
// progress with the fraction of the work done, and stops if progress returns an error.
func (q *Projecting) Compute(ctx context.Context, progress func(float64) error) (id string, err error) {
	s := q.set
	id = hash(fmt.Sprintf("\x00projection %s %d %q %v %v", q.of.array.ID, q.lease.Version, q.of.Field, q.of.Op,
		q.of.Along))
	if s.has(id) {
		return id, nil
	}
	if err := s.reserve(q.nbytes); err != nil {
		return "", err
	}
	g := &generation{set: s, path: q.of.array.Path, order: index.C, projected: id, size: q.nbytes}
	if g.temp, err = temp.Create(mmap.Config{}, q.dtype, index.C, q.shape...); err == nil {
		g.array = g.temp.Array
		err = mmap.Guard(func() error { return q.of.compute(ctx, g.array, q.src, q.lease.Far, progress) })
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || s.arrays[id] != nil { // another request may have computed the same projection
		g.close()
		return id, err
	}
	g.advise()
	s.open = append(s.open, g)
	from := q.of.array
	s.arrays[id] = &Array{ID: id, Name: from.Name, Path: from.Path, Member: from.Member, set: s, of: &q.of, gen: g,
		version: 1, status: OK}
	return id, nil
}

// has reports whether the projection id can be used, and marks it as used.
func (s *Set) has(id string) bool {
	a, err := s.Array(id)
	if err != nil {
		return false
	}
	l, err := a.Use()
	if err != nil {
		return false
	}
	l.Close()
	return true
}

// reserve makes room for a projection of n bytes.
func (s *Set) reserve(n int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	bytes, count := s.projected+n-s.cfg.Projected, s.projections+1-maxProjections // to be removed
	for _, g := range s.open {
		if g.projected != "" && !g.dropped && (bytes > 0 || count > 0) {
			g.dropped = true
			delete(s.arrays, g.projected)
			bytes, count = bytes-g.size, count-1
		}
	}
	s.evict(maxOpen, s.cfg.Inflate)
	if s.projected+n > s.cfg.Projected || s.projections == maxProjections {
		return fmt.Errorf("the space for projections is in use, and another %d bytes are needed; try again", n)
	}
	s.projected += n
	s.projections++
	return nil
}

// describe returns the description of the original array. It omits the values along projected axes. Results that are
// not elements of the array have no labels.
func (o *origin) describe() (*Description, error) {
	d, err := o.array.Describe(o.shape)
	for _, x := range o.Along {
		if x.Axis < len(d.Axes) {
			d.Axes[x.Axis] = Axis{Name: d.Axes[x.Axis].Name, Unit: d.Axes[x.Axis].Unit}
		}
	}
	if o.Op != array.OpMin && o.Op != array.OpMax {
		d.Labels = nil
	}
	return d, err
}
