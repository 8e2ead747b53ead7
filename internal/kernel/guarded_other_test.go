//go:build !linux

package kernel

import (
	"os"
	"testing"
)

// guarded returns n pages of memory. Only the version for Linux puts inaccessible pages around the memory.
func guarded(t testing.TB, n int) []byte { return make([]byte, n*os.Getpagesize()) }
