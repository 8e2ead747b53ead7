package mmap_test

import (
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

// shortOrLong returns the amount of work for a test: usually the first number, and the second one with NDMAP_LONG=1
// (see the section on security of the README).
func shortOrLong(t testing.TB, short, long int) int {
	t.Helper()
	if oracle.Long(t) {
		return long
	}
	return short
}
