//go:build !race

package oracle

// Race reports whether the race detector is on.
const Race = false
