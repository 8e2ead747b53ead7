package kernel

import (
	stdslices "slices"
	"unsafe"
)

// A stripCase is random rows, and a strip of them.
type stripCase[T Real] struct {
	p          Pointer
	step, rows int
	strip      Strip
	items      [][]T // of every row, in its lanes; with what pads them
}

// randomStrip returns a strip of some items, in windows that may overlap and which end where
// the memory does. The lanes without items are zero, or else repeat an item.
func randomStrip[T Real](c *chance, zero bool) stripCase[T] {
	size := int(unsafe.Sizeof(T(0)))
	numbers := randomReals[T](c)
	mem := unsafe.Slice((*byte)(Pointer(unsafe.SliceData(numbers))), len(numbers)*size)
	t := stripCase[T]{step: 0, rows: 1}
	if len(mem) < 16 {
		return t
	}
	first, second := c.IntN(min(len(mem)-15, 100)), c.IntN(min(len(mem)-15, 100))
	t.strip.Off, t.strip.Next = first, second-first
	if room := len(mem) - max(first, second) - 16; room > 0 {
		t.step = c.IntN(min(room, 200) + 1)
		if t.step > 0 {
			t.rows = 1 + min(room/t.step, c.IntN(300))
		}
	}
	swap := c.IntN(2) == 0
	for half := range 2 {
		n := 1 + c.IntN(1+c.IntN(16/size))
		item := 0
		for k := range 16 / size {
			take := t.strip.Take[half*16+k*size:][:size]
			if k < n {
				item = c.IntN(16 - size + 1)
				if len(mem)%size == 0 && c.IntN(2) == 0 {
					item = item / size * size
				}
			}
			for i := range take {
				take[i] = byte(item + i)
				if k >= n && zero {
					take[i] = Zero
				}
			}
			if swap && take[0] != Zero {
				stdslices.Reverse(take)
			}
		}
	}
	if h := t.strip.Take[16:]; zero && size == 4 && t.strip.Take[8] == Zero && h[8] == Zero {
		copy(h[8:], h[:8]) // as they are added fastest
		for i := range 8 {
			h[i] = Zero
		}
	}
	t.p = Pointer(&mem[0])
	for r := range t.rows {
		row := make([]T, StripBytes/size)
		for k := range row {
			take := t.strip.Take[k*size:][:size]
			if take[0] == Zero {
				continue
			}
			at := r*t.step + first
			if k*size >= 16 {
				at = r*t.step + second
			}
			b := stdslices.Clone(mem[at+int(min(take[0], take[size-1])):][:size])
			if swap {
				stdslices.Reverse(b)
			}
			row[k] = fromBytes[T](b)
		}
		t.items = append(t.items, row)
	}
	return t
}

// fromBytes is the number whose bytes are b, in native order.
func fromBytes[T Real](b []byte) (x T) {
	copy(unsafe.Slice((*byte)(Pointer(&x)), len(b)), b)
	return x
}

// randomSumStrips holds SumStrips against additions in the order that it states.
func randomSumStrips[A, T Real](c *chance) {
	t := randomStrip[T](c, true)
	if t.p == nil {
		return
	}
	lanes := StripBytes / int(unsafe.Sizeof(A(0)))
	total := make([]A, lanes)
	for k := range lanes {
		for chain := range stdslices.Chunk(t.items, 64) {
			var a [4]A
			for i, row := range chain {
				x := A(row[k])
				if len(row) > lanes {
					x += A(row[k+lanes])
				}
				if i >= len(chain)/4*4 {
					i = 0
				}
				a[i%4] += x
			}
			total[k] += (a[0] + a[1]) + (a[2] + a[3])
		}
	}
	want := total[0]
	if isFloat[T]() {
		want = (total[0] + total[1]) + (total[2] + total[3])
	} else {
		for _, x := range total[1:] {
			want += x
		}
	}
	var sums Sums
	SumStrips[T](&sums, t.p, []Strip{t.strip}, t.step, t.rows)
	if got := Total[A, T](&sums); !same(got, want) {
		c.Fatalf("NDMAP_SEED=%d: the sum of %d rows %d bytes apart of %v is %v, want %v", c.seed, t.rows, t.step, t.strip, got, want)
	}
}

func randomMinMaxStrips[T Real](c *chance) {
	t := randomStrip[T](c, false)
	if t.p == nil {
		return
	}
	lo, hi := t.items[0][0], t.items[0][0]
	for _, x := range stdslices.Concat(t.items...) {
		lo, hi = min(lo, x), max(hi, x)
	}
	e := NoExtremes[T]()
	half := c.IntN(t.rows + 1)
	MinMaxStrips[T](&e, t.p, []Strip{t.strip}, t.step, half)
	if half < t.rows {
		MinMaxStrips[T](&e, Add(t.p, half*t.step), []Strip{t.strip}, t.step, t.rows-half)
	}
	if l, h := MinMaxOf[T](&e); !same(l, lo) || !same(h, hi) {
		c.Fatalf("NDMAP_SEED=%d: the least and greatest of %d rows %d bytes apart of %v are %v and %v, want %v and %v", c.seed, t.rows, t.step, t.strip, l, h, lo, hi)
	}
}
