//go:build unix

package source

import "syscall"

// atOnce opens a pipe without waiting for a writer, and prevents a terminal from becoming the controlling terminal.
const atOnce = syscall.O_NONBLOCK | syscall.O_NOCTTY
