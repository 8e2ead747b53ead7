package mmap

import (
	"errors"
	"slices"
	"sync"
)

// The graveyard keeps the addresses of closed mappings, within these bounds.
const (
	graveyardRanges = 1024
	graveyardBytes  = uint64(1) << (26 + 14*(^uint(0)>>63)) // 64 MiB, or 1 TiB where an int has 64 bits

	// graveyardShare is the part of a limited address space that it may use:
	// the heap needs addresses too, and does not ask for ours.
	graveyardShare = 16
)

// errLost is what seal returns when others have the addresses now.
var errLost = errors.New("the addresses are in use again")

// A region is a range of addresses that mapPages returned, until unmap.
type region struct {
	mem       []byte // whole pages; mem[i] is byte i of the file
	path      string
	mode      Mode
	closed    bool   // guarded by registry
	index     int    // in registry.live
	goroutine uint64 // that closed it, in registry.waiting
}

// registry knows all regions. Its mutex is held for a few instructions only,
// and never while mapped memory is touched, which may take forever.
var registry struct {
	sync.Mutex
	live    []*region // being mapped or sealed; in no order
	waiting queue     // live regions that were closed during a panic; see unwind.go
	dead    queue     // the graveyard: sealed
}

// A queue has regions, the oldest first.
type queue struct {
	regions []*region
	size    uint64 // bytes in regions
}

// add appends r to q. The registry is locked, as for overflow.
func (q *queue) add(r *region) {
	q.regions = append(q.regions, r)
	q.size += uint64(len(r.mem))
}

// overflow removes the oldest region from q and returns it if q has more than graveyardRanges regions, or more than
// bound bytes; else it returns nil.
func (q *queue) overflow(bound uint64) *region {
	if len(q.regions) <= graveyardRanges && q.size <= bound {
		return nil
	}
	r := q.regions[0]
	q.regions = slices.Delete(q.regions, 0, 1)
	q.size -= uint64(len(r.mem))
	return r
}

// register makes a region of what mapPages returned.
func register(mem []byte, path string, mode Mode) *region {
	retireUnwound()
	r := &region{mem: mem, path: path, mode: mode}
	registry.Lock()
	defer registry.Unlock()
	r.index = len(registry.live)
	registry.live = append(registry.live, r)
	return r
}

// dropLive takes r out of the live regions. The registry is locked.
func (r *region) dropLive() {
	last := len(registry.live) - 1
	registry.live[r.index] = registry.live[last]
	registry.live[r.index].index = r.index
	registry.live[last] = nil
	registry.live = registry.live[:last]
}

// retire gives up the memory of r, and moves its addresses to the graveyard,
// or gives them up too when they are too many or the system cannot seal them.
// From here on a fault in them is use after close, also before they are sealed.
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

// emptyGraveyard gives the system the addresses of all closed regions, waiting ones included, and reports
// whether there were any.
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

// release gives back the addresses of r, which is not in the registry any more.
// For a sealed region an error would mean that they stay reserved, which hurts
// nobody.
func (r *region) release() error {
	mem := r.mem
	// The Go heap may be what gets these addresses next, and the garbage
	// collector must not find a pointer into it that it did not make.
	r.mem = nil
	return unmap(mem)
}

// find returns the region that addr is in.
func find(addr uintptr) (r region, ok bool) {
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
