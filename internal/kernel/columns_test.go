package kernel

import (
	"slices"
	"testing"
	"unsafe"
)

// A matrix has m rows of n numbers. The distance between the starts of two rows is step numbers, so there may be gaps
// between the rows. If step is 0, all rows are the same.
type matrix[T Real] struct {
	s          []T
	m, n, step int
	swap       int   // the argument of LeastOf
	columns    [][]T // in native order
}

// randomMatrix returns a matrix in c.large. Sometimes all of its numbers are drawn from values.
func randomMatrix[T Real](c *randomCase, values ...T) (x matrix[T]) {
	size := int(unsafe.Sizeof(T(0)))
	x.n = 1 + c.length([]int{40, len(c.dst)/16 - 1}[c.IntN(2)]) // c.dst must hold two results for each column
	takes := size > 1 && c.IntN(3) == 0
	x.step = x.n + []int{0, 0, c.IntN(x.n/4 + 2)}[c.IntN(3)]
	x.m = min(c.length(2000), (len(c.large)/size-x.n)/x.step+1)
	if c.IntN(20) == 0 {
		x.step = 0
	}
	x.s = randomRealsOf[T](c, c.large, max(0, x.m-1)*x.step+x.n)
	if len(values) > 0 && c.IntN(4) == 0 {
		for i := range x.s {
			x.s[i] = values[c.IntN(len(values))]
		}
	}
	x.columns = make([][]T, x.n)
	for j := range x.columns {
		x.columns[j] = make([]T, x.m)
		for i := range x.m {
			x.columns[j][i] = x.s[i*x.step+j]
		}
	}
	if takes {
		turned, swap := reversed(x.s)
		copy(x.s, turned)
		x.swap = swap
	}
	return x
}

// args returns the arguments of x that all functions for columns take.
func (x *matrix[T]) args() (p Pointer, stride, m, swap int) {
	return start(x.s), x.step * int(unsafe.Sizeof(T(0))), x.m, x.swap
}

// results fills c.dst with random bytes. It returns n random numbers in c.dst, and a copy of c.dst.
func results[A Real](c *randomCase, n int) (got []A, all []byte) {
	size := int(unsafe.Sizeof(A(0)))
	at := c.offset(c.dst, n*size) &^ (size - 1)
	c.fill(c.dst)
	got = unsafe.Slice((*A)(start(c.dst[at:])), n)
	if c.IntN(2) == 0 {
		for j := range got {
			got[j] = A(c.IntN(64))
		}
	}
	return got, slices.Clone(c.dst)
}

// checkColumns tests that got, which is in c.dst, equals want, and that the remaining bytes of c.dst equal the bytes
// of all.
func checkColumns[A, T Real](c *randomCase, x matrix[T], got, want []A, all []byte) {
	c.Helper()
	for j, y := range got {
		if !same(y, want[j]) {
			c.Fatalf("NDMAP_SEED=%d: %T of %d × %d, %d apart, %d bytes reversed: column %d is %v, want %v", c.seed, x.s, x.m,
				x.n, x.step, x.swap, j, y, want[j])
		}
	}
	size := int(unsafe.Sizeof(A(0)))
	at := int(uintptr(start(got)) - uintptr(start(c.dst)))
	copy(all[at:], Bytes(start(got), len(got)*size))
	c.check(all, "%T of %d × %d, %d apart, %d bytes reversed", x.s, x.m, x.n, x.step, x.swap)
}

func randomExtremes[T Real](c *randomCase) {
	x := randomMatrix[T](c)
	for _, greatest := range []bool{false, true} {
		got, all := results[T](c, x.n)
		want := slices.Clone(got)
		for j, column := range x.columns {
			for _, y := range column {
				if greatest {
					want[j] = max(want[j], y)
				} else {
					want[j] = min(want[j], y)
				}
			}
		}
		p, stride, m, swap := x.args()
		if greatest {
			GreatestOf(got, p, stride, m, swap)
		} else {
			LeastOf(got, p, stride, m, swap)
		}
		checkColumns(c, x, got, want, all)
	}
}

func randomAddIntegers[T Integer, A int32 | int64](c *randomCase) {
	greatest := ^T(0)
	least := T(0)
	if greatest < 0 {
		least = T(1) << (8*unsafe.Sizeof(T(0)) - 1)
		greatest = ^least
	}
	x := randomMatrix(c, least, greatest)
	got, all := results[A](c, x.n)
	want := slices.Clone(got)
	for j, column := range x.columns {
		for _, y := range column {
			want[j] += A(y)
		}
	}
	p, stride, m, swap := x.args()
	AddIntegers[T](got, p, stride, m, swap)
	checkColumns(c, x, got, want, all)
}

// randomAddFloats compares the sums of all columns with sums of one column at a time, which plain Go computes.
func randomAddFloats[T Float](c *randomCase) {
	x := randomMatrix[T](c)
	got, all := results[float64](c, 2*x.n)
	want := slices.Clone(got)
	for j, column := range x.columns {
		AddFloats[T](want[j:j+1], want[x.n+j:x.n+j+1], start(column), int(unsafe.Sizeof(T(0))), x.m, 0)
	}
	p, stride, m, swap := x.args()
	AddFloats[T](got[:x.n], got[x.n:], p, stride, m, swap)
	checkColumns(c, x, got, want, all)
}

// randomColumnDeviations compares AddDeviations and AddSquaredDeviations of all columns with the results of one
// column at a time, which plain Go computes.
func randomColumnDeviations(c *randomCase) {
	x := randomMatrix[float64](c)
	got, all := results[float64](c, 2*x.n)
	want, from := slices.Clone(got), make([]float64, x.n)
	squares := c.IntN(2) == 0
	for j, column := range x.columns {
		from[j] = float64(c.IntN(1000))
		if squares {
			AddSquaredDeviations(want[j:j+1], want[x.n+j:x.n+j+1], from[j:j+1], start(column), 8, x.m, 0)
		} else {
			AddDeviations(want[j:j+1], from[j:j+1], start(column), 8, x.m, 0)
		}
	}
	p, stride, m, swap := x.args()
	if squares {
		AddSquaredDeviations(got[:x.n], got[x.n:], from, p, stride, m, swap)
	} else {
		AddDeviations(got[:x.n], from, p, stride, m, swap)
	}
	checkColumns(c, x, got, want, all)
}

func start[T any](s []T) Pointer { return Pointer(unsafe.SliceData(s)) }

// TestColumnsAllocate tests that loops over columns do not allocate memory.
func TestColumnsAllocate(t *testing.T) {
	s, sum, most := make([]uint8, 1000*100), make([]int64, 100), make([]uint8, 100)
	if n := testing.AllocsPerRun(10, func() {
		AddIntegers[uint8](sum, Pointer(&s[0]), 100, 1000, 0)
		GreatestOf(most, Pointer(&s[0]), 100, 1000, 0)
	}); n > 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// TestAddIntegersOverflow tests that AddIntegers does not overflow 32 bits when it computes sums of 64 bits. The sum of
// 1<<16 integers of 16 bits still fits 32 bits.
func TestAddIntegersOverflow(t *testing.T) {
	testAddIntegersOverflow[uint8](t, 255, -1)
	testAddIntegersOverflow[int8](t, -128, 1)
	testAddIntegersOverflow[uint16](t, 65535, -1)
	testAddIntegersOverflow[int16](t, -32768, 1)
}

// testAddIntegersOverflow adds up columns. All numbers of column j are first + j*step.
func testAddIntegersOverflow[T int8 | int16 | uint8 | uint16](t *testing.T, first, step int64) {
	const n, most = 33, 1 << 16
	row := make([]T, n)
	for j := range row {
		row[j] = T(first + int64(j)*step)
	}
	s := slices.Repeat(row, 2*most)
	for _, m := range []int{most - 1, most, most + 1, 2 * most} {
		sum := make([]int64, n)
		AddIntegers[T](sum, start(s), n*int(unsafe.Sizeof(row[0])), m, 0)
		for j, y := range sum {
			if want := int64(m) * int64(row[j]); y != want {
				t.Fatalf("%d rows of %T: column %d is %d, want %d", m, s, j, y, want)
			}
		}
	}
}
