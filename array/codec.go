package array

import (
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/kernel"
)

// A codec moves an element that is not one number between memory and the Go
// value: runs of bytes, numbers and booleans, each at the same offset on both
// sides. What is in no run is padding: it is not read, and not written.
type codec []run

// run is count items of size bytes at off. The bytes of the items of a swapped run
// are reversed, those of a boolean one made 0 or 1, and structures are moved by a
// codec of their own: how many of them an item has is up to the file, and the length
// of a codec must not be.
type run struct {
	off, size, count int
	swap, bool       bool
	each             codec // of structures, else nil
}

// add appends r; it makes one run of those that are the same and adjacent.
func (c *codec) add(r run) {
	if r.size == 1 {
		r.swap = false
	}
	if n := len(*c); n > 0 && !r.bool && r.each == nil {
		last := &(*c)[n-1]
		adjacent := last.off+last.size*last.count == r.off && last.each == nil
		switch {
		case adjacent && !last.bool && !last.swap && !r.swap:
			last.count, last.size = last.size*last.count+r.size*r.count, 1
			return
		case adjacent && last.swap && r.swap && last.size == r.size:
			last.count += r.count
			return
		}
	}
	*c = append(*c, r)
}

// addEach appends count items of size bytes at off, each of which has the codec each.
func (c *codec) addEach(off, size, count int, each codec) {
	if len(each) > 0 && count > 0 {
		c.add(run{off: off, size: size, count: count, each: each})
	}
}

// plain reports whether the bytes of an element are the Go value.
func (c codec) plain() bool {
	for _, r := range c {
		if r.swap || r.bool || !r.each.plain() {
			return false
		}
	}
	return true
}

func (c codec) move(dst, src []byte) {
	for _, r := range c {
		d, s := dst[r.off:r.off+r.size*r.count], src[r.off:r.off+r.size*r.count]
		switch {
		case r.each != nil:
			for i := 0; i < len(s); i += r.size {
				r.each.move(d[i:i+r.size], s[i:i+r.size])
			}
		case r.bool:
			for i, b := range s {
				d[i] = min(b, 1)
			}
		case !r.swap:
			copy(d, s)
		case len(s) > 0:
			kernel.Move(start(d), r.size, start(s), r.size, r.count, r.size, r.size)
		}
	}
}

// between is the codec from elements of s to those of d, which are the same but
// for the byte order of numbers.
func between(d, s dtype.DType) codec {
	var c codec
	c.addBetween(d, s, 0, 1)
	return c
}

func (c *codec) addBetween(d, s dtype.DType, off, count int) {
	switch d.Kind() {
	case dtype.KindStructured:
		if count != 1 {
			c.addEach(off, d.ItemSize(), count, between(d, s))
			return
		}
		for k := range d.NumField() {
			f := d.FieldAt(k)
			c.addBetween(f.Type, s.FieldAt(k).Type, off+f.Offset, 1)
		}
		return
	case dtype.KindSubarray:
		if n := d.Base().ItemSize(); n > 0 {
			c.addBetween(d.Base(), s.Base(), off, count*(d.ItemSize()/n))
		}
		return
	}
	if d.ItemSize() == 0 {
		return
	}
	r := run{off: off, size: d.ItemSize(), count: count, bool: d.Kind() == dtype.KindBool, swap: d.Order() != s.Order()}
	if r.swap {
		r.size, r.count = unit(d), count*d.ItemSize()/unit(d)
	}
	c.add(r)
}
