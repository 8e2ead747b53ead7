package mmap

import (
	"errors"
	"slices"
	"sync"
)

// The graveyard keeps the addresses of closed mappings reserved, within these bounds.
const (
	graveyardRanges = 1024
	graveyardBytes  = uint64(1) << (26 + 14*(^uint(0)>>63)) // 64 MiB, or 1 TiB where an int has 64 bits

	// graveyardShare divides a limited address space: the graveyard may use one part of it. The heap
	// needs addresses too, and cannot ask the graveyard for its addresses.
	graveyardShare = 16
)

// errLost is the error of seal if other memory has taken the addresses.
var errLost = errors.New("the addresses are in use again")

// A region is a range of addresses, from mapPages to unmap.
type region struct {
	mem       []byte // whole pages; mem[i] is byte i of the file
	path      string
	mode      Mode
	closed    bool   // guarded by registry
	index     int    // position in registry.live
	goroutine uint64 // the goroutine that closed it, for registry.waiting
}

// registry contains all regions. Its mutex is held for a few instructions only, and never during an
// access to mapped memory, which may take arbitrarily long.
var registry struct {
	sync.Mutex
	live    []*region // mapped, or being sealed; in no order
	waiting queue     // live regions that were closed during a panic; see unwind.go
	dead    queue     // the graveyard: sealed
}

// A queue contains regions, the oldest first.
type queue struct {
	regions []*region
	size    uint64 // the number of bytes in regions
}

// add appends r to q. The caller holds the lock of the registry.
func (q *queue) add(r *region) {
	q.regions = append(q.regions, r)
	q.size += uint64(len(r.mem))
}

// overflow removes the oldest region from q and returns it if q has more than graveyardRanges
// regions or more than bound bytes. Otherwise it returns nil. The caller holds the lock of the
// registry.
func (q *queue) overflow(bound uint64) *region {
	if len(q.regions) <= graveyardRanges && q.size <= bound {
		return nil
	}
	r := q.regions[0]
	q.regions = slices.Delete(q.regions, 0, 1)
	q.size -= uint64(len(r.mem))
	return r
}

// register creates a region for the memory that mapPages returned.
func register(mem []byte, path string, mode Mode) *region {
	retireUnwound()
	r := &region{mem: mem, path: path, mode: mode}
	registry.Lock()
	defer registry.Unlock()
	r.index = len(registry.live)
	registry.live = append(registry.live, r)
	return r
}

// dropLive removes r from the live regions. The caller holds the lock of the registry.
func (r *region) dropLive() {
	last := len(registry.live) - 1
	registry.live[r.index] = registry.live[last]
	registry.live[r.index].index = r.index
	registry.live[last] = nil
	registry.live = registry.live[:last]
}

// retire gives up the memory of r and moves its addresses to the graveyard. It gives up the
// addresses too if they exceed the bound or the system cannot seal them. As soon as retire begins,
// a fault in them counts as a use after Close, even before they are sealed.
func (r *region) retire() error {
	registry.Lock()
	r.closed = true
	registry.Unlock()

	bound := graveyardBound()
	err := errors.ErrUnsupported
	if uint64(len(r.mem)) <= bound {
		err = seal(r.mem)
	}

	registry.Lock()
	r.dropLive()
	if err == nil {
		registry.dead.add(r)
	}
	registry.Unlock()

	switch err {
	case nil:
	case errLost:
		r.mem = nil
		return nil
	default:
		return r.release()
	}
	for {
		registry.Lock()
		r := registry.dead.overflow(bound)
		registry.Unlock()
		if r == nil {
			return nil
		}
		r.release()
	}
}

// graveyardBound returns the maximum number of bytes in the graveyard.
func graveyardBound() uint64 { return min(graveyardBytes, addressSpace()/graveyardShare) }

// emptyGraveyard gives the addresses of all closed regions, including waiting ones, back to the
// system. It reports whether any existed.
func emptyGraveyard() bool {
	waited := retireWaiting(0)
	registry.Lock()
	out := registry.dead.regions
	registry.dead = queue{}
	registry.Unlock()
	for _, r := range out {
		r.release()
	}
	return waited || len(out) > 0
}

// release gives back the addresses of r, which is no longer in the registry. If that fails for a
// sealed region, its addresses stay reserved, which does no harm.
func (r *region) release() error {
	mem := r.mem
	// The Go heap may get these addresses next, and the garbage collector must
	// not find a pointer into the heap that it did not make.
	r.mem = nil
	return unmap(mem)
}

// findRegion returns the region that contains addr.
func findRegion(addr uintptr) (r region, ok bool) {
	registry.Lock()
	defer registry.Unlock()
	for _, rs := range [...][]*region{registry.live, registry.dead.regions} {
		for _, r := range rs {
			if addr-address(r.mem) < uintptr(len(r.mem)) {
				return *r, true
			}
		}
	}
	return region{}, false
}
