package kernel

import (
	"fmt"
	"os"
	"testing"
	"unsafe"
)

// functionsToCount returns the functions whose instructions make bench-insns counts. Each processes n numbers or items.
// Functions on columns process 16 rows of n/16 numbers.
func functionsToCount() (works []struct {
	name string
	run  func(n int)
}) {
	src, dst := make([]uint64, 32<<10), make([]uint64, 32<<10)
	s, d := unsafe.Pointer(&src[0]), unsafe.Pointer(&dst[0])
	add := func(name string, run func(n int)) {
		works = append(works, struct {
			name string
			run  func(n int)
		}{name, run})
	}
	move := func(name string, size, step, swap int) {
		add(fmt.Sprintf("%s of %d bytes", name, size), func(n int) {
			Move(1, n, Side{d, 0, size}, Side{s, 0, step * size}, size, swap)
		})
	}
	for _, size := range []int{2, 4, 8} {
		move("bytes reversed,", size, 1, size)
	}
	for _, size := range []int{1, 2, 4, 8} {
		add(fmt.Sprintf("opposite order, of %d bytes", size), func(n int) {
			Move(1, n, Side{d, 0, size}, Side{Add(s, (n-1)*size), 0, -size}, size, 0)
		})
	}
	for _, size := range []int{1, 2, 4, 8} {
		move("every second", size, 2, 0)
	}
	move("every second, reversed,", 8, 2, 8)
	for _, size := range []int{1, 2, 4} {
		move("every fourth", size, 4, 0)
	}
	for _, size := range []int{1, 2, 4, 8} {
		for _, swap := range []int{0, size} {
			if swap == 1 {
				continue
			}
			add(fmt.Sprintf("transpose of %d bytes, %d reversed", size, swap), func(n int) {
				Transpose(d, n/64*size, s, 64*size, 64, n/64, size, swap)
			})
		}
	}
	realWorks[int8](add, s)
	realWorks[uint8](add, s)
	realWorks[int16](add, s)
	realWorks[uint16](add, s)
	realWorks[int32](add, s)
	realWorks[uint32](add, s)
	realWorks[int64](add, s)
	realWorks[uint64](add, s)
	realWorks[float32](add, s)
	realWorks[float64](add, s)
	integerWorks[int8, int32](add, s)
	integerWorks[uint8, int32](add, s)
	integerWorks[int16, int32](add, s)
	integerWorks[uint16, int32](add, s)
	integerWorks[int32, int64](add, s)
	integerWorks[uint32, int64](add, s)
	integerWorks[int64, int64](add, s)
	floatWorks[float32](add, s)
	floatWorks[float64](add, s)
	names := [nums]string{I8: "int8", I16: "int16", I32: "int32", I64: "int64", U8: "uint8", U16: "uint16", U32: "uint32",
		U64: "uint64", F32: "float32", F64: "float64"}
	for from := range nums {
		for to := range nums {
			if hasLoops && conversions.convert[from][to] != nil && names[from] != "" && names[to] != "" {
				add(names[from]+" to "+names[to], func(n int) { Convert(d, to, s, from, n, false) })
			}
		}
	}
	return works
}

func realWorks[T Real](add func(string, func(int)), p Pointer) {
	size := int(unsafe.Sizeof(T(0)))
	for _, swap := range []int{0, size} {
		if swap == 1 {
			continue
		}
		name := fmt.Sprintf("%T, %d reversed", T(0), swap)
		add("MinMax of "+name, func(n int) { MinMax(unsafe.Slice((*T)(p), n), swap) })
		x := make([]T, 256)
		add("LeastOf of "+name, func(n int) { LeastOf(x[:n/16], p, n/16*size, 16, swap) })
		add("GreatestOf of "+name, func(n int) { GreatestOf(x[:n/16], p, n/16*size, 16, swap) })
	}
}

func integerWorks[T Integer, A int32 | int64](add func(string, func(int)), p Pointer) {
	size := int(unsafe.Sizeof(T(0)))
	for _, swap := range []int{0, size} {
		if swap == 1 {
			continue
		}
		name := fmt.Sprintf("%T, %d reversed", T(0), swap)
		add("SumWide of "+name, func(n int) { SumWide(unsafe.Slice((*T)(p), n), swap) })
		x := make([]A, 256)
		add("AddIntegers of "+name, func(n int) { AddIntegers[T](x[:n/16], p, n/16*size, 16, swap) })
	}
}

func floatWorks[T Float](add func(string, func(int)), p Pointer) {
	size := int(unsafe.Sizeof(T(0)))
	for _, swap := range []int{0, size} {
		name := fmt.Sprintf("%T, %d reversed", T(0), swap)
		sums := make([]float64, 64)
		add("SumRows of "+name, func(n int) { SumRows[T](sums[:n/64], p, 64*size, 64, swap) })
		hi, lo := make([]float64, 256), make([]float64, 256)
		add("AddFloats of "+name, func(n int) { AddFloats[T](hi[:n/16], lo[:n/16], p, n/16*size, 16, swap) })
	}
}

// mark separates the functions in the log of executed instructions, which internal/insns reads.
//
//go:noinline
func mark() { marks++ }

var marks int

// TestInsns runs each function on 2,048 and on 4,096 items, in plain Go and with loops, with marks before and after
// each run. internal/insns runs this test, counts the instructions between marks, and subtracts.
func TestInsns(t *testing.T) {
	if os.Getenv("NDMAP_INSNS") == "" {
		t.Skip("internal/insns runs this")
	}
	for _, w := range functionsToCount() {
		fmt.Println("work:", w.name)
		for _, loops := range []bool{false, true} {
			restore := useLoops(loops)
			for _, n := range []int{2048, 4096} {
				mark()
				w.run(n)
				mark()
			}
			restore()
		}
	}
}
