package dtype

import (
	"hash/maphash"
	"maps"
	"runtime"
	"slices"
	"sync"
	"weak"
)

// composite is the part of a DType that only some kinds have. There is one for each content, made by intern and never
// changed, so that == of DTypes compares what they describe.
type composite struct {
	fields []Field // KindStructured
	base   DType   // KindSubarray
	shape  []int   // KindSubarray
	unit   Unit    // KindDatetime, KindTimedelta
	count  int     // KindDatetime, KindTimedelta: units per tick
	hash   uint64
}

// intern returns the one composite with the content of m, whose hash need not be set. It keeps the slices
// of m where there is none yet.
func intern(m composite) *composite {
	m.hash = m.sum()
	return interned.find(m)
}

// interned has no type that nobody else has: the collector may take what it points to. It is what
// package unique is, which has no values with slices in them.
var interned table

type table struct {
	mu   sync.Mutex
	all  map[uint64][]weak.Pointer[composite] // by hash
	most int                                  // hashes in all since it was made
}

func (t *table) find(m composite) *composite {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, w := range t.all[m.hash] {
		if p := w.Value(); p != nil && p.equal(&m) {
			return p
		}
	}
	p := new(composite) // not &m, which would allocate above, too
	*p = m
	if t.all == nil {
		t.all = map[uint64][]weak.Pointer[composite]{}
	}
	t.all[m.hash] = append(t.all[m.hash], weak.Make(p))
	t.most = max(t.most, len(t.all))
	runtime.AddCleanup(p, t.forget, m.hash)
	return p
}

// forget removes what was collected of the types with that hash.
func (t *table) forget(hash uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	live := slices.DeleteFunc(t.all[hash], func(w weak.Pointer[composite]) bool { return w.Value() == nil })
	if len(live) > 0 {
		t.all[hash] = live
		return
	}
	delete(t.all, hash)
	if len(t.all) < t.most/4 { // a map never shrinks by itself
		smaller := make(map[uint64][]weak.Pointer[composite], len(t.all))
		maps.Copy(smaller, t.all)
		t.all, t.most = smaller, len(smaller)
	}
}

// equal reports whether m and o have the same content. Types within them are interned.
func (m *composite) equal(o *composite) bool {
	return m.unit == o.unit && m.count == o.count && m.base == o.base && slices.Equal(m.shape, o.shape) &&
		slices.Equal(m.fields, o.fields)
}

var hashSeed = maphash.MakeSeed()

// sum returns the hash of the content of m.
func (m *composite) sum() uint64 {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	number := func(n int) { maphash.WriteComparable(&h, n) }
	text := func(s string) { number(len(s)); h.WriteString(s) }
	dtype := func(d DType) {
		number(int(d.kind)<<8 | int(d.order))
		number(int(d.size))
		if d.composite != nil {
			maphash.WriteComparable(&h, d.composite.hash)
		}
	}
	number(m.count)
	number(int(m.unit))
	dtype(m.base)
	for _, n := range m.shape {
		number(n)
	}
	for _, f := range m.fields {
		text(f.Name)
		text(f.Title)
		dtype(f.Type)
		number(f.Offset)
	}
	return h.Sum64()
}
