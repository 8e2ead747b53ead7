package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// Loops that take several numbers at a time, against those that take one, in long and in
// short calls.
func TestWideSums(t *testing.T) {
	defer func(c int) { callBytes = c }(callBytes)
	for _, callBytes = range []int{callBytes, 640} {
		testWideSums(t)
	}
	defer func(v bool) { vectors = v }(vectors)
	vectors = false
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
	testNonzero[float32](t)
	testNonzero[float64](t)
}

// NaN is not 0, and -0 is.
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

func testWide[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for range 200 {
		s := make([]T, r.IntN(70))
		if r.IntN(40) == 0 {
			s = make([]T, 300_000+r.IntN(20))
		}
		least := r.IntN(2) == 0 // all the same, as large as can be
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
		if got := SumWide(s); got != want {
			t.Fatalf("%T: the sum of %d numbers is %d, want %d", s, len(s), got, want)
		}
		if got := Nonzero(s); got != nonzero {
			t.Fatalf("%T: %d of %d numbers are not 0, want %d", s, got, len(s), nonzero)
		}
	}
}

// Columns of the largest and of random integers, in as many rows as 32 bits have room for and
// more, against one number after the other.
func TestAddIntegers(t *testing.T) {
	testAddIntegers[int8](t)
	testAddIntegers[int16](t)
	testAddIntegers[int32](t)
	testAddIntegers[int64](t)
	testAddIntegers[uint8](t)
	testAddIntegers[uint16](t)
	testAddIntegers[uint32](t)
	testAddIntegers[uint64](t)
}

func testAddIntegers[T Integer](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	for k := range 100 {
		m, n := r.IntN(20), 1+r.IntN(100)
		if k == 0 {
			m, n = 40_000, 33
		}
		s := make([]T, m*n+1)
		for i := range s {
			if s[i] = T(r.Uint64()); k < 10 {
				s[i] = T([]uint64{1 << 63 >> 56, 1 << 63 >> 48, 1 << 63 >> 32, 1<<64 - 1}[r.IntN(4)]) - T(k&1)
			}
		}
		sum, want := make([]int64, n), make([]int64, n)
		for j := range n {
			sum[j] = int64(r.Uint64())
			want[j] = sum[j]
			for i := range m {
				want[j] += int64(s[i*n+j])
			}
		}
		AddIntegers[T](sum, Pointer(&s[0]), n*int(unsafe.Sizeof(s[0])), m)
		for j, x := range sum {
			if x != want[j] {
				t.Fatalf("%T: the sum of column %d of %d × %d numbers is %d, want %d", s, j, m, n, x, want[j])
			}
		}
	}
}

// sameNumbers reports whether two slices have the same numbers, or NaN where the other has.
func sameNumbers[T Real](s, t []T) bool {
	for i, x := range s {
		if y := t[i]; x != y && (x == x || y == y) {
			return false
		}
	}
	return true
}

// Columns with vectors and without are the same.
func TestColumns(t *testing.T) {
	testColumns[int8](t)
	testColumns[uint8](t)
	testColumns[int16](t)
	testColumns[uint16](t)
	testColumns[int32](t)
	testColumns[uint32](t)
	testColumns[int64](t)
	testColumns[float32](t)
	testColumns[float64](t)
}

func testColumns[T Real](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for range 300 {
		m, n := 1+r.IntN(20), 1+r.IntN(200)
		s := make([]T, m*n)
		for i := range s {
			if s[i] = T(r.Uint64()>>(r.IntN(64))) / 3; r.IntN(200) == 0 && isFloat[T]() {
				s[i] = T(math.NaN())
			}
		}
		least, greatest := make([]T, n), make([]T, n)
		wantLeast, wantGreatest := make([]T, n), make([]T, n)
		for j := range n {
			least[j], greatest[j] = T(r.IntN(100)), T(r.IntN(100))
			wantLeast[j], wantGreatest[j] = least[j], greatest[j]
			for i := range m {
				wantLeast[j], wantGreatest[j] = min(wantLeast[j], s[i*n+j]), max(wantGreatest[j], s[i*n+j])
			}
		}
		stride := n * int(unsafe.Sizeof(s[0]))
		LeastOf(least, Pointer(&s[0]), stride, m)
		GreatestOf(greatest, Pointer(&s[0]), stride, m)
		if !sameNumbers(least, wantLeast) || !sameNumbers(greatest, wantGreatest) {
			t.Fatalf("%T of %d × %d: %v %v, want %v %v", s, m, n, least, greatest, wantLeast, wantGreatest)
		}
		f, ok := any(s).([]float64)
		if !ok {
			continue
		}
		from := make([]float64, n)
		for j := range from {
			from[j] = float64(r.IntN(1000))
		}
		for name, add := range map[string]func(hi, lo, from []float64, p Pointer){
			"sums":               func(hi, lo, _ []float64, p Pointer) { AddFloats[float64](hi, lo, p, stride, m) },
			"subtracted sums":    func(hi, _, from []float64, p Pointer) { SubtractedSums(hi, from, p, stride, m) },
			"subtracted squares": func(hi, lo, from []float64, p Pointer) { SubtractedSquares(hi, lo, from, p, stride, m) },
		} {
			hi, lo, wantHi, wantLo := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
			add(hi, lo, from, Pointer(&f[0]))
			for j := range n { // of one column there are no vectors
				add(wantHi[j:j+1], wantLo[j:j+1], from[j:j+1], Pointer(&f[j]))
			}
			if !sameNumbers(hi, wantHi) || !sameNumbers(lo, wantLo) {
				t.Fatalf("%s of %d × %d: %v, want %v", name, m, n, hi, wantHi)
			}
		}
	}
}

// Sums and squares of rows of any length are those of plain Go to some ulps.
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
		if got := SubtractedSum(s, from); math.Abs(got-sum) > 1e-14*size {
			t.Errorf("sum of %d: %v, want %v", n, got, sum)
		}
		if got, lo := SubtractedSquare(s, from); math.Abs(got-squares) > 1e-13*squares || math.Abs(lo) > 1e-15*squares {
			t.Errorf("squares of %d: %v and %v, want %v", n, got, lo, squares)
		}
	}
}
