package elem

import (
	"errors"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/kernel"
)

// New returns the Codec that assigns elements of src to elements of dst, as
// array.Copy says. The error says why there is none, without the dtypes.
func New(dst, src dtype.DType) (Codec, error) {
	c := Codec{dsize: dst.ItemSize(), ssize: src.ItemSize()}
	same := dst.Kind() == src.Kind()
	switch {
	case dst.Equal(src):
		c.size = c.ssize
	case same && dst.WithOrder(dtype.Native).Equal(src.WithOrder(dtype.Native)):
		return between(dst, src, true), nil
	case same && dst.IsVariable():
		c.op = opText
		c.size = min(c.dsize, c.ssize)
		if dst.Order() != src.Order() {
			c.swap = 4
		}
	case same && isTime(dst) && !isGeneric(src):
		return c, errors.New("units of time are not converted; to copy the counts, Reinterpret one as the other")
	default:
		var ok1, ok2 bool
		c.from, ok1 = numberOf(src)
		c.to, ok2 = numberOf(dst)
		if !ok1 || !ok2 {
			return c, errors.New("there is no conversion between them")
		}
		c.setConversion(isTime(dst))
	}
	return c, nil
}

// setConversion makes c convert numbers. Times are converted to if times is true.
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
	case from.isComplex() && !to.isComplex() && to.num != kernel.Bool: // the real part
		from.num = from.part()
		from.size /= 2
		if from.num == to.num {
			c.size = to.size
			if from.swap != to.swap {
				c.swap = to.size
			}
			return
		}
	}
	c.op = opConvert
	c.times = times && from.num.IsFloat()
}

// between returns the Codec between two types whose values have the same Go value,
// or are the same but for their byte order: numbers of one size, blocks of bytes,
// and structures and blocks of these, field for field. Booleans become 0 or 1 if clean
// is true.
func between(dst, src dtype.DType, clean bool) Codec {
	c := Codec{dsize: dst.ItemSize(), ssize: src.ItemSize()}
	switch {
	case dst.Kind() == dtype.KindStructured:
		c.op = opFields
		for k := range dst.NumField() {
			d, s := dst.FieldAt(k), src.FieldAt(k)
			c.add(part{d.Offset, s.Offset, 1, between(d.Type, s.Type, clean)})
		}
	case dst.Kind() == dtype.KindSubarray && src.Kind() == dtype.KindSubarray && dst.Base().ItemSize() > 0:
		base := between(dst.Base(), src.Base(), clean)
		count := c.dsize / base.dsize
		if base.op == opMove {
			c.size, c.swap = c.dsize, base.swap
			break
		}
		c.op = opFields
		c.add(part{0, 0, count, base})
	case clean && dst.Base().Kind() == dtype.KindBool:
		c.op = opConvert
		c.from, _ = numberOf(dtype.Bool)
		c.to = c.from
	default:
		c.size = c.dsize
		if d, s := dst.Base().Order(), src.Base().Order(); d != s && d != dtype.NotApplicable && s != dtype.NotApplicable {
			c.swap = group(dst.Base())
		}
	}
	return c
}

// add appends p to the parts of a structure. Those that follow one another on both
// sides, and whose bytes are moved alike, become one.
func (c *Codec) add(p part) {
	if p.codec.op == opFields && len(p.codec.parts) == 0 || p.count == 0 || p.codec.dsize == 0 {
		return
	}
	if n := len(c.parts); n > 0 && p.codec.op == opMove {
		last := &c.parts[n-1]
		end := last.codec.size
		adjacent := last.codec.op == opMove && last.doff+end == p.doff && last.soff+end == p.soff
		if adjacent && max(1, last.codec.swap) == max(1, p.codec.swap) {
			size := end + p.codec.size
			last.codec = Codec{dsize: size, ssize: size, size: size, swap: p.codec.swap}
			return
		}
	}
	c.parts = append(c.parts, p)
}

// group returns how many bytes a change of byte order reverses together.
func group(d dtype.DType) int {
	switch d.Kind() {
	case dtype.KindUnicode:
		return 4
	case dtype.KindComplex:
		return d.ItemSize() / 2
	}
	return d.ItemSize()
}

func isTime(d dtype.DType) bool {
	return d.Kind() == dtype.KindDatetime || d.Kind() == dtype.KindTimedelta
}

// isGeneric reports whether the times of d are counts without a unit.
func isGeneric(d dtype.DType) bool {
	_, u := d.Unit()
	return u == dtype.Generic
}
