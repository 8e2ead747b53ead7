package dtype

import (
	"hash/maphash"
	"maps"
	"runtime"
	"slices"
	"sync"
	"weak"
)

// A composite is the part of a DType that only some kinds have. intern returns one immutable
// composite for each content, so == compares the types that DTypes describe.
type composite struct {
	fields []Field // KindStructured
	base   DType   // KindSubarray
	shape  []int   // KindSubarray
	unit   Unit    // KindDatetime, KindTimedelta
	count  int     // KindDatetime, KindTimedelta: units per tick
	hash   uint64
}

// intern returns the one composite with the content of m. It computes the hash of m, and keeps the
// slices of m if the composite is new.
func intern(m composite) *composite {
	m.hash = m.sum()
	return interned.find(m)
}

// interned holds composites by weak pointers, so the garbage collector frees a composite that no
// DType uses. It does the work of package unique, which does not accept values that contain slices.
var interned compositeSet

// A compositeSet is a set of composites.
type compositeSet struct {
	mu     sync.Mutex
	byHash map[uint64][]weak.Pointer[composite]
	peak   int // the largest number of hashes since byHash was made
}

// find returns the composite with the content of m, and adds it if necessary.
func (t *compositeSet) find(m composite) *composite {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, w := range t.byHash[m.hash] {
		if p := w.Value(); p != nil && p.equal(&m) {
			return p
		}
	}
	p := new(composite) // &m would make every call allocate
	*p = m
	if t.byHash == nil {
		t.byHash = map[uint64][]weak.Pointer[composite]{}
	}
	t.byHash[m.hash] = append(t.byHash[m.hash], weak.Make(p))
	t.peak = max(t.peak, len(t.byHash))
	runtime.AddCleanup(p, t.forget, m.hash)
	return p
}

// forget removes the composites with the given hash that were collected.
func (t *compositeSet) forget(hash uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	live := slices.DeleteFunc(t.byHash[hash], func(w weak.Pointer[composite]) bool { return w.Value() == nil })
	if len(live) > 0 {
		t.byHash[hash] = live
		return
	}
	delete(t.byHash, hash)
	if len(t.byHash) < t.peak/4 { // a map never shrinks by itself
		smaller := make(map[uint64][]weak.Pointer[composite], len(t.byHash))
		maps.Copy(smaller, t.byHash)
		t.byHash, t.peak = smaller, len(smaller)
	}
}

// equal reports whether m and o have the same content. The types in them are interned already.
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
