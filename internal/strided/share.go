package strided

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Panic returns the value with which [Share] panics if a part panics with v. stack is the stack of the goroutine of the
// part. Package array sets Panic.
var Panic = func(v any, stack []byte) any { return v }

// Share calls part once with each number from 0 to n-1, in any order, in up to GOMAXPROCS goroutines.
//
// If a call panics, a page fault included, Share starts no further calls and panics with the result of [Panic] in the
// goroutine of the caller, where mmap.Guard recognizes faults. If a call ends its goroutine with runtime.Goexit, Share
// calls runtime.Goexit in the goroutine of the caller.
func Share(n int, part func(k int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 {
		if cause := shareInline(n, part); cause != nil {
			panic(cause)
		}
		return
	}
	var (
		group Group
		next  atomic.Int64
	)
	stop := func() { next.Store(int64(n)) }
	for range workers {
		group.Go(func() {
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				part(k)
			}
		}, stop)
	}
	group.Wait()
}

// A Group runs functions in goroutines, and passes their panics on.
type Group struct {
	wait  sync.WaitGroup
	mu    sync.Mutex
	cause any  // the value to panic with, or nil
	exits bool // a function has called runtime.Goexit
}

// Go calls f in a new goroutine. If f panics, a page fault included, or calls runtime.Goexit, the goroutine calls stop.
func (g *Group) Go(f, stop func()) {
	g.wait.Go(func() {
		debug.SetPanicOnFault(true) // for this goroutine only
		returned := false
		defer func() {
			if returned {
				return
			}
			v := recover() // nil after Goexit
			stop()
			g.mu.Lock()
			defer g.mu.Unlock()
			switch {
			case v == nil:
				g.exits = true
			case g.cause == nil:
				g.cause = Panic(v, debug.Stack())
			}
		}()
		f()
		returned = true
	})
}

// Wait waits for all functions. If one has panicked, Wait panics with the result of [Panic] for the first value. If one
// has called runtime.Goexit, Wait calls it, too.
func (g *Group) Wait() {
	g.wait.Wait()
	if g.cause != nil {
		panic(g.cause)
	}
	if g.exits {
		runtime.Goexit()
	}
}

// shareInline calls part with each number from 0 to n-1 in this goroutine. It returns the value to panic with, or nil.
func shareInline(n int, part func(k int)) (cause any) {
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

// Bound returns the start of part k if a length is cut into n parts: length*k/n, rounded down. So n parts of the rows
// of a matrix and n parts of its bytes start within a row of each other. No product overflows for n up to 1<<32.
func Bound(length, k, n int) int {
	return length/n*k + int(uint64(length%n)*uint64(k)/uint64(n))
}

// ceilDiv returns a/b, rounded up.
func ceilDiv(a, b int) int { return (a + b - 1) / b }
