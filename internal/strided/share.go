package strided

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Panic, which package array sets, returns what [Share] panics with, of what a call panicked with and the
// stack of its goroutine.
var Panic = func(v any, stack []byte) any { return v }

// Share calls part with 0 to n-1, in any order, and divides the calls among
// GOMAXPROCS goroutines. Each call is made once at most: when one panics, a page fault
// included, no others are begun, and Share panics with what [Panic] makes of it in the caller's
// goroutine, where mmap.Guard knows a fault by it. A call that ends its goroutine, by
// runtime.Goexit, ends that of the caller in the same way.
func Share(n int, part func(k int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 {
		if cause := alone(n, part); cause != nil {
			panic(cause)
		}
		return
	}
	var (
		wait  sync.WaitGroup
		next  atomic.Int64
		mu    sync.Mutex
		cause any
		exits bool
	)
	for range workers {
		wait.Go(func() {
			debug.SetPanicOnFault(true) // of this goroutine, which ends here
			returned := false
			defer func() {
				if returned {
					return
				}
				v := recover() // nil after Goexit
				next.Store(int64(n))
				mu.Lock()
				defer mu.Unlock()
				switch {
				case v == nil:
					exits = true
				case cause == nil:
					cause = Panic(v, debug.Stack())
				}
			}()
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				part(k)
			}
			returned = true
		})
	}
	wait.Wait()
	if cause != nil {
		panic(cause)
	}
	if exits {
		runtime.Goexit()
	}
}

// alone is Share in this goroutine. It returns what to panic with.
func alone(n int, part func(k int)) (cause any) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if v := recover(); v != nil {
			cause = Panic(v, debug.Stack())
		}
	}()
	for k := range n {
		part(k)
	}
	return nil
}

// Bound returns where part k of n of a length starts: at length*k/n, so that n parts of the rows of a matrix, and n
// parts of its bytes, start within a row of each other. No product overflows for n up to 1<<32.
func Bound(length, k, n int) int {
	return length/n*k + int(uint64(length%n)*uint64(k)/uint64(n))
}

// ceilDiv returns a/b, rounded up.
func ceilDiv(a, b int) int { return (a + b - 1) / b }
