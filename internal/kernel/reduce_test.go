package kernel

import (
	"math"
	"math/big"
	"slices"
	"unsafe"
)

// slowSum is a readable version of Sum.
func slowSum[T Real](s []T) float64 {
	if len(s) > sumLeaf {
		half := sumLeaf
		for 2*half < len(s) {
			half *= 2
		}
		return slowSum(s[:half]) + slowSum(s[half:])
	}
	var a [8]float64
	n := len(s) / 8 * 8
	for i, x := range s[:n] {
		a[i%8] += float64(x)
	}
	sum := ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]))
	for _, x := range s[n:] {
		sum += float64(x)
	}
	return sum
}

// randomReals returns a slice in c.src: random bits, or small numbers and zeros of both signs, sometimes with one
// infinity or NaN among them.
func randomReals[T Real](c *randomCase) []T {
	return randomRealsOf[T](c, c.src, c.length(len(c.src)/int(unsafe.Sizeof(T(0)))))
}

// randomRealsOf is like randomReals for n numbers in mem.
func randomRealsOf[T Real](c *randomCase, mem []byte, n int) []T {
	size := int(unsafe.Sizeof(T(0)))
	at := c.offset(mem, n*size) &^ (size - 1)
	s := unsafe.Slice((*T)(start(mem[at:])), n)
	c.fill(mem[at : at+n*size])
	if kind := c.IntN(4); kind > 0 && n > 0 {
		numbers := 64
		if c.IntN(8) == 0 {
			numbers = 1
		}
		isSigned := T(1)/2 != 0 || T(0)-1 < 0
		for i := range s {
			b := mem[at+i*size] // random, like all of mem
			s[i] = T(int(b) % numbers)
			if isSigned && b >= 128 {
				s[i] = -s[i]
			}
		}
		if f, ok := any(s).([]float64); ok && kind > 1 {
			f[c.IntN(n)] = []float64{math.NaN(), math.Copysign(math.NaN(), -1), math.Inf(1), math.Inf(-1)}[c.IntN(4)]
		}
		if f, ok := any(s).([]float32); ok && kind > 1 {
			f[c.IntN(n)] = float32([]float64{math.NaN(), math.Copysign(math.NaN(), -1), math.Inf(1), math.Inf(-1)}[c.IntN(4)])
		}
	}
	return s
}

// same reports whether two numbers have the same bits, or both are NaN.
func same[T Real](a, b T) bool {
	return a == b && math.Signbit(float64(a)) == math.Signbit(float64(b)) || a != a && b != b
}

func randomSum[T Real](c *randomCase) {
	s := randomReals[T](c)
	if got, want := Sum(s), slowSum(s); !same(got, want) {
		c.Fatalf("NDMAP_SEED=%d: the sum of %d elements is %v, want %v", c.seed, len(s), got, want)
	}
}

// maybeReverse reverses the bytes of each number of s and returns the size of a number, or does nothing and returns 0.
func maybeReverse[T Real](c *randomCase, s []T) int {
	if c.IntN(2) == 0 {
		return 0
	}
	turned, swap := reversed(s)
	size := int(unsafe.Sizeof(T(0)))
	copy(Bytes(Pointer(unsafe.SliceData(s)), len(s)*size), Bytes(Pointer(unsafe.SliceData(turned)), len(s)*size))
	return swap
}

// randomRows draws m rows of n numbers of s. The rows may have gaps, overlap, or be equal. They start at number first,
// and continue upward or downward.
func randomRows[T Real](c *randomCase, s []T) (m, n, step, first int) {
	n, m = c.length(min(len(s), 300)), c.IntN(20)
	step = c.IntN(2*n + 2)
	if step > 0 {
		m = min(m, (len(s)-n)/step+1)
	}
	if m > 0 && c.IntN(2) == 0 {
		first, step = (m-1)*step, -step
	}
	return m, n, step, first
}

func randomSumRows[T Float](c *randomCase) {
	s := randomReals[T](c)
	m, n, step, first := randomRows(c, s)
	got, want := make([]float64, m), make([]float64, m)
	for i := range want {
		want[i] = slowSum(s[first+i*step:][:n])
	}
	swap := maybeReverse(c, s)
	SumRows[T](got, Pointer(unsafe.SliceData(s[first:])), step*int(unsafe.Sizeof(T(0))), n, swap)
	for i, x := range got {
		if !same(x, want[i]) {
			c.Fatalf("NDMAP_SEED=%d: the sum of row %d of %d of %d elements, %d apart, %d bytes reversed, is %v, want %v",
				c.seed, i, m, n, step, swap, x, want[i])
		}
	}
}

// randomAddWide tests that AddWide adds the sums of rows of integers to random sums.
func randomAddWide[T Integer](c *randomCase) {
	s := randomReals[T](c)
	m, n, step, first := randomRows(c, s)
	got, want := make([]int64, m), make([]int64, m)
	for i := range want {
		got[i] = int64(c.Uint64())
		want[i] = got[i]
		for _, x := range s[first+i*step:][:n] {
			want[i] += int64(x)
		}
	}
	swap := maybeReverse(c, s)
	AddWide[T](got, start(s[first:]), step*int(unsafe.Sizeof(T(0))), n, swap)
	if !slices.Equal(got, want) {
		c.Fatalf("NDMAP_SEED=%d: the sums of %d rows of %d elements, %d apart, %d bytes reversed, are %v, want %v", c.seed, m,
			n, step, swap, got, want)
	}
}

func randomMinMax[T Real](c *randomCase) {
	s := randomReals[T](c)
	if len(s) == 0 {
		return
	}
	lo, hi := s[0], s[0]
	for _, x := range s {
		lo, hi = min(lo, x), max(hi, x)
	}
	swap := maybeReverse(c, s)
	if l, h := MinMax(s, swap); !same(l, lo) || !same(h, hi) {
		c.Fatalf("NDMAP_SEED=%d: the least and greatest of %d elements, %d bytes reversed, are %v and %v, want %v and %v",
			c.seed, len(s), swap, l, h, lo, hi)
	}
	if l, h := Extreme(s, swap, false), Extreme(s, swap, true); !same(l, lo) || !same(h, hi) {
		c.Fatalf("NDMAP_SEED=%d: Extreme of %d elements, %d bytes reversed, is %v and %v, want %v and %v", c.seed, len(s),
			swap,
			l, h, lo, hi)
	}
}

func randomFirstOf[T Real](c *randomCase) {
	s := randomReals[T](c)
	if len(s) == 0 {
		return
	}
	x, want := s[c.IntN(len(s))], 0
	for s[want] != x && (s[want] == s[want] || x == x) {
		want++
	}
	swap := maybeReverse(c, s)
	if got := FirstOf(s, x, swap); got != want {
		c.Fatalf("NDMAP_SEED=%d: the first %v of %d elements, %d bytes reversed, is at %d, want %d", c.seed, x, len(s), swap,
			got, want)
	}
}

func randomSumExact[T int64 | uint64](c *randomCase) {
	s := randomReals[T](c)
	want := new(big.Int)
	for _, x := range s {
		if x < 0 {
			want.Add(want, big.NewInt(int64(x)))
		} else {
			want.Add(want, new(big.Int).SetUint64(uint64(x)))
		}
	}
	hi, lo := SumExact(s, maybeReverse(c, s))
	got := new(big.Int).Lsh(big.NewInt(hi), 64)
	if got.Add(got, new(big.Int).SetUint64(lo)); got.Cmp(want) != 0 {
		c.Fatalf("NDMAP_SEED=%d: the sum of %d numbers is %d, want %d", c.seed, len(s), got, want)
	}
}

func randomSumSquares[T int8 | uint8 | int16 | uint16](c *randomCase) {
	s := randomReals[T](c)
	var sum, squares int64
	for _, x := range s {
		sum += int64(x)
		squares += int64(x) * int64(x)
	}
	if a, b := SumAndSquares(s); a != sum || b != uint64(squares) {
		c.Fatalf("NDMAP_SEED=%d: the sums of %d numbers and of their squares are %d and %d, want %d and %d", c.seed, len(s),
			a, b,
			sum, squares)
	}
}
