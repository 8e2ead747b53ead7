//go:build !linux

package array

import "testing"

// guardedPage returns a page of memory. On Linux it lies between two pages that fault.
func guardedPage(testing.TB) []byte { return make([]byte, 4096) }
