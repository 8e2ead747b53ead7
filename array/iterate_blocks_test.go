package array

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestBlocks tests that Blocks yields the elements in the requested order and that Update sets each element as SetAt
// does, on any view.
func TestBlocks(t *testing.T) {
	r := oracle.Rand(t, 10)
	for n := range oracle.Cases(t, 1500) {
		shape := make([]int, r.IntN(4))
		for i := range shape {
			shape[i] = r.IntN(40)
		}
		order := []index.Order{index.C, index.F}[r.IntN(2)]
		d := dtype.Int16.WithByteOrder([]dtype.ByteOrder{dtype.LittleEndian, dtype.BigEndian}[r.IntN(2)])
		odd := r.IntN(2)
		all := must(As[int16](must(FromBytes(make([]byte, odd+2*elementCount(shape))[odd:], d, order, shape...))))
		seq := int16(0)
		for part := range all.Update(index.C) {
			for i := range part {
				part[i] = seq
				seq++
			}
		}
		v := randomPart(r, all)
		for _, order := range []index.Order{index.C, index.F} {
			var want, got []int16
			for _, x := range v.All(order) {
				want = append(want, x)
			}
			for b := range v.Blocks(order) {
				got = append(got, b...)
			}
			if !slices.Equal(want, got) { // cmp.Diff takes 100 times as long
				t.Fatalf("case %d: order %v of %v: want -, got +\n%s", n, order, v.Layout(), cmp.Diff(want, got))
			}
		}
		var got []int16
		for b := range v.Blocks(index.K) {
			got = append(got, b...)
		}
		want := collect(v)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(want, got) {
			t.Fatalf("case %d: order K of %v has wrong elements", n, v.Layout())
		}
		before := must(all.Clone(index.C))
		limit := r.IntN(3)
		changed := map[int16]bool{}
		for b := range v.Update([]index.Order{index.C, index.F, index.K}[r.IntN(3)]) {
			for i := range b {
				changed[b[i]] = true
				b[i] = -b[i] - 1
			}
			if limit--; limit == 0 {
				break
			}
		}
		for idx, x := range before.All(index.C) {
			if changed[x] {
				x = -x - 1
			}
			if all.At(idx...) != x {
				t.Fatalf("case %d: after Update element %v is %d, want %d", n, idx, all.At(idx...), x)
			}
		}
	}
}

func TestBlocksStack(t *testing.T) {
	a, all := shardFiles(t, dtype.Int32, index.F, 5, 3, 4)
	v := must(As[int32](a))
	for _, order := range []index.Order{index.C, index.F, index.K} {
		var got, want []int32
		for b := range v.Blocks(order) {
			got = append(got, b...)
		}
		if order == index.K {
			continue // the order of the members in memory is up to the system
		}
		for _, x := range all.All(order) {
			want = append(want, x)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("order %v: %s", order, d)
		}
	}
}

// TestBlocksBool tests that booleans in a block are 0 or 1.
func TestBlocksBool(t *testing.T) {
	v := must(As[bool](must(FromBytes([]byte{0, 1, 2, 255}, dtype.Bool, index.C, 4))))
	for b := range v.Blocks(index.C) {
		if d := cmp.Diff([]bool{false, true, true, true}, b); d != "" {
			t.Error(d)
		}
	}
}

// TestBlocksInPlace tests that a block of elements in place is the memory itself.
func TestBlocksInPlace(t *testing.T) {
	s := make([]float64, 20000)
	at := 0
	for b := range must(FromSlice(s, 20, 1000)).Blocks(index.C) {
		if &b[0] != &s[at] {
			t.Fatal("a block is a copy")
		}
		at += len(b)
	}
	if got := testing.AllocsPerRun(10, func() {
		for b := range must(FromSlice(s, 20, 1000)).T().Blocks(index.F) {
			sink += b[0]
		}
	}); got > 8 { // the views; there is no buffer
		t.Errorf("%v allocations", got)
	}
}
