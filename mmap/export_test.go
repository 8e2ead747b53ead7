package mmap

// Tests need these bounds of the graveyard.
const (
	GraveyardRanges = graveyardRanges
	GraveyardBytes  = graveyardBytes
)

// Graveyard returns the number of ranges and the number of bytes in the graveyard.
func Graveyard() (ranges int, bytes uint64) {
	registry.Lock()
	defer registry.Unlock()
	return len(registry.dead.regions), registry.dead.size
}

// Live returns the number of mapped regions.
func Live() int {
	registry.Lock()
	defer registry.Unlock()
	return len(registry.live)
}

func EmptyGraveyard() bool { return emptyGraveyard() }

// Regions returns the number of mappings of m.
func Regions(m *Map) int { return len(m.regions) }

var Racy = isRacy
