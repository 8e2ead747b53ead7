package reduce

import (
	"cmp"
	"errors"
	"math"
	"math/bits"
	"slices"

	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

const (
	// MaxSortedKeys is the maximum number of keys that are collected and sorted. More keys are counted.
	MaxSortedKeys = 1 << 18

	// TallyBits is the maximum number of bits by which one pass counts keys.
	TallyBits = 16

	// maxTallies is the maximum number of counters in one pass, unless there are more than half as many spans.
	maxTallies = 1 << 18
)

// ErrChanged reports that elements changed during a selection, so that the counts of its passes are inconsistent.
var ErrChanged = errors.New("the elements changed while their quantiles were computed")

// SelectRanks returns the keys of the elements of a with certain ranks, in ascending order, and n, the number of
// elements that are not NaN. It calls ranksOf with n to get the ranks, which must be in ascending order. The keys are
// nil if n is 0, or if an element is NaN and skip is false. SelectRanks calls report, if it is not nil, with the number
// of bytes of a that were read since the last call.
//
// A key is an unsigned integer made from the bits of a number, so that keys are ordered like the numbers. The first
// pass counts keys by their leading bits. The counts determine the leading bits of the keys with the given ranks. The
// next pass counts only keys with these leading bits, by the bits that follow. As soon as few enough keys are left, a
// pass collects them, and SelectRanks sorts them. Integers often have the same leading bits, so for integers an
// additional pass first finds the least and the greatest one.
func SelectRanks(a nd.View, ranksOf func(n int) []int, skip bool, report func(bytes int) error) (keys []uint64, n int,
	err error) {
	s := &selection{Keys: KeysOf(a.Store.Value), report: report}
	s.setBounds(0, 1<<s.Bits-1)
	if a.Size() > MaxSortedKeys && s.Bits > TallyBits && s.Negative == 0 {
		s.mode = findBounds
		t, err := s.pass(a)
		if err != nil {
			return nil, 0, err
		}
		s.setBounds(t.least, t.greatest)
	}
	s.spans = []span{{count: a.Size()}} // one span with all keys, NaN included
	for first := true; first || s.known < s.width; first = false {
		s.choosePass()
		t, err := s.pass(a)
		if err != nil {
			return nil, 0, err
		}
		if first {
			n = a.Size() - t.nans
			if n == 0 || t.nans > 0 && !skip {
				return nil, n, nil
			}
			s.spans = []span{{ranks: ranksOf(n), count: n}}
		}
		if s.mode == collectKeys {
			if len(t.found) != s.candidates() {
				return nil, 0, ErrChanged
			}
			return s.rankedKeys(t.found), n, nil
		}
		if !s.refine(t.counts) {
			return nil, 0, ErrChanged
		}
	}
	for _, sp := range s.spans { // all bits are known: each span is one key
		for range sp.ranks {
			keys = append(keys, sp.prefix+s.base)
		}
	}
	return keys, n, nil
}

// A selection holds the results of the passes of SelectRanks so far, and the mode of the current pass.
type selection struct {
	Keys
	base   uint64 // the least key; the keys in the fields below are relative to it
	limit  uint64 // the greatest key, relative to base
	width  int    // number of bits of limit
	known  int    // number of leading bits, out of width, that are known for the keys of each span
	spans  []span // spans that contain ranks, in ascending order
	mode   passMode
	step   int // number of bits by which a pass in mode countKeys counts
	report func(bytes int) error
}

// A passMode is the purpose of a pass.
type passMode uint8

const (
	findBounds  passMode = iota // find the least and the greatest key
	countKeys                   // count the keys of each span by their next step bits
	collectKeys                 // collect the keys of all spans
)

// A span is the set of keys that start with the same known bits.
type span struct {
	prefix uint64 // the known bits
	ranks  []int  // the ranks to select, among the keys of this span
	count  int    // number of keys in this span
}

// setBounds sets the least and the greatest key.
func (s *selection) setBounds(least, greatest uint64) {
	s.base, s.limit = least, greatest-least
	s.width = bits.Len64(s.limit)
}

// choosePass sets the mode of the next pass, and the number of bits by which it counts.
func (s *selection) choosePass() {
	if s.candidates() <= MaxSortedKeys {
		s.mode, s.step = collectKeys, 0
		return
	}
	s.mode, s.step = countKeys, min(TallyBits, s.width-s.known)
	for s.step > 1 && len(s.spans)<<s.step > maxTallies {
		s.step--
	}
}

// candidates returns the number of keys in all spans.
func (s *selection) candidates() (n int) {
	for _, sp := range s.spans {
		n += sp.count
	}
	return n
}

// refine divides each span by the next bits of its keys, and keeps the new spans that contain ranks. counts holds the
// number of keys for each value of these bits. refine returns false if the counts are inconsistent.
func (s *selection) refine(counts []int64) bool {
	var next []span
	for i, sp := range s.spans {
		before := 0
		for low, n := range counts[i<<s.step : (i+1)<<s.step] {
			var ranks []int
			for ; len(sp.ranks) > 0 && sp.ranks[0] < before+int(n); sp.ranks = sp.ranks[1:] {
				ranks = append(ranks, sp.ranks[0]-before)
			}
			if len(ranks) > 0 {
				next = append(next, span{sp.prefix<<s.step | uint64(low), ranks, int(n)})
			}
			before += int(n)
		}
		if before != sp.count {
			return false
		}
	}
	s.spans, s.known = next, s.known+s.step
	return true
}

// rankedKeys returns the keys with the ranks of all spans. found holds the keys of all spans, relative to s.base;
// rankedKeys sorts it.
func (s *selection) rankedKeys(found []uint64) (keys []uint64) {
	slices.Sort(found)
	for _, sp := range s.spans {
		for _, r := range sp.ranks {
			keys = append(keys, found[r]+s.base)
		}
		found = found[sp.count:]
	}
	return keys
}

// A tally holds the results of a pass, or of the parts of a pass that one goroutine reads.
type tally struct {
	counts []int64  // mode countKeys: 1<<step counters for each span
	found  []uint64 // mode collectKeys: keys relative to base
	nans   int      // mode countKeys or collectKeys: number of NaN

	least, greatest uint64 // mode findBounds
}

// pass reads the elements of a once and returns their tally.
func (s *selection) pass(a nd.View) (sum tally, err error) {
	var all []*tally
	switch s.Bits {
	case 8:
		all, err = talliesOf[uint8](a, s)
	case 16:
		all, err = talliesOf[uint16](a, s)
	case 32:
		all, err = talliesOf[uint32](a, s)
	default:
		all, err = talliesOf[uint64](a, s)
	}
	if err != nil {
		return sum, err
	}
	sum = *all[0]
	for _, t := range all[1:] {
		for i, n := range t.counts {
			sum.counts[i] += n
		}
		sum.found = append(sum.found, t.found...)
		sum.nans += t.nans
		sum.least, sum.greatest = min(sum.least, t.least), max(sum.greatest, t.greatest)
	}
	return sum, nil
}

// talliesOf reads the elements of a, which have the size of a W, once. It returns one tally for each goroutine.
func talliesOf[W Word](a nd.View, s *selection) ([]*tally, error) {
	counter, add := newCounter(s), countWords[W]
	if s.mode == findBounds {
		add = boundWords[W]
	}
	newTally := func() *tally {
		t := &tally{least: math.MaxUint64}
		if s.mode == countKeys {
			t.counts = make([]int64, len(s.spans)<<s.step)
		}
		return t
	}
	addBlock := func(t *tally, block strided.Pointer, n int) *tally {
		add(counter, t, strided.Slice[W](block, n))
		return t
	}
	return nd.ForBlocks(a, newTally, addBlock, s.report)
}

// A counter adds numbers to tallies. It holds a copy of the selection, and values that countWords needs for each
// number.
type counter struct {
	selection
	signShift uint8  // moves the sign bit to bit 0
	spread    uint64 // the distance from the least key of a number to the greatest; all other keys are NaN

	spanShift uint64 // removes the unknown bits of a key
	stepShift uint64 // removes the bits after the bits to count by
	stepMask  uint64 // keeps the bits to count by

	// wanted reports whether any span has certain leading bits. Its index is the first known bits, up to TallyBits. It
	// rules out most keys without a search.
	wanted      []bool
	wantedShift uint64 // leaves the bits of a key that index wanted
}

func newCounter(s *selection) *counter {
	c := &counter{selection: *s, signShift: uint8(s.Bits - 1), spread: s.Greatest - s.Least}
	c.spanShift = uint64(s.width - s.known)
	c.stepShift, c.stepMask = c.spanShift-uint64(s.step), 1<<s.step-1
	first := min(s.known, TallyBits)
	c.wantedShift = uint64(s.width - first)
	c.wanted = make([]bool, 1<<first)
	for _, sp := range s.spans {
		c.wanted[sp.prefix>>(s.known-first)] = true
	}
	return c
}

// boundWords updates the bounds of t. The words must be integers, whose keys differ from their bits only in the sign
// bit.
func boundWords[W Word](c *counter, t *tally, words []W) {
	least, greatest := t.least, t.greatest
	for _, w := range words {
		key := uint64(w) ^ c.Sign
		least, greatest = min(least, key), max(greatest, key)
	}
	t.least, t.greatest = least, greatest
}

// countWords counts the keys of words in t, or collects them.
func countWords[W Word](c *counter, t *tally, words []W) {
	for _, w := range words {
		key := uint64(w) ^ c.Sign ^ c.Negative&-(uint64(w)>>c.signShift)
		rel := key - c.base
		if rel > c.limit || !c.wanted[rel>>c.wantedShift] { // an element that changed may be out of bounds
			continue
		}
		i := 0
		if len(c.spans) > 1 || c.known > TallyBits {
			var ok bool
			i, ok = slices.BinarySearchFunc(c.spans, rel>>c.spanShift, func(sp span, prefix uint64) int {
				return cmp.Compare(sp.prefix, prefix)
			})
			if !ok {
				continue
			}
		}
		switch {
		case key-c.Least > c.spread:
			t.nans++
		case c.mode == countKeys:
			t.counts[i<<c.step|int(rel>>c.stepShift&c.stepMask)]++
		case len(t.found) <= MaxSortedKeys: // more are found only if elements changed
			t.found = append(t.found, rel)
		}
	}
}
