package mmap

import (
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
)

// A guardCall is a call of Guard that has not returned: of which goroutine, and how many it is within there,
// itself included.
type guardCall struct {
	goroutine string
	depth     int
}

// unwound has the regions that deferred calls closed while a panic went up to a call of Guard. They stay
// mapped until Guard has looked at the panic: whether a page can be read is seen only as long as it is mapped.
var unwound struct {
	sync.Mutex
	regions map[guardCall][]*region
	n       atomic.Int64 // len(regions)
}

// unwinding reports whether a panic is on its way from the caller to a call of Guard, and to which one. On Windows
// it is always false: a file is not removed there as long as it is mapped, and who removes one after Close does
// not wait for Guard.
func unwinding() (guardCall, bool) {
	guarded := debug.SetPanicOnFault(true) // a cheap test for those without a Guard
	debug.SetPanicOnFault(guarded)
	if !guarded || runtime.GOOS == "windows" {
		return guardCall{}, false
	}
	depth, panics := guards()
	if depth == 0 || !panics {
		return guardCall{}, false
	}
	return guardCall{goroutine(), depth}, true
}

// guards returns how many calls of Guard the caller is in, and whether there is a panic in the innermost one.
func guards() (depth int, panics bool) {
	pc := make([]uintptr, 64)
	n := runtime.Callers(2, pc)
	for n == len(pc) {
		pc = make([]uintptr, 2*len(pc))
		n = runtime.Callers(2, pc)
	}
	frames := runtime.CallersFrames(pc[:n])
	for more := n > 0; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panics = panics || depth == 0
		case strings.HasSuffix(f.Function, "/mmap.caught"):
			depth++
		}
	}
	return depth, panics
}

// goroutine returns the number that stack traces give the goroutine.
func goroutine() string {
	b := make([]byte, 64)
	return strings.Fields(string(b[:runtime.Stack(b, false)]))[1] // goroutine 7 [running]:
}

// retireLater leaves r to retireUnwound of the call g.
func retireLater(g guardCall, r *region) {
	unwound.Lock()
	defer unwound.Unlock()
	if unwound.regions == nil {
		unwound.regions = map[guardCall][]*region{}
	}
	unwound.regions[g] = append(unwound.regions[g], r)
	unwound.n.Store(int64(len(unwound.regions)))
}

// retireUnwound retires what deferred calls have closed under the call of Guard that ends, by Goexit if it does
// not return. The Close was without an error by then, so those of the system are ignored.
func retireUnwound(returns bool) {
	if unwound.n.Load() == 0 {
		return
	}
	outer := 0 // Goexit ends all of them
	if returns {
		outer, _ = guards()
	}
	me := goroutine()
	var regions []*region
	unwound.Lock()
	for g, rs := range unwound.regions {
		if g.goroutine == me && g.depth > outer {
			regions = append(regions, rs...)
			delete(unwound.regions, g)
		}
	}
	unwound.n.Store(int64(len(unwound.regions)))
	unwound.Unlock()
	for _, r := range regions {
		r.retire()
	}
}
