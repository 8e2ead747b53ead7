package array

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/ndmap/ndmap/mmap"
)

// share calls part with 0 to n-1, in any order, and divides the calls among
// GOMAXPROCS goroutines. After a page fault in one of them the call is made again
// in the caller's goroutine, where [mmap.Guard] can have the fault: part must stand
// being called twice.
func share(n int, part func(k int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 {
		for k := range n {
			part(k)
		}
		return
	}
	var wait sync.WaitGroup
	var next atomic.Int64
	var faults sync.Map
	for range workers {
		wait.Go(func() {
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				if err := mmap.Guard(func() error { part(k); return nil }); err != nil {
					faults.Store(k, err)
					return
				}
			}
		})
	}
	wait.Wait()
	for k := range faults.Range {
		part(k.(int)) // here a fault belongs to the caller
	}
	for k := int(next.Load()); k < n; k++ {
		part(k) // what nobody took, after a fault in all goroutines
	}
}
