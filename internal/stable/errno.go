//go:build !plan9

package stable

import "syscall"

// BadAddress is the error of a system call whose memory argument has a page fault.
const BadAddress = syscall.EFAULT
