//go:build !linux

package strided

import "math"

// availableMemory returns the number of bytes of memory that this process may use, which is unknown on this system.
func availableMemory() int { return math.MaxInt }
