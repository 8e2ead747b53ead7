//go:build !linux

package kernel

import (
	"os"
	"testing"
)

// guardedPages returns n pages of memory. Only the version for Linux puts inaccessible pages around the memory.
func guardedPages(t testing.TB, n int) []byte { return make([]byte, n*os.Getpagesize()) }
