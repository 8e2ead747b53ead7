//go:build unix

package main

import "syscall"

// maxFiles returns the number of descriptors that this process may open. Go has raised the soft limit to the hard
// limit.
func maxFiles() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 2 * maxConns
	}
	return uint64(limit.Cur)
}
