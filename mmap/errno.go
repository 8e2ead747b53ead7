//go:build !plan9

package mmap

import "syscall"

// errBadAddress is the error of a system call that was handed memory with a page fault.
const errBadAddress = syscall.EFAULT
