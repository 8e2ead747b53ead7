package array

import (
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestAllocs tests that no operation allocates more often than it must. A reduction of a file allocates a layout, to
// find the pages of the file.
func TestAllocs(t *testing.T) {
	oracle.CountsAllocations(t)
	inFile := func(d dtype.DType) (*File, error) { return Create(tempPath(t), d, index.C, 3, 4, 5) }
	inMemory := func(d dtype.DType) (*File, error) { return New(d, index.C, 3, 4, 5) }
	t.Run("memory", func(t *testing.T) { testAllocs(t, inMemory, 0) })
	t.Run("file", func(t *testing.T) { testAllocs(t, inFile, 1) })
}

func testAllocs(t *testing.T, create func(dtype.DType) (*File, error), reduction float64) {
	for _, order := range []dtype.ByteOrder{dtype.LittleEndian, dtype.BigEndian} {
		f, err := create(dtype.Float64.WithByteOrder(order))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		v := must(As[float64](f.Array))
		cast, scaled, taken := must(Cast[int32](f.Array)), must(Scaled[float32](f.Array, 2, 1)), make([]float32, 0, 40)
		rows := []int{1, 0}
		same, single := must(create(dtype.Float64)), must(create(dtype.Float32))
		defer same.Close()
		defer single.Close()
		transposed := must(must(f.T().Clone(index.C)).Transpose())
		part := must(v.Select(index.Colon, index.Every(-2)))
		for _, c := range []struct {
			name string
			most float64
			run  func()
		}{
			{"As", 0, func() { v, _ = As[float64](f.Array) }},
			{"At", 0, func() { sink = v.At(1, 2, 3) }},
			{"Transpose", 1, func() { v.Transpose(2, 0, 1) }},
			{"T", 1, func() { v.T() }},
			{"MoveAxis", 1, func() { v.MoveAxis(0, -1) }},
			{"Reshape", 1, func() { v.Reshape(-1, 2) }},
			{"Ravel", 1, func() { v.Ravel() }},
			{"Broadcast", 1, func() { v.Broadcast(2, 3, 4, 5) }},
			{"ExpandDims", 1, func() { v.ExpandDims(0) }},
			{"Squeeze", 1, func() { v.Squeeze() }},
			{"Diagonal", 1, func() { v.Diagonal(0, 0, 1) }},
			{"SetAt", 0, func() { v.SetAt(1, 1, 2, 3) }},
			{"Values", 0, func() {
				for x := range v.Values() {
					sink += x
				}
			}},
			{"Values of a part", 0, func() {
				for x := range part.Values() {
					sink += x
				}
			}},
			{"All C", 0, func() {
				for idx, x := range v.All(index.C) {
					sink += x * float64(idx[0])
				}
			}},
			{"All F", 0, func() {
				for idx, x := range part.All(index.F) {
					sink += x * float64(idx[1])
				}
			}},
			{"Index", 0, func() { sink += v.Index(2).Index(1).At(0) }},
			{"Axis 0", 1, func() { // allocates its layout
				for _, w := range v.Axis(0) {
					sink += w.At(0, 0)
				}
			}},
			{"Axis 2", 1, func() {
				for _, w := range v.Axis(2) {
					sink += w.At(0, 0)
				}
			}},
			{"Select", 1, func() { part, _ = v.Select(index.Colon, index.Every(-2)) }},
			{"Fill", 0, func() { v.Fill(2) }},
			{"Cast", 1, func() { cast, _ = Cast[int32](f.Array) }},
			{"At of a Cast", 0, func() { sink = float64(cast.At(1, 2, 3)) }},
			{"SetAt of a Cast", 0, func() { cast.SetAt(1, 1, 2, 3) }},
			{"Values of a Cast", 0, func() {
				for x := range cast.Values() {
					sink += float64(x)
				}
			}},
			{"At of Scaled", 0, func() { sink = float64(scaled.At(1, 2, 3)) }},
			{"SetAt of Scaled", 0, func() { scaled.SetAt(1, 1, 2, 3) }},
			{"Values of Scaled", 0, func() {
				for x := range scaled.Values() {
					sink += float64(x)
				}
			}},
			{"AppendRows of Scaled", 0, func() { taken = must(scaled.AppendRows(taken[:0], rows)) }},
			{"Sum", reduction, func() { sink = Sum[float64](v) }},
			{"Sum of a part", reduction, func() { sink = Sum[float64](part) }},
			{"Mean", reduction, func() { sink = Mean(v) }},
			{"MinMax", reduction, func() { sink, _ = MinMax(v) }},
			{"MinMax of a part", reduction, func() { sink, _ = MinMax(part) }},
			{"Copy", 0, func() { Copy(same.Array, f.Array) }},
			{"Copy, converting", 0, func() { Copy(single.Array, f.Array) }},
			{"Copy, transposed", 0, func() { Copy(single.Array, transposed) }},
		} {
			t.Run(c.name, func(t *testing.T) {
				if got := testing.AllocsPerRun(100, c.run); got > c.most {
					t.Errorf("%v %s: %v allocations, want at most %v", order, c.name, got, c.most)
				}
			})
		}
	}
}

// TestAllocsOfLoops tests how many times loops over files allocate.
func TestAllocsOfLoops(t *testing.T) {
	oracle.CountsAllocations(t)
	for _, order := range []index.Order{index.C, index.F} {
		f := must(Create(tempPath(t), dtype.Float64, order, 600, 600))
		defer f.Close()
		whole := must(As[float64](f.Array))
		whole.Fill(1) // so that all pages are in memory
		for _, tt := range []struct {
			name string
			v    View[float64]
			most float64
		}{
			{"whole", whole, 0},
			{"transposed", whole.T(), 0},
			{"reversed", must(whole.Select(index.Reverse(), index.Reverse())), 0},
			{"every third row", must(whole.Select(index.Every(3))), 3}, // with gaps of more than a page
			{"every third column", must(whole.Select(index.Colon, index.Every(3))), 3},
		} {
			t.Run(order.String()+", "+tt.name, func(t *testing.T) {
				got := testing.AllocsPerRun(100, func() {
					for x := range tt.v.Values() {
						sink += x
					}
				})
				if got > tt.most {
					t.Errorf("Values: %v allocations, want at most %v", got, tt.most)
				}
			})
		}
	}
}

// TestAllocsOpen tests that Open and Close allocate at most 12 times.
func TestAllocsOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	f, err := Create(path, dtype.Float64, index.C, 3, 4, 5)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	got := testing.AllocsPerRun(100, func() {
		f, err := Open(path, mmap.ReadOnly)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	})
	if got > 12 {
		t.Errorf("Open and Close: %v allocations, want at most 12", got)
	}
	t.Logf("Open and Close: %v allocations", got)
}
