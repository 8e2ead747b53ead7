package mmap

// For tests of the bounds of the graveyard.
const (
	GraveyardRanges = graveyardRanges
	GraveyardBytes  = graveyardBytes
)

// Graveyard returns how many ranges, and how many bytes, the graveyard has.
func Graveyard() (ranges int, bytes uint64) {
	registry.Lock()
	defer registry.Unlock()
	return len(registry.dead.regions), registry.dead.size
}

// Live returns how many regions are mapped.
func Live() int {
	registry.Lock()
	defer registry.Unlock()
	return len(registry.live)
}

func EmptyGraveyard() bool { return emptyGraveyard() }

// Regions returns how many mappings m has.
func Regions(m *Map) int { return len(m.regions) }

var Racy = racy
