//go:build !linux

package strided

import "math"

// memory returns the number of bytes of memory that this process may use, which is unknown on this system.
func memory() int { return math.MaxInt }
