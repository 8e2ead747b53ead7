package mmap_test

import (
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

// long returns the amount of work for a test: usually the first number, and the second one with NDMAP_LONG=1 (see the
// section on security of the README).
func long(t testing.TB, short, long int) int {
	t.Helper()
	if oracle.Long(t) {
		return long
	}
	return short
}
