package sorting

import (
	"errors"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/ndmap/ndmap/internal/strided"
)

const (
	// A nearly sorted array has at most one outlier in outlierRate elements.
	outlierRate = 64

	// window is the number of elements on either side that decide which of two elements is an outlier.
	window = 8
)

// errTooMany ends the search for outliers.
var errTooMany = errors.New("too many outliers")

// sortSorted reports whether the elements are in ascending order. If so, their positions are the result.
func (s *sorter) sortSorted() bool {
	if s.count != 1 {
		return false
	}
	n := len(s.a)
	var descends atomic.Bool
	s.pass(group{hi: n}, func(_, from, to int) {
		var buf [chunkElements + 1]uint64
		for ; from < to && !descends.Load(); from += chunkElements {
			keys := buf[:min(chunkElements+1, n-from)] // with the first key of the next chunk
			s.keysIn(keys, group{hi: n}, from)
			if !isSorted(keys) {
				descends.Store(true)
			}
			s.store(group{hi: n}, from, min(from+chunkElements, to))
		}
	})
	return !descends.Load()
}

// sortNearlySorted sorts the elements if all except a few, the outliers, are in ascending order. It sorts the outliers,
// and merges them with the regular elements. It returns false if it has done nothing.
func (s *sorter) sortNearlySorted() (done bool, err error) {
	if s.count != 1 {
		return false, nil
	}
	if s.itemSize <= 2 {
		return false, nil // partitioning by one or two digits is faster than merging outliers
	}
	outliers, ok := s.outliers(len(s.a) / outlierRate)
	if !ok {
		return false, nil
	}
	m := &merge{sorter: s, outliers: outliers, sorted: slices.Clone(outliers)}
	few := newSorter(s.Piece, s.Keys, m.sorted)
	if err := few.sort(group{hi: len(outliers), in: inA}); err != nil {
		return false, err
	}
	m.run()
	return true, nil
}

// outliers returns the positions, in ascending order, of elements without which the elements are in ascending order. It
// returns false if it finds more than limit.
func (s *sorter) outliers(limit int) (outliers []uint64, ok bool) {
	n := len(s.a)
	type element struct {
		key      uint64
		position int
	}
	var tail []element // the last elements that are not outliers, in ascending order
	kept := 0          // the number of all elements that are not outliers
	var buf [chunkElements]uint64
	p := strided.Pass{Parts: (n + partElements - 1) / partElements, InTurn: true}
	s.readAhead(&p)
	err := p.Run(func(k int, _ *strided.Failure) error {
		from, to := strided.Bound(n, k, p.Parts), strided.Bound(n, k+1, p.Parts)
		for ; from < to; from += chunkElements {
			keys := buf[:min(chunkElements, to-from)]
			s.keysIn(keys, group{hi: n}, from)
			i := 0
			if (len(tail) == 0 || tail[len(tail)-1].key <= keys[0]) && isSorted(keys) {
				i = max(0, len(keys)-window)
				kept += i
			}
			for ; i < len(keys); i++ {
				key, after := keys[i], len(tail)
				for after > 0 && tail[after-1].key > key {
					after--
				}
				switch greater := len(tail) - after; {
				case greater == 0:
				case after == 0 && kept > len(tail), // there may be more of them before the tail
					isMajority(keys[i+1:min(len(keys), i+1+window)], tail[len(tail)-1].key):
					outliers = append(outliers, uint64(from+i))
					continue
				default:
					for _, e := range tail[after:] {
						outliers = append(outliers, uint64(e.position))
					}
					tail, kept = tail[:after], kept-greater
				}
				if len(tail) == window {
					copy(tail, tail[1:])
					tail = tail[:window-1]
				}
				tail, kept = append(tail, element{key, from + i}), kept+1
			}
			if len(outliers) > limit {
				return errTooMany
			}
		}
		return nil
	})
	slices.Sort(outliers)
	return outliers, err == nil
}

// isSorted reports whether keys are in ascending order.
func isSorted(keys []uint64) bool {
	descents := uint64(0)
	for i, key := range keys[1:] {
		if key < keys[i] {
			descents++
		}
	}
	return descents == 0
}

// isMajority reports whether at least half of keys are at least as great as key.
func isMajority(keys []uint64, key uint64) bool {
	n := 0
	for _, k := range keys {
		if k >= key {
			n++
		}
	}
	return 2*n >= len(keys)
}

// A merge merges outliers with the regular elements. The number of a regular element is the number of regular elements
// before it.
type merge struct {
	*sorter
	outliers []uint64 // their positions, in ascending order
	sorted   []uint64 // their positions, sorted by their elements
	before   []int    // for each of sorted, the number of regular elements before it in the result
}

// run stores the positions of all elements in the result.
func (m *merge) run() {
	regular := len(m.a) - len(m.outliers)
	m.before = make([]int, len(m.sorted))
	m.share(len(m.sorted), m.countBefore)
	for k := 1; k < len(m.before); k++ {
		m.before[k] = max(m.before[k], m.before[k-1]) // in case elements change meanwhile
	}
	m.share(regular+1, func(from, to int) { // outliers at the end come before a regular element that does not exist
		next, gap := sort.SearchInts(m.before, from), m.positionOf(from)-from
		for i := from; i < to; {
			for ; next < len(m.before) && m.before[next] == i; next++ {
				m.a[i+next] = m.sorted[next]
			}
			for gap < len(m.outliers) && int(m.outliers[gap]) == i+gap {
				gap++
			}
			if i == regular {
				break
			}
			end := min(to, regular) // of the regular elements until the next outlier
			if next < len(m.before) {
				end = min(end, m.before[next])
			}
			if gap < len(m.outliers) {
				end = min(end, int(m.outliers[gap])-gap)
			}
			dst := m.a[i+next : end+next]
			for k := range dst {
				dst[k] = uint64(i + gap + k)
			}
			i = end
		}
	})
}

// share calls do with ranges of n numbers.
func (m *merge) share(n int, do func(from, to int)) {
	p := strided.Pass{Parts: (n + partElements - 1) / partElements}
	_ = p.Run(func(k int, _ *strided.Failure) error {
		do(strided.Bound(n, k, p.Parts), strided.Bound(n, k+1, p.Parts))
		return nil
	})
}

// positionOf returns the position of the regular element with number i.
func (m *merge) positionOf(i int) int {
	return i + sort.Search(len(m.outliers), func(k int) bool { return int(m.outliers[k])-k > i })
}

// countBefore sets m.before for outliers from number from to to-1.
func (m *merge) countBefore(from, to int) {
	regular, at := len(m.a)-len(m.outliers), 0
	for k := from; k < to; k++ {
		outlier := int(m.sorted[k])
		key := m.keyAt(m.Piece, outlier, 0)
		isAfter := func(i int) bool {
			position := m.positionOf(i)
			other := m.keyAt(m.Piece, position, 0)
			return other > key || other == key && position > outlier
		}
		step := 1
		for at+step < regular && !isAfter(at+step) {
			step *= 2
		}
		lo := at + step/2
		at = lo + sort.Search(min(at+step, regular)-lo, func(i int) bool { return isAfter(lo + i) })
		m.before[k] = at
	}
}
