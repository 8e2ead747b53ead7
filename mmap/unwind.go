package mmap

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// Regions of files that deferred calls close while a panic goes up to a call of Guard stay mapped in registry.waiting
// until Guard has looked at the panic: only a mapped page shows whether it can be read. If the panic is recovered
// before it reaches Guard, they wait until the goroutine next opens or closes a mapping, or returns from any Guard,
// while no panic is under way. When the queue is full, the oldest region stops waiting.

// waits is len(registry.waiting.regions).
var waits atomic.Int64

// waitingShare is the size of the waiting queue in bytes, as a multiple of the bound of the graveyard.
const waitingShare = 8

// isUnwinding reports whether a panic is on its way from the caller to a call of Guard. On Windows it returns
// false: a mapped file cannot be removed there, and code that removes a file after Close does not wait for Guard.
func isUnwinding() bool {
	guarded := debug.SetPanicOnFault(true) // a cheap test for callers without a Guard
	debug.SetPanicOnFault(guarded)
	if !guarded || runtime.GOOS == "windows" {
		return false
	}
	pc := make([]uintptr, 64)
	n := runtime.Callers(2, pc)
	for n == len(pc) {
		pc = make([]uintptr, 2*len(pc))
		n = runtime.Callers(2, pc)
	}
	frames := runtime.CallersFrames(pc[:n])
	panics := false
	for more := n > 0; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panics = true
		case f.Function == "runtime.Goexit":
			return false // no function below it resumes, so no Guard looks at a panic there
		case panics && strings.HasSuffix(f.Function, "/mmap.recoverPanic"):
			return true
		}
	}
	return false
}

// goroutineID returns the number of the goroutine in stack traces.
func goroutineID() uint64 {
	b := make([]byte, 64)
	b = b[:runtime.Stack(b, false)]
	id, _ := strconv.ParseUint(string(bytes.Fields(b)[1]), 10, 64) // goroutine 7 [running]:
	return id
}

// retireLater makes r wait. Regions that have waited too long are retired.
func (r *region) retireLater() {
	bound := max(waitingShare*graveyardBound(), uint64(len(r.mem))) // r itself always waits
	id := goroutineID()
	registry.Lock()
	r.goroutine = id // find reads r with the lock
	registry.waiting.add(r)
	var full []*region
	for old := registry.waiting.overflow(bound); old != nil; old = registry.waiting.overflow(bound) {
		full = append(full, old)
	}
	waits.Store(int64(len(registry.waiting.regions)))
	registry.Unlock()
	for _, old := range full {
		old.retire()
	}
}

// retireUnwound retires the waiting regions of the goroutine, unless a panic is still on its way to a Guard.
func retireUnwound() {
	if waits.Load() > 0 && !isUnwinding() {
		retireWaiting(goroutineID())
	}
}

// retireWaiting retires the waiting regions of a goroutine, or of all goroutines if the number is 0, and reports
// whether there were any. Their Close has returned, so it ignores errors of the system.
func retireWaiting(goroutine uint64) bool {
	var out []*region
	registry.Lock()
	q := &registry.waiting
	q.regions = slices.DeleteFunc(q.regions, func(r *region) bool {
		if goroutine != 0 && r.goroutine != goroutine {
			return false
		}
		out = append(out, r)
		q.size -= uint64(len(r.mem))
		return true
	})
	waits.Store(int64(len(q.regions)))
	registry.Unlock()
	for _, r := range out {
		r.retire()
	}
	return len(out) > 0
}
