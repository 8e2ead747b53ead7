package strided

import (
	"errors"
	"math"
	"math/big"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ndmap/ndmap/internal/oracle"
)

func TestShare(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for procs := 1; procs <= 4; procs++ {
		runtime.GOMAXPROCS(procs)
		for _, n := range []int{0, 1, 2, 3, 7, 100} {
			calls := make([]atomic.Int32, n+1)
			Share(n, func(k int) { calls[k].Add(1) })
			for k := range n + 1 {
				if got := calls[k].Load(); got != int32(min(n-k, 1)) {
					t.Errorf("GOMAXPROCS %d, %d parts: part %d is called %d times", procs, n, k, got)
				}
			}
		}
	}
}

// TestSharePanics checks that a panic in a part becomes a panic of the caller with the same value, that each part is
// called at most once, and that few calls are made after the panic.
func TestSharePanics(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	cause := errors.New("cause")
	for procs := 1; procs <= 4; procs++ {
		runtime.GOMAXPROCS(procs)
		for _, at := range []int{0, 5, 999} {
			calls := make([]atomic.Int32, 1000)
			panicked := make(chan bool)
			var got any
			func() {
				defer func() { got = recover() }()
				Share(len(calls), func(k int) {
					calls[k].Add(1)
					switch {
					case k == at:
						close(panicked)
						panic(cause)
					case k > at: // calls that began before the panic end after it
						<-panicked
						time.Sleep(5 * time.Millisecond)
					}
				})
			}()
			if got != cause {
				t.Errorf("GOMAXPROCS %d: Share panics with %v", procs, got)
			}
			total := 0
			for k := range calls {
				n := int(calls[k].Load())
				if total += n; n > 1 || n == 0 && k <= at {
					t.Errorf("GOMAXPROCS %d, panic in part %d: part %d is called %d times", procs, at, k, n)
				}
			}
			if total > at+1+2*procs || procs == 1 && total != at+1 {
				t.Errorf("GOMAXPROCS %d, panic in part %d: %d parts are called", procs, at, total)
			}
		}
		// If all calls panic, Share panics with the value of one of the panics.
		var got any
		func() {
			defer func() { got = recover() }()
			Share(100, func(k int) { panic(k) })
		}()
		if k, ok := got.(int); !ok || k < 0 || k >= 100 {
			t.Errorf("GOMAXPROCS %d: Share panics with %v", procs, got)
		}
	}
}

// TestGroup tests that Wait passes on a panic, and a call of Goexit, after all functions have ended.
func TestGroup(t *testing.T) {
	for _, panics := range []bool{false, true} {
		var stopped, ended atomic.Int32
		var got any
		returned := false
		done := make(chan bool)
		go func() {
			defer close(done)
			defer func() { got = recover() }()
			var g Group
			stop := make(chan bool)
			g.Go(func() { <-stop; ended.Add(1) }, func() { stopped.Add(100) })
			g.Go(func() {
				if panics {
					panic("cause")
				}
				runtime.Goexit()
			}, func() { stopped.Add(1); close(stop) })
			g.Wait()
			returned = true
		}()
		<-done
		if stopped.Load() != 1 || ended.Load() != 1 || returned || panics != (got == "cause") {
			t.Errorf("panic %v: Wait panics with %v, or returns (%v); %d stopped, %d ended", panics, got, returned,
				stopped.Load(), ended.Load())
		}
	}
}

func TestBound(t *testing.T) {
	r := oracle.Rand(t, 30)
	for range caseCount(t, 500) {
		length, n := r.IntN(1<<r.IntN(31)), 1+r.IntN(1<<r.IntN(12))
		if r.IntN(8) == 0 {
			length = math.MaxInt - r.IntN(3)
		}
		if Bound(length, 0, n) != 0 || Bound(length, n, n) != length {
			t.Fatalf("%d in %d parts: from %d to %d", length, n, Bound(length, 0, n), Bound(length, n, n))
		}
		least, most := length, 0
		for k := range n {
			part := Bound(length, k+1, n) - Bound(length, k, n)
			exact := new(big.Int).Mul(big.NewInt(int64(length)), big.NewInt(int64(k)))
			if exact.Div(exact, big.NewInt(int64(n))); exact.Cmp(big.NewInt(int64(Bound(length, k, n)))) != 0 {
				t.Fatalf("part %d of %d in %d starts at %d, want %v", k, length, n, Bound(length, k, n), exact)
			}
			least, most = min(least, part), max(most, part)
		}
		if most-least > 1 || most > 0 && big.NewInt(0).Add(big.NewInt(int64(length)),
			big.NewInt(int64(n-1))).Cmp(big.NewInt(int64(most))) < 0 {
			t.Fatalf("%d in %d parts: from %d to %d each", length, n, least, most)
		}
	}
}
