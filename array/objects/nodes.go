package objects

import (
	"math/big"
	"slices"
	"time"

	"github.com/ndmap/ndmap/array"
)

// maxDepth is the maximum depth of nested values. Python's own limit for recursion is the same.
const maxDepth = 1000

// A node is the common part of the values that are not final.
type node struct {
	// height is the number of levels of the final value, 0 before it is known, and -1 while it is being computed.
	height int
}

type (
	list struct {
		node
		items []any
	}
	tuple struct {
		node
		items []any
	}
	set struct {
		node
		items  []any
		keys   map[string]int // index of an item by its key
		frozen bool
	}
	dict struct {
		node
		pairs []Pair
		keys  map[string]int // index of a pair by the key of its Key
	}
	blob struct { // bytes or bytearray
		data    []byte
		mutable bool
		taken   bool // an array uses data
	}
)

func newList(items []any) *list   { return &list{items: append([]any{}, items...)} }
func newTuple(items []any) *tuple { return &tuple{items: append([]any{}, items...)} }
func newSet(frozen bool) *set     { return &set{items: []any{}, keys: map[string]int{}, frozen: frozen} }
func newDict() *dict              { return &dict{pairs: []Pair{}, keys: map[string]int{}} }

func (l *list) append(items []any) { l.items = append(l.items, items...) }

// take returns the bytes of b for an array, and copies them unless the array is their only user.
func (b *blob) take(d *decoder) []byte {
	if b.taken {
		d.spendBytes(uint64(len(b.data)))
		return slices.Clone(b.data)
	}
	b.taken = true
	return b.data
}

// addItems adds items to s. Of equal items, the first one stays.
func (d *decoder) addItems(s *set, items []any) {
	for _, item := range items {
		key := d.key(item)
		if _, ok := s.keys[key]; !ok {
			s.keys[key] = len(s.items)
			s.items = append(s.items, item)
		}
	}
}

// setItems sets keys of v to values; they alternate in items. As in Python, the first of equal keys stays, with the
// last value.
func (d *decoder) setItems(v *dict, items []any) {
	if len(items)%2 != 0 {
		d.failf("a key of a dict has no value")
	}
	for k := 0; k < len(items); k += 2 {
		key := d.key(items[k])
		i, ok := v.keys[key]
		if !ok {
			i = len(v.pairs)
			v.keys[key] = i
			v.pairs = append(v.pairs, Pair{Key: items[k]})
		}
		v.pairs[i].Value = items[k+1]
	}
}

// value returns the final value of x, which is nested depth levels deep, and the number of its levels. It replaces the
// elements of containers in place, so that values that share a container still share it.
func (d *decoder) value(x any, depth int) (v any, height int) {
	switch x := x.(type) {
	case nil, bool, int64, *big.Int, float64, complex128, string, time.Time, time.Duration, array.Array:
		return x, 0
	case *blob:
		if x.taken {
			x.data, x.taken = x.take(d), false
		}
		return x.data, 0
	case *list:
		return List(x.items), d.finish(&x.node, x.items, depth)
	case *tuple:
		return Tuple(x.items), d.finish(&x.node, x.items, depth)
	case *set:
		return Set(x.items), d.finish(&x.node, x.items, depth)
	case *dict:
		return Dict(x.pairs), d.finishPairs(x, depth)
	case *ndarray:
		switch {
		case !x.built:
			d.failf("an array has no elements")
		case x.objects == nil:
			return x.array, 0
		}
		return *x.objects, d.finish(&x.node, x.objects.Values, depth)
	case name:
		d.failName(string(x))
	}
	panic(d.failure("a dtype or a time zone is used as a value"))
}

// finish replaces the items of a container by their final values, and returns the number of levels. In a container that
// contains itself, the inner one does not count.
func (d *decoder) finish(n *node, items []any, depth int) int {
	return d.once(n, depth, func() (height int) {
		for i := range items {
			var h int
			items[i], h = d.value(items[i], depth+1)
			height = max(height, h)
		}
		return height
	})
}

func (d *decoder) finishPairs(v *dict, depth int) int {
	return d.once(&v.node, depth, func() (height int) {
		for i := range v.pairs {
			p := &v.pairs[i]
			var h1, h2 int
			p.Key, h1 = d.value(p.Key, depth+1)
			p.Value, h2 = d.value(p.Value, depth+1)
			height = max(height, h1, h2)
		}
		return height
	})
}

// once calls inner the first time that it is called for n, and returns the height of n.
func (d *decoder) once(n *node, depth int, inner func() (height int)) int {
	if depth+max(n.height-1, 0) > maxDepth {
		d.failf("the values are nested more than %d deep", maxDepth)
	}
	switch n.height {
	case -1:
		return 0
	case 0:
		n.height = -1
		n.height = inner() + 1
	}
	return n.height
}
