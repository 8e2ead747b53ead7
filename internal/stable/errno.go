//go:build !plan9

package stable

import "syscall"

// BadAddress is the error of a system call that was handed memory with a page fault.
const BadAddress = syscall.EFAULT
