//go:build !linux

package array

import "testing"

// guarded is a page of memory; on Linux it is between two that fault.
func guarded(testing.TB) []byte { return make([]byte, 4096) }
