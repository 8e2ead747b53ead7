package sorting

import (
	"math/bits"
	"slices"
)

// A worker holds the buffers of a goroutine.
type worker struct {
	keys   []uint64
	counts [maxDigits][1 << digitBits]uint32
}

const (
	// digitBits is the maximum number of bits of a digit of a radix sort, and maxDigits the number of digits of 32 bits.
	digitBits = 8
	maxDigits = 32 / digitBits

	// fewItems is the maximum number of items that are sorted by comparisons.
	fewItems = 256
)

// sortAlone sorts g in this goroutine.
func (s *sorter) sortAlone(w *worker, g group) {
	if g.len() == 0 {
		return
	}
	if !g.keyed {
		var ok bool
		if g, ok = s.setKeys(w, g); !ok {
			s.store(g, 0, g.len())
			return
		}
	}
	g = s.sortItems(w, g)
	next, ok := s.next(g)
	if !ok {
		s.store(g, 0, g.len())
		return
	}
	items := s.items(g)
	for lo := 0; lo < len(items); {
		hi := lo + 1
		for hi < len(items) && items[hi]>>32 == items[lo]>>32 {
			hi++
		}
		if hi-lo == 1 {
			s.store(g, lo, hi)
		} else {
			part := next
			part.lo, part.hi = g.lo+lo, g.lo+hi
			s.sortAlone(w, part)
		}
		lo = hi
	}
}

// setKeys makes the items of g with 32 bits of the first key in which its elements differ. It returns false if all
// elements are equal.
func (s *sorter) setKeys(w *worker, g group) (_ group, ok bool) {
	n := g.len()
	w.keys = slices.Grow(w.keys[:0], n)
	keys := w.keys[:n]
	s.keysIn(keys, g, 0)
	lo, hi := slices.Min(keys), slices.Max(keys)
	for lo == hi {
		if g, ok = s.next(g); !ok {
			return g, false
		}
		s.keysIn(keys, g, 0)
		lo, hi = slices.Min(keys), slices.Max(keys)
	}
	shift, _ := keyBits(lo, hi)
	if g.in == nowhere {
		g.in = inA
		for i := range s.items(g) {
			s.a[i] = uint64(i)
		}
	}
	items := s.items(g)
	for i, key := range keys {
		items[i] = newItem((key-lo)>>shift, position(items[i]))
	}
	g.keyed, g.exact = true, shift == 0
	return g, true
}

// sortItems sorts the items of g, and returns g with their new place.
func (s *sorter) sortItems(w *worker, g group) group {
	items := s.items(g)
	if len(items) <= fewItems {
		slices.Sort(items)
		return g
	}
	differ := uint64(0) // the bits of keys that differ
	for _, item := range items {
		differ |= item ^ items[0]
	}
	n := bits.Len64(differ >> 32)
	digits := (n + digitBits - 1) / digitBits
	if digits == 0 {
		return g
	}
	width := (n + digits - 1) / digits
	mask := uint64(1)<<width - 1
	counts := w.counts[:digits]
	clear(counts)
	for _, item := range items {
		key := item >> 32
		for d := range counts {
			counts[d][key&mask]++
			key >>= width
		}
	}
	other := group{lo: g.lo, hi: g.hi, in: inA}
	if g.in == inA {
		other.in = inB
	}
	scratch := s.items(other)
	for d := range counts {
		shift := 32 + d*width
		next := &counts[d]
		start := uint32(0)
		for i := range 1 << width {
			next[i], start = start, start+next[i]
		}
		for _, item := range items {
			digit := item >> shift & mask
			scratch[next[digit]] = item
			next[digit]++
		}
		items, scratch = scratch, items
		g.in, other.in = other.in, g.in
	}
	return g
}
