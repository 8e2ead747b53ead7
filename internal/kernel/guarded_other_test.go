//go:build !linux

package kernel

import (
	"os"
	"testing"
)

// guarded returns memory. Only the version for Linux puts pages that fault around it.
func guarded(t testing.TB, n int) []byte { return make([]byte, n*os.Getpagesize()) }
