//go:build unix

package source

import "syscall"

// atOnce opens a pipe without waiting for its other end, and no terminal becomes that of the program.
const atOnce = syscall.O_NONBLOCK | syscall.O_NOCTTY
