package dtype

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/ndmap/ndmap/internal/oracle"
)

// TestComparable creates equal types in different ways, and tests that == and map keys compare the types by what they
// describe.
func TestComparable(t *testing.T) {
	must := func(d DType, err error) DType {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	type point struct {
		X, Y float32
		At   int64   `npy:"at,M8[5s]"`
		V    [4]Half `npy:"v"`
	}
	block := must(SubarrayOf(Float32, 2, 3))
	for name, pair := range map[string][2]DType{
		"times":              {MustParse("M8[ns]"), Datetime(Nanosecond, 1)},
		"durations":          {MustParse("m8[25s]"), Timedelta(Second, 25)},
		"times without unit": {MustParse("M8[generic]"), Datetime(Generic, 7)},
		"swapped times":      {MustParse(">M8[D]"), MustParse("<M8[D]").WithByteOrder(BigEndian)},
		"sub-arrays":         {block, MustParse("('f4', (2, 3))")},
		"swapped sub-arrays": {MustParse("('>f4', (2, 3))"), block.WithByteOrder(BigEndian).WithByteOrder(BigEndian)},
		"fields": {MustParse("[('x', 'f4'), ('y', ('f4', (2, 3)))]"),
			must(Packed(Field{Name: "x", Type: Float32}, Field{Name: "y", Type: block, Offset: 99}))},
		"titles": {MustParse("[(('long name', 'x'), 'f4')]"), must(Struct(4, Field{Name: "x", Title: "long name",
			Type: Float32}))},
		"the struct of Go": {must(Of[point]()),
			MustParse("[('X', 'f4'), ('Y', 'f4'), ('at', 'M8[5s]'), ('v', 'f2', (4,))]")},
		"fields of fields": {MustParse("[('a', [('b', 'M8[s]')])]"), MustParse("[('a', [('b', 'M8[s]')])]")},
		"swapped twice": {MustParse("[('a', '<M8[s]'), ('b', '>i4')]").WithByteOrder(LittleEndian),
			MustParse("[('a', '>M8[s]'), ('b', '>i4')]").WithByteOrder(LittleEndian)},
		"aligned": {must(MustParse("[('a', 'u1'), ('b', 'f8')]").Aligned()),
			MustParse("[('a', 'u1'), ('', 'V7'), ('b', 'f8')]")},
		"no fields":            {MustParse("[]"), must(Struct(0))},
		"a size without field": {MustParse("('V0', [])"), must(Packed())},
	} {
		t.Run(name, func(t *testing.T) {
			if pair[0] != pair[1] || !pair[0].Equal(pair[1]) {
				t.Errorf("%s: %v and %v are not ==", name, pair[0], pair[1])
			}
			if found := map[DType]bool{pair[0]: true}[pair[1]]; !found {
				t.Errorf("%s: %v as a key does not find %v", name, pair[0], pair[1])
			}
		})
	}
}

// TestComparableFields tests that == distinguishes types that print alike.
func TestComparableFields(t *testing.T) {
	at := func(offsets ...int) DType {
		var fields []Field
		for k, off := range offsets {
			fields = append(fields, Field{Name: fmt.Sprint(k), Type: Uint8, Offset: off})
		}
		d, err := Struct(8, fields...)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	seen := map[DType]string{}
	for a := range 8 {
		for b := range 8 {
			d, name := at(a, b), fmt.Sprint("offsets ", a, b)
			if was := seen[d]; was != "" {
				t.Errorf("%s is == %s", name, was)
			}
			seen[d] = name
			if d != at(a, b) {
				t.Errorf("%s is not == itself", name)
			}
		}
	}
}

// TestTypesAreCollected parses many different types, as in the headers of a hostile sender, and tests that their memory
// is freed when they are no longer used. With NDMAP_LONG=1 it parses a million types.
func TestTypesAreCollected(t *testing.T) {
	n := oracle.Cases(t, 10_000)
	if oracle.Long(t) {
		n = max(n, 1_000_000)
	}
	kept := []DType{MustParse("<M8[77777s]"), MustParse("[('kept', '<M8[77778s]', (3,))]")}
	types, heap := collectTypes(t, 0)
	for i := range n {
		MustParse(fmt.Sprintf("<M8[%dus]", i+2))
		MustParse(fmt.Sprintf("[('name %d', [('x', '<f4', (%d,))]), (('title %d', 'b'), '<m8[%ds]')]", i, i%1000+2, i, i+2))
	}
	typesAfter, heapAfter := collectTypes(t, types)
	if typesAfter > types {
		t.Errorf("%d types are left of %d headers, %d more than before", typesAfter, n, typesAfter-types)
	}
	if heapAfter > heap+1<<20 {
		t.Errorf("%d bytes are left of %d headers", heapAfter-heap, n)
	}
	if kept[0] != MustParse("<M8[77777s]") || kept[1] != MustParse("[('kept', '<M8[77778s]', (3,))]") {
		t.Error("types that are in use are no longer ==")
	}
	runtime.KeepAlive(kept)
}

// collectTypes collects garbage until at most want types are interned, or their number stops changing. It returns the
// number of types and the bytes of the heap. It has to wait because cleanups run in a separate goroutine.
func collectTypes(t *testing.T, want int) (types int, heap uint64) {
	last := -1
	for range 100 {
		runtime.GC()
		time.Sleep(time.Millisecond)
		if types = countTypes(&interned); types <= want || types == last {
			break
		}
		last = types
	}
	runtime.GC() // for the memory that the last cleanups released
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return types, m.HeapAlloc
}

// countTypes returns the number of types in a table.
func countTypes(t *compositeSet) (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, ws := range t.byHash {
		n += len(ws)
	}
	return n
}
