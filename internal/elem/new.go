package elem

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/kernel"
)

// New returns the Codec that assigns elements of dtype src to elements of dtype dst by the rules of array.Copy. If src
// cannot be converted to dst, the error says why, but does not name the dtypes.
func New(dst, src dtype.DType) (Codec, error) {
	c := Codec{dsize: dst.ItemSize(), ssize: src.ItemSize()}
	same := dst.Kind() == src.Kind()
	switch {
	case same && dst.Kind() == dtype.KindStructured:
		return structureCodec(dst, src)
	case same && dst.Kind() == dtype.KindSubarray:
		return subarrayCodec(dst, src)
	case dst.Equal(src):
		c.size = c.ssize
	case same && dst.WithByteOrder(dtype.Native).Equal(src.WithByteOrder(dtype.Native)):
		return goValueCodec(dst, src, true), nil
	case same && dst.IsVariable():
		c.op = opText
		c.size = min(c.dsize, c.ssize)
		if dst.ByteOrder() != src.ByteOrder() {
			c.swap = 4
		}
	case same && IsTime(dst) && !isGeneric(src):
		return c,
			errors.New("cannot convert between time units; to copy the counts, Reinterpret one array as the dtype of the other")
	case src.IsLongDouble():
		return longCodec(dst, src)
	default:
		var ok1, ok2 bool
		c.from, ok1 = numberOf(src)
		c.to, ok2 = numberOf(dst)
		if !ok1 || !ok2 {
			return c, errors.New("cannot convert between these dtypes")
		}
		c.setConversion(IsTime(dst))
	}
	return c, nil
}

// Same returns the same Codec as New(d, d). It does not link conversions into the program.
func Same(d dtype.DType) Codec { return goValueCodec(d, d, false) }

// Native returns the Codec that decodes numbers of dtype src to Go values. It does not link conversions into the
// program.
func Native(src dtype.DType) Codec { return goValueCodec(src.WithByteOrder(dtype.Native), src, true) }

// structureCodec returns the Codec that assigns the fields of src to the fields of dst, in order. Names and offsets
// do not
// matter.
func structureCodec(dst, src dtype.DType) (Codec, error) {
	if d, s := dst.NumField(), src.NumField(); d != s {
		return Codec{}, fmt.Errorf("cannot convert a structure of %d fields to one of %d; select the same number with Fields",
			s,
			d)
	}
	c := Codec{op: opFields, dsize: dst.ItemSize(), ssize: src.ItemSize()}
	for k := range dst.NumField() {
		d, s := dst.FieldAt(k), src.FieldAt(k)
		assign, err := New(d.Type, s.Type)
		if err != nil {
			return Codec{}, fmt.Errorf("cannot convert field %q, %v, to field %q, %v: %w", s.Name, s.Type, d.Name, d.Type, err)
		}
		c.add(part{d.Offset, s.Offset, 1, assign})
	}
	return c.simplified(), nil
}

// subarrayCodec returns the Codec for sub-arrays, which must have the same shape.
func subarrayCodec(dst, src dtype.DType) (Codec, error) {
	shape := dst.SubShape()
	if !slices.Equal(shape, src.SubShape()) {
		return Codec{}, errors.New("cannot convert between sub-arrays of different shapes")
	}
	base, err := New(dst.Base(), src.Base())
	c := Codec{op: opFields, dsize: dst.ItemSize(), ssize: src.ItemSize()}
	count := 1
	for _, n := range shape {
		count *= n
	}
	c.addBlock(count, base)
	return c.simplified(), err
}

// addBlock makes count consecutive values the only part of c.
func (c *Codec) addBlock(count int, base Codec) {
	if base.movesAllBytes() {
		base.dsize, base.ssize, base.size = count*base.dsize, count*base.ssize, count*base.size
		count = 1
	}
	c.add(part{0, 0, count, base})
}

// simplified returns the Codec of the only part of c if that part covers a whole element. Otherwise it returns c.
func (c Codec) simplified() Codec {
	if len(c.parts) == 1 {
		p := &c.parts[0]
		if p.count == 1 && p.doff == 0 && p.soff == 0 && p.codec.dsize == c.dsize && p.codec.ssize == c.ssize {
			return p.codec
		}
	}
	return c
}

// setConversion makes c convert numbers. times is true if the destination has times.
func (c *Codec) setConversion(times bool) {
	from, to := &c.from, &c.to
	switch {
	case from.num.IsInt() && to.num.IsInt() && to.size <= from.size: // the low bytes
		c.size = to.size
		if (dtype.Native == dtype.BigEndian) != (from.swap > 1) {
			c.skip = from.size - to.size
		}
		if (from.swap > 1) != (to.swap > 1) && to.size > 1 {
			c.swap = to.size
		}
		return
	case from.num.IsComplex() && !to.num.IsComplex() && to.num != kernel.Bool: // the real part
		from.num = realPart(from.num)
		from.size /= 2
		if from.num == to.num {
			c.size = to.size
			if from.swap != to.swap {
				c.swap = to.size
			}
			return
		}
	}
	c.op, c.kernels = opConvert, &ofNumbers
	c.times = times && (from.num.IsFloat() || from.num.IsModel())
}

// goValueCodec returns the Codec between a dtype and the dtype of its Go value, in either direction. These are numbers
// of the same size, blocks of bytes, sub-arrays, or structures. It matches the fields of structures by name and skips
// fields that only one of them has. If normalizeBools is true, bools become 0 or 1.
func goValueCodec(dst, src dtype.DType, normalizeBools bool) Codec {
	c := Codec{dsize: dst.ItemSize(), ssize: src.ItemSize()}
	switch {
	case dst.Kind() == dtype.KindStructured:
		c.op = opFields
		matched := 0
		for k := range dst.NumField() {
			d := dst.FieldAt(k)
			if s, ok := matchingField(src, d, k); ok {
				matched++
				p := part{d.Offset, s.Offset, 1, goValueCodec(d.Type, s.Type, normalizeBools)}
				c.partial = c.partial || p.codec.partial
				c.add(p)
			}
		}
		c.partial = c.partial || matched < max(dst.NumField(), src.NumField())
	case c.dsize > 0 && (isBlockOf(dst, src) || isBlockOf(src, dst)):
		d, s := withoutCommonAxes(dst, src)
		base := goValueCodec(d, s, normalizeBools)
		c.op, c.partial = opFields, base.partial
		c.addBlock(c.dsize/base.dsize, base)
		return c.simplified()
	case normalizeBools && dst.Base().Kind() == dtype.KindBool && src.Base().Kind() == dtype.KindBool:
		c.op, c.kernels = opConvert, &ofBools
		c.from, _ = numberOf(dtype.Bool)
		c.to = c.from
	default:
		c.size = c.dsize
		if d, s := dst.Base().ByteOrder(), src.Base().ByteOrder(); d != s && d != dtype.NotApplicable &&
			s != dtype.NotApplicable {
			c.swap = swapGroup(dst.Base())
		}
	}
	return c
}

// matchingField returns the field of d with the name or the title of f, a field of another structure. It tries field k
// of d first.
func matchingField(d dtype.DType, f dtype.Field, k int) (dtype.Field, bool) {
	if k < d.NumField() {
		if g := d.FieldAt(k); g.Name == f.Name {
			return g, true
		}
	}
	g, ok := d.Field(f.Name)
	if !ok && f.Title != "" {
		g, ok = d.Field(f.Title)
	}
	return g, ok
}

// movesAllBytes reports whether c moves all bytes of the source element to all bytes of the destination element.
func (c *Codec) movesAllBytes() bool { return c.op == opMove && c.size == c.dsize && c.size == c.ssize }

// add appends p to the parts of a structure. If p and the last part are adjacent on both sides, and their bytes move in
// the same way, it merges them.
func (c *Codec) add(p part) {
	if p.codec.op == opFields && len(p.codec.parts) == 0 || p.count == 0 || p.codec.dsize == 0 {
		return
	}
	if n := len(c.parts); n > 0 && p.codec.movesAllBytes() {
		last := &c.parts[n-1]
		end := last.codec.size
		adjacent := last.codec.movesAllBytes() && last.doff+end == p.doff && last.soff+end == p.soff
		if adjacent && max(1, last.codec.swap) == max(1, p.codec.swap) {
			size := end + p.codec.size
			last.codec = Codec{dsize: size, ssize: size, size: size, swap: p.codec.swap}
			return
		}
	}
	c.parts = append(c.parts, p)
}

// swapGroup returns the number of bytes in each group of bytes that a change of byte order reverses.
func swapGroup(d dtype.DType) int {
	switch d.Kind() {
	case dtype.KindUnicode:
		return 4
	case dtype.KindComplex:
		return d.ItemSize() / 2
	}
	return d.ItemSize()
}

// isGeneric reports whether elements of d are times without a unit.
func isGeneric(d dtype.DType) bool {
	_, u := d.Unit()
	return u == dtype.Generic
}
