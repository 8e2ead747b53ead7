//go:build unix

package main

import "syscall"

// maxFiles returns the number of descriptors that the program may have. Go has raised the soft limit to the hard one.
func maxFiles() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 2 * maxConns
	}
	return uint64(limit.Cur)
}
