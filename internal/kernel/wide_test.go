package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
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

// reversed returns numbers whose bytes are those of s in reverse, and their size.
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

// anyMatrix draws a number of rows and columns, of numbers of size bytes: so that their bytes may be reversed if
// whole is true.
func anyMatrix(r *rand.Rand, size int) (m, n int, whole bool) {
	if r.IntN(3) == 0 {
		return ReversedRows * (1 + r.IntN(4)), ReversedBytes / size * (1 + r.IntN(3)), vectors
	}
	if r.IntN(8) == 0 {
		return 1 + r.IntN(1000), 1 + r.IntN(200), false
	}
	return 1 + r.IntN(20), 1 + r.IntN(200), false
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
		if got := SumWide(s, 0); got != want {
			t.Fatalf("%T: the sum of %d numbers is %d, want %d", s, len(s), got, want)
		}
		if got := SumWide(reversed(s)); got != want && vectors {
			t.Fatalf("%T: the sum of %d numbers whose bytes are reversed is %d, want %d", s, len(s), got, want)
		}
		if got := Nonzero(s); got != nonzero {
			t.Fatalf("%T: %d of %d numbers are not 0, want %d", s, got, len(s), nonzero)
		}
	}
}

// Columns of the largest and of random integers, in as many rows as 32 bits have room for and
// more, against one number after the other.
func TestAddIntegers(t *testing.T) {
	testAddIntegers[int8, int32](t)
	testAddIntegers[int8, int64](t)
	testAddIntegers[int16, int32](t)
	testAddIntegers[int16, int64](t)
	testAddIntegers[int32, int64](t)
	testAddIntegers[int64, int64](t)
	testAddIntegers[uint8, int32](t)
	testAddIntegers[uint8, int64](t)
	testAddIntegers[uint16, int32](t)
	testAddIntegers[uint16, int64](t)
	testAddIntegers[uint32, int64](t)
	testAddIntegers[uint64, int64](t)
}

func testAddIntegers[T Integer, A int32 | int64](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	for k := range 100 {
		m, n, whole := anyMatrix(r, int(unsafe.Sizeof(T(0))))
		if k == 0 {
			m, n, whole = 40_000, 33, false
		}
		s := make([]T, m*n+1)
		for i := range s {
			if s[i] = T(r.Uint64()); k < 10 {
				s[i] = T([]uint64{1 << 63 >> 56, 1 << 63 >> 48, 1 << 63 >> 32, 1<<64 - 1}[r.IntN(4)]) - T(k&1)
			}
		}
		sum, want := make([]A, n), make([]A, n)
		var sumReversed []A
		for j := range n {
			sum[j] = A(r.Uint64())
			want[j], sumReversed = sum[j], append(sumReversed, sum[j])
			for i := range m {
				want[j] += A(s[i*n+j])
			}
		}
		AddIntegers[T](sum, Pointer(&s[0]), n*int(unsafe.Sizeof(s[0])), m, 0)
		if !slices.Equal(sum, want) {
			t.Fatalf("%T: the sums of %d × %d numbers are %d, want %d", s, m, n, sum, want)
		}
		rows, stride := make([]int64, m), n*int(unsafe.Sizeof(s[0]))
		AddWide[T](rows, Pointer(&s[0]), stride, n, 0)
		turned, swap := reversed(s)
		for i, x := range rows {
			if want := SumWide(s[i*n:(i+1)*n], 0); x != want {
				t.Fatalf("%T: the sum of row %d of %d × %d numbers is %d, want %d", s, i, m, n, x, want)
			}
			rows[i] = -x
		}
		if AddWide[T](rows, Pointer(&turned[0]), stride, n, swap); vectors && slices.ContainsFunc(rows, func(x int64) bool { return x != 0 }) {
			t.Fatalf("%T: the sums of rows of %d × %d numbers differ by %d if the bytes are reversed", s, m, n, rows)
		}
		if whole && swap < 8 {
			AddIntegers[T](sumReversed, Pointer(&turned[0]), n*int(unsafe.Sizeof(s[0])), m, swap)
			if !slices.Equal(sumReversed, want) {
				t.Fatalf("%T: the sums of %d × %d numbers whose bytes are reversed are %d, want %d", s, m, n, sumReversed, want)
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

func TestColumnsAllocate(t *testing.T) {
	s, sum, most := make([]uint8, 1000*100), make([]int64, 100), make([]uint8, 100)
	if n := testing.AllocsPerRun(10, func() {
		AddIntegers[uint8](sum, Pointer(&s[0]), 100, 1000, 0)
		GreatestOf(most, Pointer(&s[0]), 100, 1000, 0)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func testColumns[T Real](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for range 300 {
		m, n, whole := anyMatrix(r, int(unsafe.Sizeof(T(0))))
		s := make([]T, m*n)
		for i := range s {
			if s[i] = T(r.Uint64()>>(r.IntN(64))) / 3; r.IntN(200) == 0 && isFloat[T]() {
				s[i] = T(math.NaN())
			}
		}
		s[(m-1)*n+r.IntN(n)] = 127 // the most there is, of numbers of 8 bits
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
		turned, swap := reversed(s)
		whole = whole && (isFloat[T]() || swap < 8)
		if !whole {
			turned, swap = s, 0
		}
		for _, in := range []struct {
			s    []T
			swap int
		}{{s, 0}, {turned, swap}} {
			least, greatest := slices.Clone(least), slices.Clone(greatest)
			LeastOf(least, Pointer(&in.s[0]), stride, m, in.swap)
			GreatestOf(greatest, Pointer(&in.s[0]), stride, m, in.swap)
			if !sameNumbers(least, wantLeast) || !sameNumbers(greatest, wantGreatest) {
				t.Fatalf("%T of %d × %d, %d bytes reversed: %v %v, want %v %v", s, m, n, in.swap, least, greatest, wantLeast, wantGreatest)
			}
		}
		switch s := any(s).(type) {
		case []float32:
			turned := any(turned).([]float32)
			testSums(t, m, n, swap, s, turned, func(hi, lo, _ []float64, p Pointer, swap int) { AddFloats[float32](hi, lo, p, stride, m, swap) })
		case []float64:
			from, turned := make([]float64, n), any(turned).([]float64)
			for j := range from {
				from[j] = float64(r.IntN(1000))
			}
			testSums(t, m, n, swap, s, turned, func(hi, lo, _ []float64, p Pointer, swap int) { AddFloats[float64](hi, lo, p, stride, m, swap) })
			testSums(t, m, n, swap, s, turned, func(hi, _, from []float64, p Pointer, swap int) { SubtractedSums(hi, from, p, stride, m, swap) }, from...)
			testSums(t, m, n, swap, s, turned, func(hi, lo, from []float64, p Pointer, swap int) {
				SubtractedSquares(hi, lo, from, p, stride, m, swap)
			}, from...)
		}
	}
}

// testSums holds the sums of the columns of s against those of each by itself, for which there are no vectors, and those of
// turned, whose bytes are reversed if swap is not 0, against the first.
func testSums[T Float](t *testing.T, m, n, swap int, s, turned []T, add func(hi, lo, from []float64, p Pointer, swap int), from ...float64) {
	t.Helper()
	if from == nil {
		from = make([]float64, n)
	}
	hi, lo, wantHi, wantLo := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for j := range n {
		add(wantHi[j:j+1], wantLo[j:j+1], from[j:j+1], Pointer(&s[j]), 0)
	}
	add(hi, lo, from, Pointer(&s[0]), 0)
	if !sameNumbers(hi, wantHi) || !sameNumbers(lo, wantLo) {
		t.Fatalf("%T of %d × %d: %v, want %v", s, m, n, hi, wantHi)
	}
	clear(hi)
	clear(lo)
	add(hi, lo, from, Pointer(&turned[0]), swap)
	if !sameNumbers(hi, wantHi) || !sameNumbers(lo, wantLo) {
		t.Fatalf("%T of %d × %d, %d bytes reversed: %v, want %v", s, m, n, swap, hi, wantHi)
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
		if turned, swap := reversed(s); vectors && SubtractedSum(turned, from, swap) != SubtractedSum(s, from, 0) {
			t.Errorf("sum of %d: %v if the bytes are reversed, want %v", n, SubtractedSum(turned, from, swap), SubtractedSum(s, from, 0))
		}
		if got := SubtractedSum(s, from, 0); math.Abs(got-sum) > 1e-14*size {
			t.Errorf("sum of %d: %v, want %v", n, got, sum)
		}
		if turned, swap := reversed(s); vectors {
			got, lo := SubtractedSquare(turned, from, swap)
			if want, wantLo := SubtractedSquare(s, from, 0); got != want || lo != wantLo {
				t.Errorf("squares of %d: %v and %v if the bytes are reversed, want %v and %v", n, got, lo, want, wantLo)
			}
		}
		if got, lo := SubtractedSquare(s, from, 0); math.Abs(got-squares) > 1e-13*squares || math.Abs(lo) > 1e-15*squares {
			t.Errorf("squares of %d: %v and %v, want %v", n, got, lo, squares)
		}
	}
}

// Behind is right to the vector, also of ties and NaN, and in either byte order.
func TestBehind(t *testing.T) {
	if !hasVectors {
		t.Skip("no vectors in this build, or on this processor")
	}
	testBehind[int8](t)
	testBehind[uint8](t)
	testBehind[int16](t)
	testBehind[uint16](t)
	testBehind[int32](t)
	testBehind[uint32](t)
	testBehind[int64](t)
	testBehind[uint64](t)
	testBehind[float32](t)
	testBehind[float64](t)
}

func testBehind[T Real](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 6))
	size := int(unsafe.Sizeof(T(0)))
	for range 500 {
		n, least := r.IntN(600), r.IntN(2) == 0
		best, s := make([]T, n), make([]T, n)
		for i := range s {
			small, large := T(r.IntN(50)), T(100+r.IntN(100)) // of int8, some that are negative
			if small > large {
				small, large = large, small
			}
			if best[i], s[i] = large, small; least {
				best[i], s[i] = small, large
			}
			if r.IntN(100) > 0 {
				continue
			}
			switch s[i] = best[i]; r.IntN(3) {
			case 0:
				if s[i]++; least {
					s[i] -= 2
				}
			case 1:
				if isFloat[T]() {
					s[i] = T(math.NaN())
				}
			}
		}
		first := 0
		for first < n && (!least && s[first] <= best[first] || least && s[first] >= best[first]) {
			first++
		}
		want := min(first*size&^31, n*size&^127) / size
		turned, swap := reversed(s)
		if got, also := Behind(best, s, 0, least, 0), Behind(best, turned, swap, least, 0); got != want || also != want {
			t.Fatalf("%T, least %v: %d, with the bytes reversed %d, want %d of %d: %v %v", s, least, got, also, want, n, s, best)
		}
	}
}
