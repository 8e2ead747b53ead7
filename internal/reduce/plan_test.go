package reduce

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/strided"
)

// newSource returns a Source with elements of dtype d at p.
func newSource(p pointer, lay index.Layout, d dtype.DType) *Source {
	mem := &strided.Memory{Base: p, Size: math.MaxInt}
	piece := strided.Piece{P: p, Layout: lay, ItemSize: d.ItemSize(), Mem: mem}
	return &Source{Pieces: []strided.Piece{piece}, Positions: []int{0}, Type: d.WithByteOrder(dtype.Native), DType: d}
}

// newJob returns a Job for op that reduces the given axes of a layout, or all axes if axes is nil.
func newJob(op Op, lay index.Layout, axes []int) Job {
	j := Job{Op: op, Reduced: make([]bool, lay.NDim()), Positions: make([]int, lay.NDim()), Convert: elem.New}
	for k := range j.Reduced {
		j.Reduced[k] = axes == nil
	}
	for _, k := range axes {
		j.Reduced[k] = true
	}
	step := 1
	for k := lay.NDim() - 1; k >= 0 && op.isArg(); k-- {
		if j.Reduced[k] {
			j.Positions[k] = step
			step *= lay.Len(k)
		}
	}
	return j
}

// String describes p: "columns in place, tiles of 8×4096", or "rows gathered by axes 1 0, tiles of 4×1024".
func (p *plan) String() string {
	kind, place, tile := "columns", "in place", ""
	if p.rows {
		kind = "rows"
	}
	if !p.direct {
		place = "gathered by axes " + strings.Trim(fmt.Sprint(p.order), "[]")
	}
	if p.swap > 0 {
		place += ", bytes reversed"
	}
	for _, n := range p.tile {
		tile += "×" + strconv.Itoa(n)
	}
	return kind + " " + place + ", tiles of " + strings.TrimPrefix(tile, "×")
}

// TestPlan tests the plans for typical reductions. It reads no elements.
func TestPlan(t *testing.T) {
	f8, f4, u1, u2 := dtype.Float64, dtype.Float32, dtype.Uint8, dtype.Uint16
	big := dtype.Float64.WithByteOrder(dtype.BigEndian)
	if dtype.Native == dtype.BigEndian {
		big = dtype.Float64.WithByteOrder(dtype.LittleEndian)
	}
	for _, tt := range []struct {
		name           string
		op             Op
		d              dtype.DType
		shape, strides []int // nil strides mean C order
		axes           []int
		want           string
	}{
		{"whole", Sum, f8, []int{1000, 1000}, nil, nil, "rows in place, tiles of 32768; merged"},
		{"whole, small numbers", Max, u1, []int{1000}, nil, nil, "rows in place, tiles of 1000; one goroutine"},
		{"first axis", Sum, f8, []int{1000, 1000}, nil, []int{0}, "columns in place, tiles of 32×1000; merged"},
		{"last axis", Sum, f8, []int{1000, 1000}, nil, []int{1}, "rows in place, tiles of 32×1000; separate"},
		{"middle axis", Mean, f4, []int{100, 100, 100}, nil, []int{1}, "columns in place, tiles of 1×100×100; separate"},
		{"first and last axis", ArgMax, u2, []int{100, 100, 100}, nil, []int{0, 2},
			"columns gathered by axes 0 2 1, tiles of 1×40×100; merged"},
		{"short rows with gaps, one result", Var, f8, []int{500000, 18}, []int{160, 8}, nil,
			"rows gathered by axes 0 1, tiles of 455×18; merged"},
		{"long rows with gaps", Sum, f8, []int{500, 1000}, []int{16000, 8}, nil, "rows in place, tiles of 1×1000; merged"},
		{"numbers with gaps", Min, f4, []int{1000, 1000}, []int{8000, 8}, nil,
			"rows gathered by axes 0, tiles of 4096; merged"},
		{"extremes of short rows", Max, f4, []int{100000, 20}, nil, []int{1},
			"columns gathered by axes 1 0, tiles of 204×20; separate"},
		{"sums of short rows", Sum, f4, []int{100000, 20}, nil, []int{1},
			"rows in place, tiles of 3264×20; separate"},
		{"Fortran order", Std, f8, []int{1000, 1000}, []int{8, 8000}, []int{0}, "rows in place, tiles of 64×1000; separate"},
		{"converted", Mean, dtype.Int64, []int{1000, 1000}, nil, []int{1},
			"rows gathered by axes 0 1, tiles of 4×1000; separate"},
		{"bytes reversed", Sum, big, []int{1000, 1000}, nil, []int{1},
			"rows in place, bytes reversed, tiles of 32×1000; separate"},
		{"bytes reversed, count of zeros", Count, dtype.Int32.WithByteOrder(big.ByteOrder()), []int{1000, 1000}, nil, nil,
			"rows in place, tiles of 65536; merged"},
		{"extremes of a broadcast array", Max, f8, []int{50, 1000}, []int{0, 8}, nil,
			"rows in place, tiles of 1000; one goroutine"},
		{"sum of a broadcast array", Sum, f8, []int{50, 1000}, []int{0, 8}, nil,
			"rows gathered by axes 0 1, tiles of 81×50; one goroutine"},
		{"large, many results", Sum, f8, []int{1000, 100000}, nil, []int{0}, "columns in place, tiles of 8×4096; in slabs"},
		{"large, whole", Sum, f8, []int{1000, 100000}, nil, nil, "rows in place, tiles of 32768; merged"},
		{"large, rows", Sum, f8, []int{100000, 1000}, nil, []int{1}, "rows in place, tiles of 32×1000; separate"},
		{"large, few long rows", Sum, f8, []int{3, 10000000}, nil, []int{1},
			"rows in place, tiles of 3×32768; index by index"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lay, err := index.NewLayout(tt.shape, tt.d.ItemSize(), index.C)
			if tt.strides != nil {
				lay, err = index.Strided(tt.shape, tt.strides)
			}
			if err != nil {
				t.Fatal(err)
			}
			memory := strided.Alloc(8)
			e := new(engine)
			j := newJob(tt.op, lay, tt.axes)
			results := []int{}
			for k, reduced := range j.Reduced {
				if !reduced {
					results = append(results, tt.shape[k])
				}
			}
			to, err := index.NewLayout(results, 8, index.C)
			if err != nil {
				t.Fatal(err)
			}
			dst := strided.Piece{P: strided.Start(memory), Layout: to, ItemSize: 8, Mem: &strided.Memory{}}
			if err := e.init(j, dst, newSource(strided.Start(memory), lay, tt.d)); err != nil {
				t.Fatal(err)
			}
			way, _ := e.chooseSharing(e.boxes[0])
			if e.partCounts() != nil {
				way = separate
			}
			if got := fmt.Sprintf("%v; %v", &e.plan, way); got != tt.want {
				t.Errorf("%s: %v of %v %v\ngot  %s\nwant %s", tt.name, tt.op, tt.d, lay, got, tt.want)
			}
		})
	}
}

// TestSmall tests that Small returns the same results as Whole, bit for bit.
func TestSmall(t *testing.T) {
	testSmall[int8](t, dtype.Int8)
	testSmall[int16](t, dtype.Int16)
	testSmall[int32](t, dtype.Int32)
	testSmall[int64](t, dtype.Int64)
	testSmall[uint8](t, dtype.Uint8)
	testSmall[uint16](t, dtype.Uint16)
	testSmall[uint32](t, dtype.Uint32)
	testSmall[uint64](t, dtype.Uint64)
	testSmall[float32](t, dtype.Float32)
	testSmall[float64](t, dtype.Float64)
}

func testSmall[T kernel.Real](t *testing.T, d dtype.DType) {
	r := oracle.Rand(t, 37)
	for range oracle.Cases(t, 100) {
		s := make([]T, 1+r.IntN(1+r.IntN(contiguousTileBytes/d.ItemSize())))
		for i := range s {
			s[i] = T(r.IntN(200)) - T(r.IntN(90))
			if T(1)/2 != 0 {
				s[i] += T(r.Float64())
			}
		}
		lay, err := index.NewLayout([]int{len(s)}, d.ItemSize(), index.C)
		if err != nil {
			t.Fatal(err)
		}
		for op := range MinMax + 1 {
			src := newSource(strided.Start(strided.Bytes(s)), lay, d)
			j := newJob(op, lay, nil)
			got, ok := j.Small(d, src.Pieces[0])
			isSmall := op <= Count && op != Var && op != Std || op >= Total
			if ok != isSmall {
				t.Fatalf("operation %d of %v: %v", op, d, ok)
			}
			if !isSmall {
				continue
			}
			want, err := j.Whole(src)
			if err != nil {
				t.Fatal(err)
			}
			if op == Min || op == Max { // the second word is unspecified
				got, want = first[T](got), first[T](want)
			}
			if ok && got != want {
				t.Fatalf("operation %d of %d %v: %v, want %v", op, len(s), d, got, want)
			}
		}
	}
}

// first returns a Number that contains only the first word of x, as a T.
func first[T any](x Number) (y Number) {
	strided.Store(pointer(&y.words), 0, As[T](x))
	return y
}
