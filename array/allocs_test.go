package array

import (
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestAllocs tests how many times each operation allocates.
func TestAllocs(t *testing.T) {
	oracle.CountsAllocations(t)
	for _, order := range []dtype.ByteOrder{dtype.LittleEndian, dtype.BigEndian} {
		f, err := New(dtype.Float64.WithByteOrder(order), index.C, 3, 4, 5)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		v := must(As[float64](f.Array))
		cast, scaled, taken := must(Cast[int32](f.Array)), must(Scaled[float32](f.Array, 2, 1)), make([]float32, 0, 40)
		rows := []int{1, 0}
		same, single := must(New(dtype.Float64, index.C, 3, 4, 5)), must(New(dtype.Float32, index.C, 3, 4, 5))
		defer same.Close()
		defer single.Close()
		transposed := must(must(f.T().Clone(index.C)).Transpose())
		part := must(v.Select(index.Colon, index.Every(-2)))
		for _, c := range []struct {
			name string
			want float64
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
			{"Sum", 0, func() { sink = Sum[float64](v) }},
			{"Sum of a part", 0, func() { sink = Sum[float64](part) }},
			{"Mean", 0, func() { sink = Mean(v) }},
			{"MinMax", 0, func() { sink, _ = MinMax(v) }},
			{"MinMax of a part", 0, func() { sink, _ = MinMax(part) }},
			{"Copy", 0, func() { Copy(same.Array, f.Array) }},
			{"Copy, converting", 0, func() { Copy(single.Array, f.Array) }},
			{"Copy, transposed", 0, func() { Copy(single.Array, transposed) }},
		} {
			t.Run(c.name, func(t *testing.T) {
				if got := testing.AllocsPerRun(100, c.run); got != c.want {
					t.Errorf("%v %s: %v allocations, want %v", order, c.name, got, c.want)
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
