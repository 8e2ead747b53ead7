// Package sorting sorts the elements of an array, finds the greatest or least ones, and finds the distinct ones.
//
// It sorts items: words with 32 bits of a key above the position of an element. Items are all different, so that any
// sort of them is a stable sort of the elements. [ArgSort] partitions the items of all elements by the highest bits of
// their keys, on all cores, and sorts the groups, one on each core, by the lower bits. If keys have more than 32 bits,
// or elements have several keys, it continues with groups of equal items.
package sorting

import (
	"errors"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// ArgSort returns the positions of the elements of p, which has one dimension, in the order of their keys. Equal
// elements keep their order.
//
// It needs 16 bytes for each element, the result included, and 2 MiB for each goroutine.
func ArgSort(p strided.Piece, keys *Keys) ([]int, error) {
	order := make([]int, p.Layout.Len(0))
	return order, argSort(order, p, keys)
}

// ErrChanged reports that elements changed while they were sorted.
var ErrChanged = errors.New("the elements changed while they were sorted")

// argSort stores the result of ArgSort in order.
func argSort(order []int, p strided.Piece, keys *Keys) error {
	n := len(order)
	if n > maxItems {
		return mergeHalves(order, p, keys)
	}
	var items []uint64
	if strconv.IntSize == 64 {
		items = strided.Slice[uint64](strided.Start(strided.Bytes(order)), n)
	} else {
		items = make([]uint64, n)
	}
	s := newSorter(p, keys, items)
	done, err := s.sortSorted(), error(nil)
	if !done {
		done, err = s.sortNearlySorted()
	}
	if !done && err == nil {
		err = s.sort(group{hi: n})
	}
	if err != nil || strconv.IntSize == 64 {
		return err
	}
	for i, item := range items {
		order[i] = int(item)
	}
	return nil
}

// mergeHalves sorts the halves of p, and merges them.
func mergeHalves(order []int, p strided.Piece, keys *Keys) error {
	n, stride := len(order), p.Layout.Stride(0)
	half := n / 2
	for _, r := range [][2]int{{0, half}, {half, n}} {
		part := p
		part.Layout = nd.Must(index.Strided([]int{r[1] - r[0]}, []int{stride}))
		part.P = strided.Add(p.P, r[0]*stride)
		if err := argSort(order[r[0]:r[1]], part, keys); err != nil {
			return err
		}
	}
	for i := range order[half:] {
		order[half+i] += half
	}
	left, right := slices.Clone(order[:half]), order[half:]
	for i := range order[:n] {
		if len(left) > 0 && (len(right) == 0 || keys.compare(p, left[0], right[0]) <= 0) {
			order[i], left = left[0], left[1:]
		} else if len(right) > 0 {
			order[i], right = right[0], right[1:]
		}
	}
	return nil
}

// A sorter sorts the items of the elements of a piece, in a. In the end, these are positions.
type sorter struct {
	strided.Piece
	*Keys
	a, b    []uint64  // b is scratch memory; nil until it is needed
	small   int       // the maximum number of elements of a group that one goroutine sorts
	workers sync.Pool // of *worker
}

func newSorter(p strided.Piece, keys *Keys, items []uint64) *sorter {
	s := &sorter{Piece: p, Keys: keys, a: items}
	s.small = min(max(len(items)/(4*runtime.GOMAXPROCS(0)), minSmall), maxSmall)
	s.workers.New = func() any { return new(worker) }
	return s
}

// stride returns the distance between elements in bytes.
func (s *sorter) stride() int { return s.Layout.Stride(0) }

// positionBits are the bits of an item that contain the position of an element.
const positionBits = math.MaxUint32

// newItem returns the item of an element, from 32 bits of a key and the position.
func newItem(key uint64, position int) uint64 { return key<<32 | uint64(position) }

// position returns the position of the element of an item.
func position(item uint64) int { return int(item & positionBits) }

// A group is a range of the result that is yet to be sorted. Its elements are known: they are smaller than the elements
// of later groups.
type group struct {
	lo, hi int
	in     place // the place of its items
	column int   // the number of the key to sort by

	keyed bool // the items contain bits of that key
	exact bool // the bits that the items of this group do not contain are equal
}

// A place is the memory that contains the items of a group.
type place uint8

const (
	nowhere place = iota // there are no items yet: element i of the group is element i of the array
	inA
	inB
)

func (g *group) len() int { return g.hi - g.lo }

// next returns the group with the key to sort by if all items of g have equal bits. It returns false if its elements
// are equal.
func (s *sorter) next(g group) (group, bool) {
	if !g.keyed || g.exact {
		g.column++
	}
	g.keyed, g.exact = false, false
	return g, g.column < s.count
}

// items returns the items of g, or nil if there are none yet.
func (s *sorter) items(g group) []uint64 {
	switch g.in {
	case inA:
		return s.a[g.lo:g.hi]
	case inB:
		return s.b[g.lo:g.hi]
	}
	return nil
}

// keysIn sets dst to the keys of the elements of g, starting with number first of g.
func (s *sorter) keysIn(dst []uint64, g group, first int) {
	switch items := s.items(g); {
	case g.keyed:
		for k := range dst {
			dst[k] = items[first+k] >> 32
		}
	case items != nil:
		s.keys(dst, elements{items[first:], s.P, s.stride(), positionBits}, g.column)
	default:
		s.keys(dst, elements{p: strided.Add(s.P, first*s.stride()), stride: s.stride()}, g.column)
	}
}

// store stores the positions of the elements of g from number from to to-1, which are sorted, in the result.
func (s *sorter) store(g group, from, to int) {
	dst, items := s.a[g.lo:], s.items(g)
	for i := from; i < to; i++ {
		if items == nil {
			dst[i] = uint64(i)
		} else {
			dst[i] = uint64(position(items[i]))
		}
	}
}

const (
	// chunkElements is the number of keys that a loop loads at a time, so that they stay in the first cache.
	chunkElements = 1 << 10

	// partitionBits is the maximum number of bits by which a pass partitions elements.
	partitionBits = 8

	// maxSmall is the maximum number of elements of a group that one goroutine sorts. Such a group and its scratch memory
	// fit in the cache of a core.
	maxSmall = 1 << 18
)

// Tests lower these numbers.
var (
	// maxItems is the maximum number of items, whose positions have 32 bits.
	maxItems = int(min(math.MaxUint32, uint64(math.MaxInt)))

	// minSmall is the number of elements that is not worth starting goroutines.
	minSmall = 1 << 14

	// partElements is the maximum number of elements of a part of a pass.
	partElements = 1 << 16
)

// keyBits returns the number of bits to shift keys from lo to hi to the right, so that their differences to lo have 32
// bits, and the number of bits of the greatest difference.
func keyBits(lo, hi uint64) (shift, n int) {
	n = bits.Len64(hi - lo)
	shift = max(0, n-32)
	return shift, n - shift
}

// parts returns the number of parts of a pass through g.
func (s *sorter) parts(g group) int { return (g.len() + partElements - 1) / partElements }

// pass calls do with each part of a group of n elements: the number of the part, and its range of elements.
func (s *sorter) pass(g group, do func(k, lo, hi int)) {
	n := g.len()
	p := strided.Pass{Parts: s.parts(g)}
	if g.in == nowhere {
		s.readAhead(&p)
	}
	_ = p.Run(func(k int, _ *strided.Failure) error {
		do(k, strided.Bound(n, k, p.Parts), strided.Bound(n, k+1, p.Parts))
		return nil
	})
}

// readAhead makes p read the pages of each part in turn.
func (s *sorter) readAhead(p *strided.Pass) {
	if s.stride() >= 0 { // the parts follow each other in memory
		p.ReadAhead(s.Piece, p.Parts)
	}
}

// bounds returns the least and the greatest key of g.
func (s *sorter) bounds(g group) (lo, hi uint64) {
	all := make([][2]uint64, s.parts(g))
	s.pass(g, func(k, from, to int) {
		var keys [chunkElements]uint64
		lo, hi := ^uint64(0), uint64(0)
		for ; from < to; from += chunkElements {
			chunk := keys[:min(chunkElements, to-from)]
			s.keysIn(chunk, g, from)
			for _, key := range chunk {
				lo, hi = min(lo, key), max(hi, key)
			}
		}
		all[k] = [2]uint64{lo, hi}
	})
	lo = ^uint64(0)
	for _, part := range all {
		lo, hi = min(lo, part[0]), max(hi, part[1])
	}
	return lo, hi
}

// sort sorts g, on all cores.
func (s *sorter) sort(g group) error {
	if s.b == nil {
		s.b = make([]uint64, len(s.a))
	}
	if g.len() <= s.small {
		s.sortSmall([]group{g})
		return nil
	}
	lo, hi := s.bounds(g)
	for ok := true; lo == hi; lo, hi = s.bounds(g) {
		if g, ok = s.next(g); !ok {
			s.pass(g, func(_, from, to int) { s.store(g, from, to) })
			return nil
		}
	}
	groups, err := s.partition(g, lo, hi)
	if err != nil {
		return err
	}
	small := groups[:0]
	for _, g := range groups {
		if g.len() <= s.small {
			small = append(small, g)
		} else if err := s.sort(g); err != nil {
			return err
		}
	}
	s.sortSmall(small)
	return nil
}

// sortSmall sorts small groups, each on one core.
func (s *sorter) sortSmall(groups []group) {
	p := strided.Pass{Parts: len(groups)}
	_ = p.Run(func(k int, _ *strided.Failure) error {
		w := s.workers.Get().(*worker)
		defer s.workers.Put(w)
		s.sortAlone(w, groups[k])
		return nil
	})
}

// A digit selects the bits of keys by which a group is partitioned: (key-lo) >> shift >> low, of up to partitionBits
// bits. The items contain (key-lo) >> shift.
type digit struct {
	lo         uint64
	shift, low int
}

// counts holds, for each value of a digit, the number of items of a part with that value; later the index at which the
// first of them is stored.
type counts [1 << partitionBits]uint32

// partition moves the items of g, whose keys are from lo to hi, to the groups of items with equal highest bits. It
// returns these groups, or ErrChanged if the elements change meanwhile.
func (s *sorter) partition(g group, lo, hi uint64) ([]group, error) {
	shift, n := keyBits(lo, hi)
	d := digit{lo, shift, n - min(n, partitionBits)}
	parts := s.countValues(g, d)
	to := g
	to.in, to.keyed, to.exact = inA, true, g.exact || !g.keyed && shift == 0
	if g.in == inA {
		to.in = inB
	}
	var groups []group
	start := uint32(0)
	for value := range parts[0] {
		next := to
		next.lo = g.lo + int(start)
		for k := range parts {
			parts[k][value], start = start, start+parts[k][value]
		}
		if next.hi = g.lo + int(start); next.len() > 0 {
			groups = append(groups, next)
		}
	}
	return groups, s.scatter(s.items(to), g, d, parts)
}

// countValues returns the number of items of g with each value of d, for each part.
func (s *sorter) countValues(g group, d digit) []counts {
	parts := make([]counts, s.parts(g))
	s.pass(g, func(k, from, to int) {
		var keys [chunkElements]uint64
		for ; from < to; from += chunkElements {
			chunk := keys[:min(chunkElements, to-from)]
			s.keysIn(chunk, g, from)
			for _, key := range chunk {
				parts[k][uint8((key-d.lo)>>d.shift>>d.low)]++
			}
		}
	})
	return parts
}

// scatter stores the items of g in dst. The first item of part k with value v of d is stored at index parts[k][v].
func (s *sorter) scatter(dst []uint64, g group, d digit, parts []counts) error {
	items := s.items(g)
	var changed atomic.Bool
	s.pass(g, func(k, from, to int) {
		var keys [chunkElements]uint64
		next, ends := parts[k], endsOf(parts, k, len(dst))
		for ; from < to; from += chunkElements {
			chunk := keys[:min(chunkElements, to-from)]
			s.keysIn(chunk, g, from)
			for i, key := range chunk {
				item := uint64(from + i)
				if items != nil {
					item = items[from+i]
				}
				key = (key - d.lo) >> d.shift
				value := uint8(key >> d.low)
				at := next[value]
				if at >= ends[value] { // when they were counted, fewer items had this value
					changed.Store(true)
					return
				}
				dst[at] = newItem(key, position(item))
				next[value] = at + 1
			}
		}
	})
	if changed.Load() {
		return ErrChanged
	}
	return nil
}

// endsOf returns, for each value of a digit, the end of the items of part k among the n items of all parts.
func endsOf(parts []counts, k, n int) (ends counts) {
	if k+1 < len(parts) {
		return parts[k+1]
	}
	copy(ends[:], parts[0][1:])
	ends[len(ends)-1] = uint32(n)
	return ends
}
