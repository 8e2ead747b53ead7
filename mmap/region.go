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
	mem    []byte // whole pages; mem[i] is byte i of the file
	path   string
	mode   Mode
	closed bool // guarded by registry
	index  int  // in registry.live
}

// registry knows all regions. Its mutex is held for a few instructions only,
// and never while mapped memory is touched, which may take forever.
var registry struct {
	sync.Mutex
	live []*region // being mapped or sealed; in no order
	dead []*region // the graveyard: sealed, oldest first
	size uint64    // bytes in dead
}

// register makes a region of what mapPages returned.
func register(mem []byte, path string, mode Mode) *region {
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

	n, bound := uint64(len(r.mem)), min(graveyardBytes, addressSpace()/graveyardShare)
	err := errors.ErrUnsupported
	if n <= bound {
		err = seal(r.mem)
	}

	registry.Lock()
	r.dropLive()
	if err == nil {
		registry.dead = append(registry.dead, r)
		registry.size += n
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
	for r := overflow(bound); r != nil; r = overflow(bound) {
		r.release()
	}
	return nil
}

// overflow takes the oldest region out of the graveyard if it has too many, or
// too large ones; else it returns nil.
func overflow(bound uint64) *region {
	registry.Lock()
	defer registry.Unlock()
	if len(registry.dead) <= graveyardRanges && registry.size <= bound {
		return nil
	}
	r := registry.dead[0]
	registry.dead = slices.Delete(registry.dead, 0, 1)
	registry.size -= uint64(len(r.mem))
	return r
}

// emptyGraveyard gives the system all addresses in the graveyard, and reports
// whether there were any.
func emptyGraveyard() bool {
	registry.Lock()
	out := registry.dead
	registry.dead, registry.size = nil, 0
	registry.Unlock()
	for _, r := range out {
		r.release()
	}
	return len(out) > 0
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
	for _, rs := range [...][]*region{registry.live, registry.dead} {
		for _, r := range rs {
			if addr-address(r.mem) < uintptr(len(r.mem)) {
				return *r, true
			}
		}
	}
	return region{}, false
}
