package strided

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ndmap/ndmap/index"
)

// recorder is a pager that records its calls.
type recorder struct {
	mu    sync.Mutex
	calls []string
}

func (r *recorder) add(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, fmt.Sprintf(format, args...))
}

func (r *recorder) Enter(k int) { r.add("enter %d", k) }
func (r *recorder) Leave(k int) { r.add("leave %d", k) }
func (r *recorder) Stop()       { r.add("stop") }

// TestPassError checks that a pass does all parts before the first part that failed, and returns the error of that
// part, with any number of goroutines.
func TestPassError(t *testing.T) {
	const parts, bad = 100, 40
	for _, procs := range []int{1, 2, 7} {
		for _, inTurn := range []bool{false, true} {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			var mu sync.Mutex
			done := map[int]bool{}
			p := Pass{Parts: parts, InTurn: inTurn}
			err := p.Run(func(k int, failed *Failure) error {
				mu.Lock()
				defer mu.Unlock()
				done[k] = true
				if k >= bad && k%4 == 0 {
					return fmt.Errorf("part %d", k)
				}
				return nil
			})
			if err == nil || err.Error() != fmt.Sprint("part ", bad) {
				t.Errorf("%d goroutines: error %v, want the error of part %d", procs, err, bad)
			}
			for k := range bad {
				if !done[k] {
					t.Errorf("%d goroutines: part %d was not done", procs, k)
				}
			}
			if procs == 1 && len(done) != bad+1 {
				t.Errorf("%d parts done in turn, want %d", len(done), bad+1)
			}
		}
	}
}

// TestPassPages checks the order of the calls to a pager, including when a part fails or panics.
func TestPassPages(t *testing.T) {
	stop := errors.New("stop")
	for _, tt := range []struct {
		name    string
		do      func(k int) error
		settled bool
		want    []string
	}{
		{"all", func(int) error { return nil }, false, []string{"enter 0", "leave 0", "enter 1", "leave 1", "stop"}},
		{"error", func(int) error { return stop }, false, []string{"enter 0", "leave 0", "stop"}},
		{"panic", func(int) error { panic(stop) }, false, []string{"enter 0", "stop"}},
		{"settled", func(int) error { return nil }, true, []string{"stop"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := new(recorder)
			p := Pass{Parts: 2, InTurn: true, Settled: func() bool { return tt.settled }, pagers: []pager{r}}
			func() {
				defer func() { recover() }()
				p.Run(func(k int, _ *Failure) error { return tt.do(k) })
			}()
			if !slices.Equal(r.calls, tt.want) {
				t.Errorf("calls %q, want %q", r.calls, tt.want)
			}
		})
	}
}

// TestPageByPart checks that a pass in turn visits the pages of a part before it starts on the previous part, and again
// after the part.
func TestPageByPart(t *testing.T) {
	var calls []string
	p := Pass{Parts: 3, InTurn: true}
	p.PageByPart(func(k int, _ func(q Piece, after After)) { calls = append(calls, fmt.Sprint("pages ", k)) })
	p.Run(func(k int, _ *Failure) error {
		calls = append(calls, fmt.Sprint("part ", k))
		return nil
	})
	want := []string{"pages 0", "pages 1", "part 0", "pages 0", "pages 2", "part 1", "pages 1", "part 2", "pages 2"}
	if !slices.Equal(calls, want) {
		t.Errorf("calls %q, want %q", calls, want)
	}
}

// TestSequentialPager checks that several parts of a pass that work on one part of a piece leave it together.
func TestSequentialPager(t *testing.T) {
	r := new(recorder)
	g := sequentialPager{r, 3, make([]atomic.Int64, 2)}
	for k := range 6 {
		g.Enter(k)
		g.Leave(k)
	}
	want := []string{"enter 0", "enter 0", "enter 0", "leave 0", "enter 1", "enter 1", "enter 1", "leave 1"}
	if !slices.Equal(r.calls, want) {
		t.Errorf("calls %q, want %q", r.calls, want)
	}
}

// TestPassReport checks that reports count up to the number of parts, and that the error of a report ends the pass.
func TestPassReport(t *testing.T) {
	const parts, size = 50, 1003
	for _, limit := range []int{0, 3} {
		told, bytes := 0, 0
		p := Pass{Parts: parts, MaxUnreported: limit}
		p.ReportBytes(size, func(n int) error { bytes += n; return nil })
		count := p.Report
		p.Report = func(done int) error {
			if done <= told || limit > 0 && done-told > max(limit, runtime.GOMAXPROCS(0)) {
				t.Errorf("limit %d: a report of %d after %d", limit, done, told)
			}
			told = done
			return count(done)
		}
		if err := p.Run(func(int, *Failure) error { return nil }); err != nil || told != parts || bytes != size {
			t.Errorf("limit %d: %d of %d parts and %d of %d bytes told: %v", limit, told, parts, bytes, size, err)
		}
	}
	stop, calls := errors.New("stop"), 0
	p := Pass{Parts: parts, MaxUnreported: 1, InTurn: true, Report: func(done int) error { return stop }}
	if err := p.Run(func(int, *Failure) error { calls++; return nil }); err != stop || calls > runtime.GOMAXPROCS(0) {
		t.Errorf("after an error of the report: %v, %d parts", err, calls)
	}
}

// TestInOrder checks that results are taken in the order of the parts, that few of them wait, and that no results of a
// failed part and later parts are taken.
func TestInOrder(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	for _, tt := range []struct{ parts, bad, waiting int }{{0, -1, 0}, {1, -1, 0}, {200, -1, 0}, {200, -1, 2}, {200, 70,
		0}} {
		var taken []int
		var mu sync.Mutex
		made, maxWaiting := 0, 0
		p := Pass{Parts: tt.parts, MaxWaiting: tt.waiting}
		err := InOrder(&p, func(k int, _ *Failure) (int, error) {
			mu.Lock()
			made++
			maxWaiting = max(maxWaiting, made-len(taken))
			mu.Unlock()
			if k == tt.bad {
				return 0, errors.New("bad")
			}
			if k%8 == 0 {
				runtime.Gosched()
			}
			return k, nil
		}, func(k int) {
			mu.Lock()
			taken = append(taken, k)
			mu.Unlock()
		})
		want := tt.parts
		if tt.bad >= 0 {
			want = tt.bad
		}
		if (err != nil) != (tt.bad >= 0) || len(taken) != want || !slices.IsSorted(taken) {
			t.Errorf("%+v: %d results taken, want %d in order: %v", tt, len(taken), want, err)
		}
		if limit := max(tt.waiting, WaitingPerGoroutine*3*(1-min(tt.waiting, 1))); tt.bad < 0 && maxWaiting > limit+1 {
			t.Errorf("%+v: %d results at a time, want at most %d", tt, maxWaiting, limit)
		}
	}
}

// TestGrid checks that each element is in exactly one tile of a grid.
func TestGrid(t *testing.T) {
	lay := must(index.NewLayout([]int{5, 1, 7}, 1, index.C))
	p := PieceOn(make([]byte, lay.Size()), lay, 1)
	g := newGrid(lay, []int{2, 1, 3}, []int{2, 0, 1})
	for k := range g.tiles {
		q := g.tile(p, g.position(k))
		for i := range q.Layout.Len(0) {
			for j := range q.Layout.Len(2) {
				*(*byte)(Add(q.P, i*q.Layout.Stride(0)+j*q.Layout.Stride(2)))++
			}
		}
	}
	for i, n := range Slice[byte](p.P, lay.Size()) {
		if n != 1 {
			t.Errorf("byte %d is in %d tiles", i, n)
		}
	}
	if g.tiles != 3*3 || !slices.Equal(g.position(1), []int{1, 0, 0}) {
		t.Errorf("%d tiles; tile 1 is at %v", g.tiles, g.position(1))
	}
}
