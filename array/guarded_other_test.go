//go:build !linux

package array

import "testing"

// guarded returns a page of memory. On Linux it lies between two pages that fault.
func guarded(testing.TB) []byte { return make([]byte, 4096) }
