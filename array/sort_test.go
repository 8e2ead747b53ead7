package array

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestSort tests ArgSort, TopK and Unique with special values.
func TestSort(t *testing.T) {
	nan, zero := math.NaN(), math.Copysign(0, -1)
	times := must(New(dtype.MustParse("M8[s]"), index.C, 4))
	must(As[int64](times.Array)).CopyFrom(must(FromSlice([]int64{5, math.MinInt64, math.MaxInt64, math.MinInt64 + 1})))
	text := must(New(dtype.Unicode(2), index.C, 4))
	for i, s := range []string{"b", "é", "ab", "b"} {
		if err := must(Text(text.Array)).SetAt(s, i); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name                   string
		a                      Array
		order, greatest, least []int // greatest and least are the results for k = 3
		counts                 []int
	}{
		{"nothing", must(FromSlice([]float64{})).Array(), []int{}, []int{}, []int{}, []int{}},
		{"one", must(FromSlice([]float64{nan})).Array(), []int{0}, []int{0}, []int{0}, []int{1}},
		{"NaN", must(FromSlice([]float64{nan, 1, nan, 0})).Array(), []int{3, 1, 0, 2}, []int{1, 3, 0}, []int{3, 1, 0},
			[]int{1, 1, 2}},
		{"zeros", must(FromSlice([]float64{0, zero, 0, zero})).Array(), []int{0, 1, 2, 3}, []int{0, 1, 2},
			[]int{0, 1, 2}, []int{4}},
		{"infinities", must(FromSlice([]float64{math.Inf(1), 1, math.Inf(-1), nan})).Array(), []int{2, 1, 0, 3},
			[]int{0, 1, 2}, []int{2, 1, 0}, []int{1, 1, 1, 1}},
		{"complex", must(FromSlice([]complex128{complex(nan, 0), complex(9, nan), complex(1, 3), complex(1, 2)})).Array(),
			[]int{3, 2, 1, 0}, []int{2, 3, 1}, []int{3, 2, 1}, []int{1, 1, 2}},
		{"bools", must(FromSlice([]bool{true, false, true, false})).Array(), []int{1, 3, 0, 2}, []int{0, 2, 1},
			[]int{1, 3, 0}, []int{2, 2}},
		{"NaT", times.Array, []int{3, 0, 2, 1}, []int{2, 0, 3}, []int{3, 0, 2}, []int{1, 1, 1, 1}},
		{"text", text.Array, []int{2, 0, 3, 1}, []int{1, 0, 3}, []int{2, 0, 3}, []int{1, 2, 1}},
		{"reversed", must(must(FromSlice([]int8{3, 1, 2, 1})).Array().Select(index.Every(-1))), []int{0, 2, 1, 3},
			[]int{3, 1, 0}, []int{0, 2, 1}, []int{2, 1, 1}},
		{"broadcast", must(must(FromSlice([]int16{7})).Array().Broadcast(4)), []int{0, 1, 2, 3}, []int{0, 1, 2},
			[]int{0, 1, 2}, []int{4}},
		{"a join", must(Join(sequence("<i4", index.C, 5, 3), sequence("<i4", index.C, 4, 3))), []int{3, 0, 4, 1, 5, 2},
			[]int{2, 1, 5}, []int{3, 0, 4}, []int{1, 2, 2, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if order, err := ArgSort(tt.a); err != nil || !slices.Equal(order, tt.order) {
				t.Errorf("ArgSort: %v, %v; want %v", order, err, tt.order)
			}
			if top, err := TopK(tt.a, 3, false); err != nil || !slices.Equal(top, tt.greatest) {
				t.Errorf("greatest: %v, %v; want %v", top, err, tt.greatest)
			}
			if top, err := TopK(tt.a, 3, true); err != nil || !slices.Equal(top, tt.least) {
				t.Errorf("least: %v, %v; want %v", top, err, tt.least)
			}
			if _, counts, err := Unique(tt.a); err != nil || !slices.Equal(counts, tt.counts) {
				t.Errorf("Unique: %v, %v; want %v", counts, err, tt.counts)
			}
		})
	}
}

func TestSortErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		a      Array
		want   error
		unique error // of Unique
	}{
		{"no dimensions", must(New(dtype.Float64, index.C)).Array, ErrShape, nil},
		{"two dimensions", must(New(dtype.Float64, index.C, 2, 2)).Array, ErrShape, nil},
		{"raw bytes", must(New(dtype.Void(3), index.C, 2)).Array, ErrDType, ErrDType},
		{"records", must(New(dtype.MustParse("[('a', '<f8')]"), index.C, 2)).Array, ErrDType, ErrDType},
		{"long doubles", must(New(dtype.MustParse("<f16"), index.C, 2)).Array, ErrDType, ErrDType},
	} {
		t.Run(c.name, func(t *testing.T) {
			if order, err := ArgSort(c.a); !errors.Is(err, c.want) || order != nil {
				t.Errorf("ArgSort: %v, %v", order, err)
			}
			if order, err := TopK(c.a, 1, false); !errors.Is(err, c.want) || order != nil {
				t.Errorf("TopK: %v, %v", order, err)
			}
			if values, counts, err := Unique(c.a); !errors.Is(err, c.unique) || values.view.IsZero() != (c.unique != nil) {
				t.Errorf("Unique: %v, %v", counts, err)
			}
		})
	}
	got := panicValue(func() { TopK(sequence("<i4", index.C, 0, 3), -1, false) })
	if err, ok := got.(error); !ok || !errors.As(err, new(*index.BoundsError)) {
		t.Errorf("k = -1: panic with %v", got)
	}
	for name, use := range map[string]func(){
		"ArgSort": func() { ArgSort(Array{}) }, "TopK": func() { TopK(Array{}, 1, true) },
		"Unique": func() { Unique(Array{}) },
	} {
		if panicValue(use) == nil {
			t.Errorf("%s of the zero Array returns", name)
		}
	}
}

// TestTopKOfMany tests TopK with few and many results of an array of several blocks, in a join and in a column of
// records.
func TestTopKOfMany(t *testing.T) {
	oracle.Slow(t)
	r := oracle.Rand(t, 6211)
	numbers := make([]uint32, 200_000)
	for i := range numbers {
		numbers[i] = r.Uint32N(50_000)
	}
	v := must(FromSlice(numbers))
	records := must(New(dtype.MustParse("[('a', 'u1'), ('x', '>u4')]"), index.C, v.Size()))
	column := must(records.Field("x"))
	if err := Copy(column, v.Array()); err != nil {
		t.Fatal(err)
	}
	var parts []Array
	for _, part := range v.Split(3) {
		parts = append(parts, part.Array())
	}
	for name, a := range map[string]Array{"plain": v.Array(), "column": column, "join": must(Join(parts...))} {
		order := must(ArgSort(a))
		for _, k := range []int{1, 500, 12_000, 13_000, 200_001} { // more than 1/16 are sorted
			if top, err := TopK(a, k, true); err != nil || !slices.Equal(top, order[:min(k, len(order))]) {
				t.Errorf("%s, k=%d: %d, %v", name, k, len(top), err)
			}
		}
		greatest := slices.Clone(order)
		slices.SortStableFunc(greatest, func(i, j int) int { return int(numbers[j]) - int(numbers[i]) })
		for _, k := range []int{1, 500, 13_000} {
			if top, err := TopK(a, k, false); err != nil || !slices.Equal(top, greatest[:k]) {
				t.Errorf("%s, the greatest, k=%d: %d, %v", name, k, len(top), err)
			}
		}
	}
}

// TestUniqueCopies tests that the result does not share memory with the array, and keeps its byte order.
func TestUniqueCopies(t *testing.T) {
	a := sequence(">i2", index.F, 7, 2, 2)
	values, counts, err := Unique(a)
	if err != nil || values.DType() != dtype.MustParse(">i2") || !slices.Equal(counts, []int{1, 1, 1, 1}) {
		t.Fatalf("%v, %v, %v", values.DType(), counts, err)
	}
	must(Cast[int](a)).Fill(0)
	if got := collect(must(Cast[int](values))); !slices.Equal(got, []int{7, 8, 9, 10}) {
		t.Errorf("%v", got)
	}
}

// TestSortFaults tests that Guard returns an error if the file is truncated.
func TestSortFaults(t *testing.T) {
	if isEmulated() {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	path := tempPath(t)
	const n = 1 << 19
	f := must(Create(path, dtype.Float64, index.C, n))
	defer f.Close()
	r := oracle.Rand(t, 6212)
	for b := range must(As[float64](f.Array)).Update(index.C) {
		for i := range b {
			b[i] = r.Float64()
		}
	}
	truncate(t, path, 1<<20)
	eachGOMAXPROCS(func(procs int) {
		for name, do := range map[string]func() error{
			"ArgSort": func() error { return second(ArgSort(f.Array)) },
			"TopK":    func() error { return second(TopK(f.Array, 10, false)) },
			"Unique":  func() error { _, _, err := Unique(f.Array); return err },
		} {
			var fault *mmap.FaultError
			if err := mmap.Guard(do); !errors.As(err, &fault) || fault.Path != path {
				t.Errorf("%s, %d goroutines: %v", name, procs, err)
			}
		}
	})
}

// TestSortChanging tests that elements that change meanwhile cause an error, or a result with all indices.
func TestSortChanging(t *testing.T) {
	oracle.Slow(t)
	path := tempPath(t)
	const n = 1 << 17
	f := must(Create(path, dtype.Uint32, index.C, n))
	defer f.Close()
	g := must(Open(path, mmap.ReadWrite)) // another mapping, so that the race detector sees no race
	defer g.Close()
	r := oracle.Rand(t, 6213)
	random := func(b []uint32) {
		for i := range b {
			b[i] = r.Uint32() >> r.IntN(32)
		}
	}
	for b := range must(As[uint32](g.Array)).Update(index.C) {
		random(b)
	}
	var done atomic.Bool
	ended := make(chan bool)
	go func() {
		defer close(ended)
		other := rand.New(rand.NewPCG(1, 2))
		v := must(As[uint32](g.Array))
		for !done.Load() {
			for range 100 {
				v.SetAt(other.Uint32()>>other.IntN(32), other.IntN(n))
			}
		}
	}()
	for range 20 {
		order, err := ArgSort(f.Array)
		if err != nil {
			if !errors.Is(err, mmap.ErrChanged) || order != nil {
				t.Errorf("%d, %v", len(order), err)
			}
			continue
		}
		slices.Sort(order)
		for i, k := range order {
			if i != k {
				t.Fatalf("index %d is missing", i)
			}
		}
		if top, err := TopK(f.Array, 100, false); err != nil || len(top) != 100 {
			t.Errorf("%d, %v", len(top), err)
		}
	}
	done.Store(true)
	<-ended
}
