package array

import (
	"cmp"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/strided"
)

const (
	// manyKeys is up to how many numbers are sorted and not counted.
	manyKeys = 1 << 18

	// tallyBits is how many bits of a number one pass looks at, and manyTallies how many
	// counters it has; more only where there are more spans.
	tallyBits   = 16
	manyTallies = 1 << 18
)

// selectRanks returns the bits of the elements of c that have these ranks, which ascend, and whether an element is
// NaN; then there are none. It returns false if c was not the same in every pass. The error is that of report.
//
// The bits of a number are changed to its key, an unsigned integer, so that keys have the order of numbers. A pass
// counts keys by their leading bits; the next one only those that start as the key of a rank does, by the bits that
// follow.
func selectRanks(c view, ranks []int, report *progress) (values []uint64, nan, ok bool, err error) {
	s := selection{keys: keysOf(c.el.value), spans: []span{{ranks: ranks, count: c.Size()}}}
	for s.known < s.bits && s.left() > manyKeys {
		s.step = min(tallyBits, s.bits-s.known)
		for s.step > 1 && len(s.spans)<<s.step > manyTallies {
			s.step--
		}
		all, err := tallies(c, &s, report)
		if err != nil || all.nans > 0 {
			return nil, true, true, err
		}
		if !s.refine(all.counts) {
			return nil, false, false, nil
		}
	}
	s.step = 0
	var found []uint64
	if s.known < s.bits {
		all, err := tallies(c, &s, report)
		if err != nil || all.nans > 0 {
			return nil, true, true, err
		}
		if found = all.found; len(found) != s.left() {
			return nil, false, false, nil
		}
		slices.Sort(found)
	}
	for _, sp := range s.spans {
		for _, r := range sp.ranks {
			key := sp.prefix // the span is one number
			if s.known < s.bits {
				key = found[r]
			}
			values = append(values, s.number(key))
		}
		if s.known < s.bits {
			found = found[sp.count:]
		}
	}
	return values, false, true, nil
}

// A selection is the state between two passes.
type selection struct {
	keys
	known int    // leading bits
	spans []span // that have the ranks which are looked for, in order
	step  int    // bits to count by in this pass; 0 to collect the keys
}

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

// keys says how the bits of numbers of a type become keys, and back.
type keys struct {
	bits     int
	sign     uint64 // which is inverted; 0 if there is none
	negative uint64 // what more is inverted of negative numbers
	least    uint64 // the keys of the least number and
	greatest uint64 // the greatest; those beyond are of NaN
}

// infinities are the bits of the greatest float of each dtype that is not NaN.
var infinities = map[dtype.DType]uint64{dtype.Float16: 0x7c00, dtype.Float32: 0x7f800000, dtype.Float64: 0x7ff << 52,
	dtype.BFloat16: 0x7f80, dtype.Float8E4M3FN: 0x7e, dtype.Float8E5M2: 0x7c}

// keysOf returns the keys of real numbers of dtype d, as they are in Go.
func keysOf(d dtype.DType) (k keys) {
	k.bits = 8 * d.ItemSize()
	top := uint64(1) << (k.bits - 1)
	k.greatest = top | (top - 1)
	switch {
	case isFloat(d):
		k.sign, k.negative = top, top-1
		infinity := infinities[d.WithOrder(dtype.Native)]
		k.least, k.greatest = top-1-infinity, top|infinity
	case d.Kind() == dtype.KindInt:
		k.sign = top
	}
	return k
}

// number returns the bits of the number that has a key.
func (k *keys) number(key uint64) uint64 {
	n := key ^ k.sign
	if n&k.sign != 0 { // a negative number
		n ^= k.negative
	}
	return n
}

type word interface {
	uint8 | uint16 | uint32 | uint64
}

// A tally is what a goroutine counts in a pass.
type tally struct {
	counts []int64 // for each span, by the bits that follow
	found  []uint64
	nans   int
}

// tallies goes once through c.
func tallies(c view, s *selection, report *progress) (sum tally, err error) {
	var all []*tally
	switch s.bits {
	case 8:
		all, err = talliesOf[uint8](c, s, report)
	case 16:
		all, err = talliesOf[uint16](c, s, report)
	case 32:
		all, err = talliesOf[uint32](c, s, report)
	default:
		all, err = talliesOf[uint64](c, s, report)
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
	}
	return sum, nil
}

func talliesOf[W word](c view, s *selection, report *progress) ([]*tally, error) {
	counter := newCounter[W](s)
	return forBlocks(c, report, func() *tally {
		t := new(tally)
		if s.step > 0 {
			t.counts = make([]int64, len(s.spans)<<s.step)
		}
		return t
	}, func(t *tally, block pointer, n int) *tally {
		counter.count(t, strided.Slice[W](block, n))
		return t
	})
}

// A counter counts the numbers of a type whose bits are a W.
type counter[W word] struct {
	*selection
	sign, negative, least, width W
	signAt                       uint8
	rest, mask                   uint64 // bits of a key after the known ones; the bits to count by
	lead                         uint64 // bits of a key after the bits that are looked up in
	maybe                        []bool // the first bits of those in question
}

func newCounter[W word](s *selection) *counter[W] {
	c := &counter[W]{selection: s, sign: W(s.sign), negative: W(s.negative), least: W(s.least),
		width: W(s.greatest - s.least)}
	c.signAt = uint8(s.bits - 1)
	c.rest, c.mask = uint64(s.bits-s.known), 1<<s.step-1
	first := min(s.known, tallyBits)
	c.lead = uint64(s.bits - first)
	c.maybe = make([]bool, 1<<first)
	for _, sp := range s.spans {
		c.maybe[sp.prefix>>(s.known-first)] = true
	}
	return c
}

func (c *counter[W]) count(t *tally, words []W) {
	for _, w := range words {
		key := w ^ c.sign ^ c.negative&-(w>>c.signAt)
		if !c.maybe[key>>c.lead] {
			continue
		}
		i := 0
		if len(c.spans) > 1 || c.known > tallyBits {
			var ok bool
			i, ok = slices.BinarySearchFunc(c.spans, uint64(key>>c.rest), func(sp span,
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
		case c.step > 0:
			t.counts[i<<c.step|int(uint64(key>>(c.rest-uint64(c.step)))&c.mask)]++
		case len(t.found) <= manyKeys:
			t.found = append(t.found, uint64(key))
		}
	}
}
