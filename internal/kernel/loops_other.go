//go:build (!amd64 && !arm64) || purego || race

package kernel

const hasLoops = false

var (
	native      loops
	conversions conversionLoops
)
