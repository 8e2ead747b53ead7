package main

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ndmap/ndmap/mmap"
)

// turn waits until the first element is even, checks the elements written by Python, and writes new ones. Then it makes
// the first element odd, so that it is Python's turn.
func turn(_ *mmap.Map, x []int64) error {
	t, start := atomic.LoadInt64(&x[0]), time.Now()
	for ; t%2 != 0; t = atomic.LoadInt64(&x[0]) {
		if time.Sleep(10 * time.Microsecond); time.Since(start) > timeout {
			return fmt.Errorf("turn %d: the other program has written nothing for %v", t, timeout)
		}
	}
	for i := range x[1:] {
		if x[1+i] != -t {
			return fmt.Errorf("turn %d: element %d is %d, want %d", t, 1+i, x[1+i], -t)
		}
		x[1+i] = t + 1
	}
	atomic.StoreInt64(&x[0], t+1)
	return nil
}
