//go:build !linux

package kernel

import (
	"os"
	"testing"
)

// guarded is memory; pages that fault beside it are tested on Linux.
func guarded(t testing.TB, n int) []byte { return make([]byte, n*os.Getpagesize()) }
