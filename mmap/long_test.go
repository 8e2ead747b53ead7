package mmap_test

import (
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

// long picks how much a test does: the first number as a rule, the second one
// with NDMAP_LONG=1 (see the README's section on security).
func long(t testing.TB, short, long int) int {
	t.Helper()
	if oracle.Long(t) {
		return long
	}
	return short
}
