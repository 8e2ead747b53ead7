package strided

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Share calls part with 0 to n-1, in any order, and divides the calls among
// GOMAXPROCS goroutines. Each call is made once at most: when one panics, a page fault
// included, no others are begun, and Share panics with the same value in the caller's
// goroutine, where mmap.Guard knows a fault by it.
func Share(n int, part func(k int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 {
		for k := range n {
			part(k)
		}
		return
	}
	var (
		wait  sync.WaitGroup
		next  atomic.Int64
		once  sync.Once
		cause any
	)
	for range workers {
		wait.Go(func() {
			debug.SetPanicOnFault(true) // of this goroutine, which ends here
			defer func() {
				if v := recover(); v != nil {
					next.Store(int64(n))
					once.Do(func() { cause = v })
				}
			}()
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				part(k)
			}
		})
	}
	wait.Wait()
	if cause != nil {
		panic(cause)
	}
}

// Bound returns where part k of n of a length starts: at length*k/n, so that n parts of the rows of a matrix, and n parts
// of its bytes, start within a row of each other. No product overflows for n up to 1<<32.
func Bound(length, k, n int) int {
	return length/n*k + int(uint64(length%n)*uint64(k)/uint64(n))
}
