package mmap_test

import (
	"os"
	"testing"
)

// long picks how much a test does: the first number as a rule, the second one
// with NDMAP_LONG=1 (see the README's section on security).
func long(t testing.TB, short, long int) int {
	t.Helper()
	if os.Getenv("NDMAP_LONG") == "" {
		return short
	}
	t.Logf("the long form, for NDMAP_LONG is set")
	return long
}
