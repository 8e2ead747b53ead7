//go:build !linux

package examples

import "testing"

func TestHostile(t *testing.T) {
	t.Skip("needs Linux, which tells what a process has mapped, and stops it there")
}
