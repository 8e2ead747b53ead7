package sorting

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/strided"
)

// lower sets a tuning variable until the end of t.
func lower(t *testing.T, variable *int, n int) {
	was := *variable
	*variable = n
	t.Cleanup(func() { *variable = was })
}

// cases returns the number of random cases for each dtype.
func cases(t *testing.T) int {
	if oracle.Long(t) {
		return oracle.Cases(t, 200)
	}
	return oracle.Cases(t, 8)
}

// checkArgSort compares ArgSort with the model.
func checkArgSort(t *testing.T, c *column, descending bool) {
	t.Helper()
	want := argSortModel(c, descending)
	got, err := ArgSort(c.Piece, KeysOf(c.d, descending))
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("%d elements, stride %d, descending %v: %v\n%v\nwant %v", len(want), c.Layout.Stride(0), descending, err,
			got, want)
	}
}

// TestArgSort tests ArgSort with groups of all sizes: sorted on all cores, on one core, and by comparisons.
func TestArgSort(t *testing.T) {
	lower(t, &partElements, 70)
	lower(t, &minSmall, minSmall)
	r := oracle.Rand(t, 6201)
	for _, d := range orderedTypes() {
		t.Run(fmt.Sprint(d), func(t *testing.T) {
			for range cases(t) {
				minSmall = []int{10, 50, 1 << 14}[r.IntN(3)]
				c := randomColumn(r, d, []int{0, 1, 2, 3, 20, 300, 700}[r.IntN(7)])
				checkArgSort(t, &c, r.IntN(4) == 0)
			}
		})
	}
}

// float32Column returns a column of numbers.
func float32Column(numbers []float32) column {
	return newColumn(dtype.Float32, strided.Bytes(numbers), len(numbers), 0, 4)
}

// TestArgSortNearlySorted tests arrays with a few outliers, and arrays with too many.
func TestArgSortNearlySorted(t *testing.T) {
	lower(t, &partElements, 256)
	lower(t, &minSmall, 50)
	r := oracle.Rand(t, 6204)
	const n = 2000
	for _, tt := range []struct {
		name   string
		change func(s []float32)
	}{
		{"sorted", func([]float32) {}},
		{"a swap", func(s []float32) { s[700], s[1400] = s[1400], s[700] }},
		{"swaps", func(s []float32) {
			for range 12 {
				i, j := r.IntN(n), r.IntN(n)
				s[i], s[j] = s[j], s[i]
			}
		}},
		{"the greatest comes first", func(s []float32) { slices.Reverse(s); slices.Reverse(s[1:]) }},
		{"the least comes last", func(s []float32) { slices.Reverse(s); slices.Reverse(s[:n-1]) }},
		{"great ones side by side", func(s []float32) { copy(s[500:520], s[1900:1920]) }},
		{"many great ones side by side", func(s []float32) { copy(s[500:530], s[1900:1930]) }},
		{"great ones at the end of a part", func(s []float32) { copy(s[250:256], s[1900:1906]) }},
		{"a short tail", func(s []float32) { copy(s[n-20:], s[300:320]) }},
		{"a long tail", func(s []float32) { copy(s[n-200:], s[300:500]) }},
		{"NaN between numbers", func(s []float32) { s[10], s[11], s[1000] = nan32, nan32, nan32 }},
		{"descending", func(s []float32) { slices.Reverse(s) }},
		{"two sorted halves", func(s []float32) { slices.Sort(s[:n/2]); copy(s[n/2:], s[:n/2]) }},
	} {
		for _, few := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, few values: %v", tt.name, few), func(t *testing.T) {
				s := make([]float32, n)
				for i := range s {
					s[i] = float32(i)
					if few {
						s[i] = float32(i / 100)
					}
				}
				tt.change(s)
				c := float32Column(s)
				checkArgSort(t, &c, false)
			})
		}
	}
}

var nan32 = float32(math.NaN())

// TestOutliers tests that nearly sorted arrays have as few outliers as expected, and that others have too many.
func TestOutliers(t *testing.T) {
	ascending := func(n int, change func(s []float32)) []float32 {
		s := make([]float32, n)
		for i := range s {
			s[i] = float32(i)
		}
		change(s)
		return s
	}
	for _, tt := range []struct {
		name string
		s    []float32
		want []uint64
		ok   bool
	}{
		{"none", ascending(3000, func([]float32) {}), nil, true},
		{"equal", make([]float32, 3000), nil, true},
		{"one", ascending(3000, func(s []float32) { s[1000] = -1 }), []uint64{1000}, true},
		{"a great one", ascending(3000, func(s []float32) { s[1000] = 9000 }), []uint64{1000}, true},
		{"great ones", ascending(3000, func(s []float32) { s[0], s[1], s[2] = 8000, 8000, 9000 }), []uint64{0, 1, 2}, true},
		{"a swap", ascending(3000, func(s []float32) { s[70], s[2900] = s[2900], s[70] }), []uint64{70, 2900}, true},
		{"a great one before a small one", ascending(3000, func(s []float32) { s[70], s[71] = 9000, 0 }),
			[]uint64{70, 71}, true},
		{"the last", ascending(3000, func(s []float32) { s[2999] = 5 }), []uint64{2999}, true},
		{"too many", ascending(3000, slices.Reverse[[]float32]), nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := float32Column(tt.s)
			s := newSorter(c.Piece, KeysOf(c.d, false), make([]uint64, len(tt.s)))
			got, ok := s.outliers(len(tt.s) / outlierRate)
			if ok != tt.ok || ok && !slices.Equal(got, tt.want) {
				t.Errorf("%v, %v; want %v, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

// TestArgSortHalves tests arrays with more elements than items can have positions.
func TestArgSortHalves(t *testing.T) {
	lower(t, &maxItems, 100)
	r := oracle.Rand(t, 6205)
	for _, d := range []dtype.DType{dtype.Int8, dtype.Float64, dtype.Complex64, dtype.Bytes(9)} {
		for range 5 {
			c := randomColumn(r, d, 99+r.IntN(700))
			checkArgSort(t, &c, false)
		}
	}
}

// processors returns values of GOMAXPROCS to test with.
func processors() []int {
	if testing.Short() {
		return []int{5}
	}
	return []int{1, 2, 5}
}

// TestArgSortLarge tests that the result is the same for any number of goroutines, and that the memory is limited.
func TestArgSortLarge(t *testing.T) {
	oracle.Slow(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	const n = 100_000
	r := oracle.Rand(t, 6206)
	for _, tt := range []struct {
		name string
		d    dtype.DType
		set  func(i int, b []byte)
		most int // bytes for each element
	}{
		{"random", dtype.Float32, func(_ int, b []byte) { put32(b, math.Float32bits(r.Float32())) }, 16},
		{"sorted", dtype.Uint32, func(i int, b []byte) { put32(b, uint32(i/3)) }, 8},
		{"wide keys", dtype.Uint64, func(_ int, b []byte) { put32(b, r.Uint32N(100)); put32(b[4:], r.Uint32N(100)) }, 16},
		{"equal", dtype.Float64, func(int, []byte) {}, 8},
		{"text with a common start", dtype.Bytes(16), func(_ int, b []byte) { copy(b, "the same"); put32(b[8:], r.Uint32()) },
			16},
	} {
		t.Run(tt.name, func(t *testing.T) {
			mem := make([]byte, n*tt.d.ItemSize())
			for i := range n {
				tt.set(i, mem[i*tt.d.ItemSize():][:tt.d.ItemSize()])
			}
			c := newColumn(tt.d, mem, n, 0, tt.d.ItemSize())
			for _, procs := range processors() {
				runtime.GOMAXPROCS(procs)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				got, err := ArgSort(c.Piece, KeysOf(tt.d, false))
				runtime.ReadMemStats(&after)
				if err != nil || !isStableOrder(&c, got) {
					t.Fatalf("%d goroutines: %v; the result is wrong", procs, err)
				}
				most := uint64(tt.most*n + procs*maxSmall*8 + 1<<20)
				if took := after.TotalAlloc - before.TotalAlloc; took > most {
					t.Errorf("%d goroutines: %d bytes allocated; want at most %d", procs, took, most)
				}
			}
		})
	}
}

// isStableOrder reports whether order is the result of argSortModel.
func isStableOrder(c *column, order []int) bool {
	seen := make([]bool, c.Layout.Len(0))
	for i, position := range order {
		if seen[position] {
			return false
		}
		seen[position] = true
		if i > 0 {
			if cmp.Or(compareModel(c.d, c.at(order[i-1]), c.at(position), false), order[i-1]-position) > 0 {
				return false
			}
		}
	}
	return len(order) == len(seen)
}

func put32(b []byte, x uint32) { copy(b, strided.Bytes([]uint32{x})) }

// TestScatterChanged tests that elements are not stored among the elements of another part or value if they have
// changed after they were counted.
func TestScatterChanged(t *testing.T) {
	lower(t, &partElements, 256)
	numbers := make([]uint8, 1000)
	for i := range numbers {
		numbers[i] = uint8(i)
	}
	c := newColumn(dtype.Uint8, numbers, len(numbers), 0, 1)
	s := newSorter(c.Piece, KeysOf(c.d, false), make([]uint64, len(numbers)))
	g, d := group{hi: len(numbers)}, digit{0, 0, 0}
	parts := s.countValues(g, d)
	start := uint32(0)
	for value := range parts[0] {
		for k := range parts {
			parts[k][value], start = start, start+parts[k][value]
		}
	}
	if err := s.scatter(s.a, g, d, parts); err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(s.a)
	for _, i := range []int{0, 300, 999} {
		numbers[i] += 7
		if err := s.scatter(s.a, g, d, parts); !errors.Is(err, ErrChanged) {
			t.Errorf("element %d changed: %v", i, err)
		}
		numbers[i] -= 7
		for k := range parts {
			ends := endsOf(parts, k, len(numbers))
			for value, start := range parts[k] {
				isOwn := strided.Bound(len(numbers), k, len(parts)) <= i && i < strided.Bound(len(numbers), k+1, len(parts))
				if !isOwn && !slices.Equal(s.a[start:ends[value]], want[start:ends[value]]) {
					t.Errorf("element %d changed: part %d differs", i, k)
				}
			}
		}
		copy(s.a, want)
	}
}

func TestFirst(t *testing.T) {
	r := oracle.Rand(t, 6202)
	for _, d := range orderedTypes() {
		t.Run(fmt.Sprint(d), func(t *testing.T) {
			for i := range cases(t) {
				n := []int{0, 1, 2, 3, 20, 300, 2000}[r.IntN(7)]
				c := randomColumn(r, d, n)
				k, descending := []int{0, 1, 2, 5, 40, n, n + 1}[r.IntN(7)], r.IntN(2) == 0
				want := argSortModel(&c, descending)
				want = want[:min(k, n)]
				if got := First(c.view, KeysOf(d, descending), k); !slices.Equal(got, want) {
					t.Fatalf("case %d: k=%d of %d elements, stride %d, descending %v: %v\nwant %v", i, k, n,
						c.Layout.Stride(0), descending, got, want)
				}
			}
		})
	}
}

// TestFirstLarge tests First with several blocks and goroutines, for arrays in which few or many blocks contain
// results.
func TestFirstLarge(t *testing.T) {
	oracle.Slow(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	const n = 400_000
	r := oracle.Rand(t, 6207)
	sorted := make([]float32, n)
	for i := range sorted {
		sorted[i] = float32(i / 7)
	}
	with := func(change func(s []float32)) []float32 {
		s := slices.Clone(sorted)
		change(s)
		return s
	}
	for _, tt := range []struct {
		name string
		s    []float32
	}{
		{"ascending", sorted},
		{"descending", with(slices.Reverse[[]float32])},
		{"random", with(func(s []float32) { r.Shuffle(n, func(i, j int) { s[i], s[j] = s[j], s[i] }) })},
		{"equal", make([]float32, n)},
		{"NaN in each block", with(func(s []float32) {
			for i := 0; i < n; i += 100 {
				s[i] = nan32
			}
		})},
		{"only NaN", with(func(s []float32) {
			for i := range s {
				s[i] = nan32
			}
		})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := float32Column(tt.s)
			for _, descending := range []bool{false, true} {
				want := nd.Must(ArgSort(c.Piece, KeysOf(c.d, descending))) // see TestArgSortLarge
				for _, procs := range processors() {
					runtime.GOMAXPROCS(procs)
					for _, k := range []int{1, 10, 3000} {
						if got := First(c.view, KeysOf(c.d, descending), k); !slices.Equal(got, want[:k]) {
							t.Errorf("k=%d, descending %v, %d goroutines: %v", k, descending, procs, got[:min(k, 10)])
						}
					}
				}
			}
		})
	}
}

func TestStarts(t *testing.T) {
	lower(t, &partElements, 70)
	r := oracle.Rand(t, 6203)
	for _, d := range orderedTypes() {
		t.Run(fmt.Sprint(d), func(t *testing.T) {
			for i := range cases(t) {
				c := randomColumn(r, d, []int{0, 1, 2, 20, 300}[r.IntN(5)])
				order := argSortModel(&c, false)
				var want []int
				for k := range order {
					if k > 0 {
						x, y := c.at(order[k-1]), c.at(order[k])
						bothNaN := d.Kind() == dtype.KindComplex && min(nanClass(d, x), nanClass(d, y)) > 0
						if bothNaN || compareModel(d, x, y, false) == 0 {
							continue
						}
					}
					want = append(want, k)
				}
				if got := Starts(c.Piece, KeysOf(d, false), order); !slices.Equal(got, want) {
					t.Fatalf("case %d: %v\nwant %v", i, got, want)
				}
			}
		})
	}
}

// BenchmarkArgSort prints the time for an element.
func BenchmarkArgSort(b *testing.B) {
	const n = 1 << 22
	r := rand.New(rand.NewPCG(1, 1))
	random := make([]float32, n)
	for i := range random {
		random[i] = r.Float32()
	}
	sorted := slices.Sorted(slices.Values(random))
	for _, bb := range []struct {
		name string
		c    column
	}{
		{"random", float32Column(random)},
		{"sorted", float32Column(sorted)},
		{"u1", newColumn(dtype.Uint8, strided.Bytes(random)[:n], n, 0, 1)},
		{"u2", newColumn(dtype.Uint16, strided.Bytes(random)[:2*n], n, 0, 2)},
		{"f8", newColumn(dtype.Float64, strided.Bytes(random), n/2, 0, 8)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			for range b.N {
				if _, err := ArgSort(bb.c.Piece, KeysOf(bb.c.d, false)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(bb.c.Layout.Len(0)), "ns/element")
		})
	}
}
