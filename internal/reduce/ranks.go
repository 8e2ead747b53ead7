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
	// MaxSortedKeys is up to how many numbers are sorted and not counted.
	MaxSortedKeys = 1 << 18

	// TallyBits is how many bits of a number one pass looks at, and manyTallies how many
	// counters it has; more only where there are more spans.
	TallyBits   = 16
	manyTallies = 1 << 18
)

// ErrChanged is the error of a selection whose passes do not agree.
var ErrChanged = errors.New("the elements changed while their quantiles were taken")

// SelectRanks returns the keys of the elements of c that have some ranks, which ascend, and how many elements have
// ranks: those that are not NaN. What the ranks are, ranksOf returns for that number. There are no values of none, nor
// where one is NaN, unless skip leaves it out. Report is called with parts of the bytes of c, in the order of the work,
// unless it is nil.
//
// The bits of a number are changed to its key, an unsigned integer, so that keys have the order of numbers. A pass
// counts keys by their leading bits; the next one only those that start as the key of a rank does, by the bits that
// follow. Of integers, many of whose leading bits are often the same, the least and the greatest are found first.
func SelectRanks(c nd.Array, ranksOf func(n int) []int, skip bool, report func(bytes int) error) (values []uint64,
	n int,
	err error) {
	s := selection{Keys: KeysOf(c.Store.Value), report: report}
	s.wide, s.limit = s.Bits, 1<<s.Bits-1
	if c.Size() > MaxSortedKeys && s.Bits > TallyBits && s.Negative == 0 {
		s.step = toBound
		all, err := tallies(c, &s)
		if err != nil {
			return nil, 0, err
		}
		s.base, s.limit = all.least, all.greatest-all.least
		s.wide = bits.Len64(s.limit)
	}
	s.spans = []span{{count: c.Size()}}
	var found []uint64
	for first := true; first || s.known < s.wide; first = false {
		if s.step = min(TallyBits, s.wide-s.known); s.left() <= MaxSortedKeys {
			s.step = toCollect
		}
		for s.step > 1 && len(s.spans)<<s.step > manyTallies {
			s.step--
		}
		all, err := tallies(c, &s)
		if err != nil {
			return nil, 0, err
		}
		if first {
			n = c.Size() - all.nans
			if n == 0 || all.nans > 0 && !skip {
				return nil, n, nil
			}
			s.spans = []span{{ranks: ranksOf(n), count: n}}
		}
		if s.step == toCollect {
			if found = all.found; len(found) != s.left() {
				return nil, 0, ErrChanged
			}
			slices.Sort(found)
			break
		}
		if !s.refine(all.counts) {
			return nil, 0, ErrChanged
		}
	}
	for _, sp := range s.spans {
		for _, r := range sp.ranks {
			key := sp.prefix // the span is one number
			if s.step == toCollect {
				key = found[r]
			}
			values = append(values, key+s.base)
		}
		if s.step == toCollect {
			found = found[sp.count:]
		}
	}
	return values, n, nil
}

// A selection is the state between two passes.
type selection struct {
	Keys
	base, limit uint64 // the least key, which is taken from all, and what the greatest is then,
	wide        int    // which has so many bits
	known       int    // leading bits of these
	spans       []span // that have the ranks which are looked for, in order
	step        int    // bits to count by in this pass; or what else it does
	report      func(bytes int) error
}

// What a pass does, if it does not count.
const (
	toCollect = -1 // the keys
	toBound   = -2 // finds the least and the greatest
)

// A span is the numbers whose keys start with some bits.
type span struct {
	prefix uint64
	ranks  []int // that are looked for, among these numbers
	count  int   // of these numbers
}

// left returns how many numbers are in question.
func (s *selection) left() (n int) {
	for _, sp := range s.spans {
		n += sp.count
	}
	return n
}

// refine divides the spans by the next bits of their keys, which were counted. It returns false
// if the counts do not add up.
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

// A tally is what a goroutine counts in a pass.
type tally struct {
	counts []int64 // for each span, by the bits that follow
	found  []uint64
	nans   int

	least, greatest uint64
}

// tallies goes once through c.
func tallies(c nd.Array, s *selection) (sum tally, err error) {
	var all []*tally
	switch s.Bits {
	case 8:
		all, err = talliesOf[uint8](c, s)
	case 16:
		all, err = talliesOf[uint16](c, s)
	case 32:
		all, err = talliesOf[uint32](c, s)
	default:
		all, err = talliesOf[uint64](c, s)
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

func talliesOf[W Word](c nd.Array, s *selection) ([]*tally, error) {
	counter := newCounter[W](s)
	return nd.ForBlocks(c, func() *tally {
		t := &tally{least: math.MaxUint64}
		if s.step >= 0 {
			t.counts = make([]int64, len(s.spans)<<s.step)
		}
		return t
	}, func(t *tally, block strided.Pointer, n int) *tally {
		words := strided.Slice[W](block, n)
		if s.step == toBound {
			least, greatest := W(t.least), W(t.greatest)
			for _, w := range words {
				least, greatest = min(least, w^counter.sign), max(greatest, w^counter.sign)
			}
			t.least, t.greatest = uint64(least), uint64(greatest)
		} else {
			counter.count(t, words)
		}
		return t
	}, s.report)
}

// A counter counts the numbers of a type whose bits are a W.
type counter[W Word] struct {
	*selection
	sign, negative, least, width W
	base, limit                  W
	signAt                       uint8
	rest, mask                   uint64 // bits of a key after the known ones; the bits to count by
	lead                         uint64 // bits of a key after the bits that are looked up in
	maybe                        []bool // the first bits of those in question
}

func newCounter[W Word](s *selection) *counter[W] {
	c := &counter[W]{selection: s, sign: W(s.Sign), negative: W(s.Negative), least: W(s.Least),
		width: W(s.Greatest - s.Least), base: W(s.base), limit: W(s.limit)}
	c.signAt = uint8(s.Bits - 1)
	c.rest, c.mask = uint64(s.wide-s.known), 1<<max(0, s.step)-1
	first := min(s.known, TallyBits)
	c.lead = uint64(s.wide - first)
	c.maybe = make([]bool, 1<<first)
	for _, sp := range s.spans {
		c.maybe[sp.prefix>>(s.known-first)] = true
	}
	return c
}

func (c *counter[W]) count(t *tally, words []W) {
	for _, w := range words {
		key := w ^ c.sign ^ c.negative&-(w>>c.signAt)
		rel := key - c.base
		if rel > c.limit || !c.maybe[rel>>c.lead] { // others may have changed what was the greatest
			continue
		}
		i := 0
		if len(c.spans) > 1 || c.known > TallyBits {
			var ok bool
			i, ok = slices.BinarySearchFunc(c.spans, uint64(rel>>c.rest), func(sp span,
				prefix uint64) int {
				return cmp.Compare(sp.prefix, prefix)
			})
			if !ok {
				continue
			}
		}
		switch {
		case key-c.least > c.width:
			t.nans++
		case c.step >= 0:
			t.counts[i<<c.step|int(uint64(rel>>(c.rest-uint64(c.step)))&c.mask)]++
		case len(t.found) <= MaxSortedKeys:
			t.found = append(t.found, uint64(rel))
		}
	}
}
