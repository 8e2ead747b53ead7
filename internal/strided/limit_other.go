//go:build !linux

package strided

import "math"

// memory returns how many bytes of memory this process may take, as far as that is known.
func memory() int { return math.MaxInt }
