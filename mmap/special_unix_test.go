//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package mmap_test

import (
	"net"
	"syscall"
	"testing"
)

// device is the path of a device, which is not a regular file.
const device = "/dev/zero"

// makeSpecialFiles creates a pipe and a socket in the working directory, because the length of the path of a socket
// is limited.
func makeSpecialFiles(t *testing.T, fifo, socket string) {
	if err := syscall.Mkfifo(fifo, 0o666); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
}
