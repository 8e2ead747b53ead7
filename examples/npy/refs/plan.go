package refs

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/index"
)

// Plan plans references that present the sources as one array. There must be at least one source. If the sources do not
// fit, the error is an *[Error] that names the offending source.
func (cfg Config) Plan(sources []Source) (*Plan, error) { return cfg.plan(sources, MaxCopied) }

// plan implements Plan. copied is the maximum number of bytes to copy, which is MaxCopied except in tests.
func (cfg Config) plan(sources []Source, copied int) (*Plan, error) {
	p := &Plan{DType: sources[0].DType, joined: cfg.Join, split: -1}
	if err := p.setAxis(cfg.Axis, &sources[0]); err != nil {
		return nil, err
	}
	if err := p.check(sources); err != nil {
		return nil, err
	}
	p.Data = Array{Name: "data", Shape: slices.Clone(sources[0].Shape)}
	p.sources = sources
	switch cfg.Join {
	case Stack:
		p.Data.Shape = slices.Insert(p.Data.Shape, p.join, len(sources))
	case Concat:
		total := 0
		for i := range sources {
			n := sources[i].Shape[p.join]
			if n > math.MaxInt-total {
				return nil, &Error{sources[i].Name, fmt.Sprintf("the length along axis %d overflows int", p.join)}
			}
			total += n
		}
		p.Data.Shape[p.join] = total
		p.sources = slices.DeleteFunc(slices.Clone(sources), func(s Source) bool { return s.Shape[p.join] == 0 })
	}
	if slices.Contains(p.Data.Shape, 0) {
		for _, n := range p.Data.Shape {
			p.Data.Chunks = append(p.Data.Chunks, max(1, n))
		}
		return p, nil
	}
	if err := p.divide(cfg.Chunk, copied); err != nil {
		return nil, err
	}
	p.setMarks()
	return p, nil
}

// setAxis checks and sets the joined axis.
func (p *Plan) setAxis(axis int, first *Source) error {
	n := len(first.Shape)
	switch p.joined {
	case Single:
		return nil
	case Stack:
		n++
	case Concat:
		if n == 0 {
			return &Error{first.Name, "an array without dimensions cannot be concatenated; -stack 0 adds an axis"}
		}
	}
	if axis < -n || axis >= n {
		return &Error{first.Name, fmt.Sprintf("axis %d out of range for %d dimensions", axis, n)}
	}
	p.join = (axis + n) % n
	return nil
}

// check checks everything that does not depend on chunks, and sets the order.
func (p *Plan) check(sources []Source) error {
	first := &sources[0]
	var ordered *Source // the first source whose order makes a difference
	for i := range sources {
		s := &sources[i]
		fail := func(format string, args ...any) error { return &Error{s.Name, fmt.Sprintf(format, args...)} }
		if msg := checkDType(s.DType); msg != "" {
			return fail("%s", msg)
		}
		if !s.DType.Equal(first.DType) {
			return fail("dtype %v, but %s has %v; convert it with npy convert -dtype %[3]q", s.DType, first.Name,
				first.DType)
		}
		if !p.isJoinable(s.Shape, first.Shape) {
			return fail("shape %s does not fit %s, which has shape %s", words.Shape(s.Shape), first.Name,
				words.Shape(first.Shape))
		}
		if !utf8.ValidString(s.URL) {
			return fail("the path is not valid UTF-8, as JSON requires; rename the file")
		}
		switch {
		case hasOneOrder(s.Shape):
		case ordered == nil:
			ordered, p.Order = s, s.Order
		case s.Order != p.Order:
			return fail("order %v, but %s has %v; convert it with npy convert -order %[3]v", s.Order, ordered.Name,
				p.Order)
		}
	}
	return nil
}

// isJoinable reports whether a source of the given shape can be joined to the first source.
func (p *Plan) isJoinable(shape, first []int) bool {
	if len(shape) != len(first) {
		return false
	}
	for i, n := range shape {
		if n != first[i] && !(p.joined == Concat && i == p.join) {
			return false
		}
	}
	return true
}

// hasOneOrder reports whether an array of the given shape has the same layout in C and in Fortran order.
func hasOneOrder(shape []int) bool {
	long := 0
	for _, n := range shape {
		if n == 0 {
			return true
		}
		if n > 1 {
			long++
		}
	}
	return long <= 1
}

// memoryShape returns the lengths of the axes of a source in memory order, outermost first. For a source without axes
// it returns a single axis of length 1.
func (p *Plan) memoryShape(shape []int) []int {
	if len(shape) == 0 {
		return []int{1}
	}
	shape = slices.Clone(shape)
	if p.Order == index.F {
		slices.Reverse(shape)
	}
	return shape
}

// axis returns the axis of the result that corresponds to axis k of a source in memory order, or -1.
func (p *Plan) axis(k int) int {
	ndim := len(p.sources[0].Shape)
	if ndim == 0 {
		return -1
	}
	if p.Order == index.F {
		k = ndim - 1 - k
	}
	if p.joined == Stack && k >= p.join {
		k++
	}
	return k
}

// joinInMemory returns the number of the concatenated axis in memory order, or -1 if no axis is concatenated.
func (p *Plan) joinInMemory() int {
	switch {
	case p.joined != Concat:
		return -1
	case p.Order == index.F:
		return len(p.sources[0].Shape) - 1 - p.join
	}
	return p.join
}

// strides returns the number of bytes between adjacent elements along each axis. shape is in memory order.
func (p *Plan) strides(shape []int) []int {
	s := make([]int, len(shape))
	size := p.DType.ItemSize()
	for k := len(shape) - 1; k >= 0; k-- {
		s[k] = size
		size *= shape[k]
	}
	return s
}
