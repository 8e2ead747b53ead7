package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// TestWideSums tests that loops that take several numbers at a time have the same results as loops that take one
// number at a time, in long and in short calls.
func TestWideSums(t *testing.T) {
	defer func(c int) { callBytes = c }(callBytes)
	for _, callBytes = range []int{callBytes, 640} {
		testWideSums(t)
	}
	defer useLoops(false)()
	testWideSums(t)
}

func testWideSums(t *testing.T) {
	testWide[int8](t)
	testWide[int16](t)
	testWide[int32](t)
	testWide[int64](t)
	testWide[uint8](t)
	testWide[uint16](t)
	testWide[uint32](t)
	testWide[uint64](t)
	testExact[int64](t)
	testExact[uint64](t)
	testNonzero[float32](t)
	testNonzero[float64](t)
}

// testNonzero tests that NaN is nonzero, and that -0 is zero.
func testNonzero[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	values := []T{0, T(math.Copysign(0, -1)), T(math.NaN()), T(math.Inf(-1)), T(math.Float32frombits(1)), 1}
	for range 200 {
		s, want := make([]T, r.IntN(2000)), 0
		for i := range s {
			if s[i] = values[r.IntN(len(values))]; s[i] != 0 {
				want++
			}
		}
		if got := Nonzero(s); got != want {
			t.Fatalf("%T: %d of %d numbers are not 0, want %d", s, got, len(s), want)
		}
	}
}

// reversed returns a copy of s with the bytes of each number reversed, and the size of a number.
func reversed[T Real](s []T) ([]T, int) {
	size := int(unsafe.Sizeof(T(0)))
	out := make([]T, len(s))
	b := Bytes(Pointer(unsafe.SliceData(out)), len(s)*size)
	copy(b, Bytes(Pointer(unsafe.SliceData(s)), len(s)*size))
	for ; len(b) > 0; b = b[size:] {
		for i := range size / 2 {
			b[i], b[size-1-i] = b[size-1-i], b[i]
		}
	}
	if size == 1 {
		return out, 0
	}
	return out, size
}

func testWide[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for range 200 {
		s := make([]T, r.IntN(70))
		if r.IntN(40) == 0 {
			s = make([]T, 300_000+r.IntN(20))
		}
		least := r.IntN(2) == 0 // all numbers are the least, or the greatest
		want, nonzero := int64(0), 0
		for i := range s {
			switch s[i] = T(r.Uint64()); {
			case least:
				s[i] = ^T(0) >> 1
			case r.IntN(4) == 0:
				s[i] = 0
			}
			want += int64(s[i])
			if s[i] != 0 {
				nonzero++
			}
		}
		if got := SumWide(s, 0); got != want {
			t.Fatalf("%T: the sum of %d numbers is %d, want %d", s, len(s), got, want)
		}
		if got := SumWide(reversed(s)); got != want {
			t.Fatalf("%T: the sum of %d numbers whose bytes are reversed is %d, want %d", s, len(s), got, want)
		}
		if got := Nonzero(s); got != nonzero {
			t.Fatalf("%T: %d of %d numbers are not 0, want %d", s, got, len(s), nonzero)
		}
	}
}

func testExact[T int64 | uint64](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	values := []T{0, 1, ^T(0), ^T(0) >> 1, 1 << 62, 1 << 48, 1<<48 - 1, ^T(0) << 47, ^T(0) << 47 >> 1}
	values = append(values, values[3]+1) // the least number plus 1
	for range 300 {
		s, want := make([]T, r.IntN(200)), new(big.Int)
		if r.IntN(40) == 0 {
			s = make([]T, 70_000+r.IntN(20))
		}
		some := values[r.IntN(len(values)):] // often only one value
		for i := range s {
			if s[i] = some[r.IntN(len(some))]; r.IntN(4) == 0 && len(some) > 1 {
				s[i] = T(r.Uint64())
			}
			if s[i] < 0 {
				want.Add(want, big.NewInt(int64(s[i])))
			} else {
				want.Add(want, new(big.Int).SetUint64(uint64(s[i])))
			}
		}
		check := func(s []T, swap int) {
			hi, lo := SumExact(s, swap)
			got := new(big.Int).Lsh(big.NewInt(hi), 64)
			if got.Add(got, new(big.Int).SetUint64(lo)); got.Cmp(want) != 0 {
				t.Fatalf("%T: the sum of %d numbers with swap %d is %d, want %d", s, len(s), swap, got, want)
			}
		}
		check(s, 0)
		check(reversed(s))
	}
}

// TestSubtracted tests that the sums of deviations and of their squares agree with plain Go to a few ulps, for rows of
// any length.
func TestSubtracted(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	for n := range 300 {
		s := make([]float64, n)
		from, sum, squares, size := r.NormFloat64(), 0.0, 0.0, 0.0
		for i := range s {
			s[i] = r.NormFloat64()
			d := s[i] - from
			sum, squares, size = sum+d, squares+float64(d*d), size+math.Abs(d)
		}
		if turned, swap := reversed(s); SumDeviations(turned, from, swap) != SumDeviations(s, from, 0) {
			t.Errorf("sum of %d: %v if the bytes are reversed, want %v", n, SumDeviations(turned, from, swap), SumDeviations(s,
				from, 0))
		}
		if got := SumDeviations(s, from, 0); math.Abs(got-sum) > 1e-14*size {
			t.Errorf("sum of %d: %v, want %v", n, got, sum)
		}
		{
			turned, swap := reversed(s)
			got, lo := SumSquaredDeviations(turned, from, swap)
			if want, wantLo := SumSquaredDeviations(s, from, 0); got != want || lo != wantLo {
				t.Errorf("squares of %d: %v and %v if the bytes are reversed, want %v and %v", n, got, lo, want, wantLo)
			}
		}
		if got, lo := SumSquaredDeviations(s, from, 0); math.Abs(got-squares) > 1e-13*squares ||
			math.Abs(lo) > 1e-15*squares {
			t.Errorf("squares of %d: %v and %v, want %v", n, got, lo, squares)
		}
	}
}
