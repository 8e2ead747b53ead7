package array

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/mmap"
)

// join is a merge function that concatenates its arguments.
func join[T any](a, b []T) []T { return append(a, b...) }

// elements returns the elements of v in the order in which Reduce passes them.
func elements[T any](v View[T]) []T {
	return must(Reduce(v, func(block []T) ([]T, error) { return slices.Clone(block), nil }, join))
}

// TestReducePass tests that Reduce passes the elements in memory order, on views of any kind and with any number of
// goroutines.
func TestReducePass(t *testing.T) {
	r := oracle.Rand(t, 31)
	for n := range oracle.Cases(t, 150) {
		v := randomView(r, among(r, 4, 30, 60))
		if n%5 == 0 {
			v = must(v.Broadcast(append([]int{1 + r.IntN(40)}, v.Shape()...)...))
		}
		sorted := View[float64]{view: v.view.InMemoryOrder()}
		want := slices.Collect(sorted.Values())
		eachGOMAXPROCS(func(procs int) {
			if got := elements(v); !slices.Equal(got, want) {
				t.Fatalf("%v %v, %d goroutines: %d elements differ from the %d in memory order", v.DType(), v.Layout(), procs,
					len(got), len(want))
			}
		})
	}
}

// TestPassOfThreeAxes tests views of three axes with gaps between them. Only the last axis is long enough to be cut.
// Reduce and Map must visit each element once, in order.
func TestPassOfThreeAxes(t *testing.T) {
	const n = 1 << 16
	s := make([]float64, 3*6*n)
	for i := range s {
		s[i] = float64(i)
	}
	v := must(must(FromSlice(s, 3, 6, n)).Select(index.Colon, index.Range(0, 5), index.Range(0, n-1)))
	p := nd.NewPass(nd.Part{Views: []nd.View{v.view}})
	if n := p.Whole.Views[0].NDim(); n != 3 || p.Parts <= 3*5 {
		t.Fatalf("%d axes in %d parts, want 3 axes and more than 15 parts", n, p.Parts)
	}
	want := collect(v)
	if !slices.Equal(elements(v), want) {
		t.Error("Reduce has wrong elements or a wrong order")
	}
	dst := must(FromSlice(make([]float64, v.Size()), v.Shape()...))
	if err := Map(dst, v, each(func(d, s float64) float64 { return d + s })); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(collect(dst), want) {
		t.Error("Map has wrong elements or a wrong order")
	}
}

// mergeTree returns the tree of merges of Reduce as nested parentheses.
func mergeTree(v View[float64]) string {
	return must(Reduce(v, func(b []float64) (string, error) { return fmt.Sprint(len(b)), nil },
		func(a, b string) string { return "(" + a + " " + b + ")" }))
}

// TestReduceDeterministic tests that the blocks and their merges depend on the view alone.
func TestReduceDeterministic(t *testing.T) {
	oracle.AnyProcessor(t)
	s := make([]float64, 3<<20)
	r := oracle.Rand(t, 32)
	for i := range s {
		s[i] = r.NormFloat64()
	}
	v := must(FromSlice(s, 3<<10, 1<<10))
	part := must(v.Select(index.Colon, index.Every(-3)))
	for _, v := range []View[float64]{v, part, v.T()} {
		var trees []string
		var sums []float64
		eachGOMAXPROCS(func(procs int) {
			trees = append(trees, mergeTree(v))
			sums = append(sums, must(Reduce(v, sumBlock, add)))
		})
		if trees[1] != trees[0] || trees[2] != trees[0] || sums[1] != sums[0] || sums[2] != sums[0] {
			t.Errorf("%v: the results differ: %v\n%.200q", v.Layout(), sums, trees)
		}
		if deepest := nestingDepth(trees[0]); deepest > 14 {
			t.Errorf("%v: merged %d deep", v.Layout(), deepest)
		}
	}
}

// nestingDepth returns the nesting depth of the parentheses in s.
func nestingDepth(s string) (deepest int) {
	for i, at := 0, 0; i < len(s); i++ {
		at += map[byte]int{'(': 1, ')': -1}[s[i]]
		deepest = max(deepest, at)
	}
	return deepest
}

func sumBlock(block []float64) (sum float64, err error) {
	for _, x := range block {
		sum += x
	}
	return sum, nil
}

func add(a, b float64) float64 { return a + b }

// TestReduceEmpty tests that Reduce without elements returns the zero R and does not call f.
func TestReduceEmpty(t *testing.T) {
	for _, shape := range [][]int{{0}, {3, 0, 2}} {
		v := must(FromSlice([]float64{}, shape...))
		got, err := Reduce(v, func([]float64) (int, error) { return 1, errors.New("called") }, func(a,
			b int) int {
			return a + b
		})
		if got != 0 || err != nil {
			t.Errorf("%v: %d, %v", shape, got, err)
		}
	}
	one := must(FromSlice([]float64{3}, 1)).Index(0)
	if got, err := Reduce(one, sumBlock, add); got != 3 || err != nil {
		t.Errorf("0-d: %v, %v", got, err)
	}
	nothing := must(FromSlice(make([][0]byte, 7)))
	if got, err := Reduce(nothing, func(b [][0]byte) (int, error) { return len(b), nil }, func(a,
		b int) int {
		return a + b
	}); got != 7 || err != nil {
		t.Errorf("elements of no bytes: %v, %v", got, err)
	}
}

// TestReduceError tests that Reduce returns the first of several errors in memory order, even if another one occurred
// earlier.
func TestReduceError(t *testing.T) {
	v := countingVector(4 << 20)
	v = must(v.Select(index.Reverse())) // in memory order, the elements ascend
	r := oracle.Rand(t, 33)
	eachGOMAXPROCS(func(procs int) {
		for range 10 {
			limit := math.Floor(r.Float64() * (4 << 20))
			checkNoGoroutineLeft(t, func() {
				got, err := Reduce(v, func(b []float64) (float64, error) {
					switch {
					case b[0] > limit:
						return 1, errors.New("a later error")
					case b[len(b)-1] >= limit:
						return 1, errors.New("the first error")
					}
					return 1, nil
				}, add)
				if got != 0 || err == nil || err.Error() != "the first error" {
					t.Errorf("%d goroutines: %v, %v; want the first error", procs, got, err)
				}
			})
		}
	})
	sentinel := errors.New("enough")
	if _, err := Reduce(v, func([]float64) (int, error) { return 0, sentinel }, func(a,
		b int) int {
		return a
	}); err != sentinel {
		t.Errorf("the error is %v, want the error of f", err)
	}
	var calls atomic.Int64
	Reduce(v, func([]float64) (int, error) { calls.Add(1); return 0, sentinel }, func(a, b int) int { return a })
	if n := calls.Load(); n > int64(runtime.GOMAXPROCS(0)) {
		t.Errorf("%d blocks after the first failed", n)
	}
}

// TestReducePanic tests that a panic in f or merge reaches the caller, even while other goroutines wait for their turn.
func TestReducePanic(t *testing.T) {
	v := countingVector(12 << 20)
	eachGOMAXPROCS(func(procs int) {
		for _, at := range []float64{0, 1 << 20, 12<<20 - 1} {
			for _, tt := range []struct {
				name string
				f    func(b []float64) (float64, error)
				with func(a, b float64) float64
			}{
				{"f", func(b []float64) (float64, error) {
					if b[0] <= at && at <= b[len(b)-1] {
						panic("mine")
					}
					return b[len(b)-1], nil
				}, math.Max},
				{"merge", func(b []float64) (float64, error) { return b[len(b)-1], nil }, func(a, b float64) float64 {
					if b >= at {
						panic("mine")
					}
					return b
				}},
			} {
				checkNoGoroutineLeft(t, func() {
					defer func() {
						if v, ok := recover().(*PanicError); !ok || v.Recovered != "mine" {
							t.Errorf("%s, %d goroutines, at %v: panic with %v", tt.name, procs, at, v)
						}
					}()
					Reduce(v, tt.f, tt.with)
				})
			}
		}
	})
}

// TestPassFault tests that Guard returns a fault in a block as an error, in Reduce and on either side of Map.
func TestPassFault(t *testing.T) {
	const n = 4 << 20
	paths := []string{tempPath(t), tempPath(t)}
	for _, path := range paths {
		must(Create(path, dtype.Float64, index.C, n)).Close()
	}
	if isEmulated() {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	files := make([]*File, 2)
	for k := range files {
		files[k] = must(Open(paths[k], mmap.ReadWrite))
		defer files[k].Close()
	}
	truncated, intact := must(As[float64](files[0].Array)), must(As[float64](files[1].Array))
	truncate(t, paths[0], 1<<20)
	scaled := func(dst, src []float64) error {
		for i := range dst {
			dst[i] = 2 * src[i]
		}
		return nil
	}
	eachGOMAXPROCS(func(procs int) {
		for name, pass := range map[string]func() error{
			"Reduce":        func() error { _, err := Reduce(truncated, sumBlock, add); return err },
			"Map to":        func() error { return Map(truncated, intact, scaled) },
			"Map from":      func() error { return Map(intact, truncated, scaled) },
			"Map, in place": func() error { return Map(truncated, truncated, scaled) },
		} {
			checkNoGoroutineLeft(t, func() {
				var fault *mmap.FaultError
				if err := mmap.Guard(pass); !errors.As(err, &fault) || fault.Path != paths[0] {
					t.Errorf("%s, %d goroutines: %v, want a fault in %s", name, procs, err, paths[0])
				}
			})
		}
	})
}

// TestReduceKeepsFew tests that a pass keeps only a few results in memory, even if the first part is slow.
func TestReduceKeepsFew(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	v := must(must(FromSlice([]float64{1})).Broadcast(64 << 20)) // 128 parts
	var kept, most atomic.Int64
	var first atomic.Bool
	_, err := Reduce(v, func(b []float64) (int, error) {
		if !first.Swap(true) {
			for range 1000 { // let the second goroutine reach its limit
				runtime.Gosched()
			}
		}
		n := kept.Add(1)
		for m := most.Load(); m < n && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		return 0, nil
	}, func(a, b int) int { kept.Add(-1); return 0 })
	if err != nil || most.Load() > 2*strided.WaitingPerGoroutine+40 {
		t.Errorf("%d results at a time, %v", most.Load(), err)
	}
}

// TestPassAllocs tests that the allocations of a pass depend on the number of parts, not on the number of blocks or
// elements.
func TestPassAllocs(t *testing.T) {
	oracle.CountsAllocations(t)
	oracle.Slow(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for name, d := range map[string]dtype.DType{"native": dtype.Float64,
		"foreign": dtype.Float64.WithByteOrder(nonNativeOrder())} {
		t.Run(name, func(t *testing.T) {
			f := must(New(d, index.C, 16<<20/8))
			defer f.Close()
			full := must(As[float64](f.Array))
			quarter := must(full.Select(index.Range(0, full.Size()/4)))
			parts := float64(nd.PassParts(full.NBytes()))
			for _, tt := range []struct {
				name string
				run  func(View[float64])
			}{
				{"Reduce", func(v View[float64]) { Reduce(v, sumBlock, add) }},
				{"Map", func(v View[float64]) { Map(v, v, func(dst, src []float64) error { return nil }) }},
				{"Histogram", func(v View[float64]) { Histogram(v, []float64{0, 1}) }},
			} {
				few := testing.AllocsPerRun(1, func() { tt.run(quarter) })
				many := testing.AllocsPerRun(1, func() { tt.run(full) })
				if many > few+2*parts || many > 40+12*parts {
					t.Errorf("%s, %s: %v allocations for 16 MiB, %v for 4", tt.name, name, many, few)
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				tt.run(full)
				runtime.ReadMemStats(&after)
				if n := after.TotalAlloc - before.TotalAlloc; n > 512<<10 {
					t.Errorf("%s, %s: %d bytes allocated", tt.name, name, n)
				}
			}
		})
	}
}
