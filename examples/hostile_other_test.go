//go:build !linux

package examples

import "testing"

func TestHostile(t *testing.T) {
	t.Skip("needs Linux to see what a process has mapped")
}
