//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package watch

import "golang.org/x/sys/unix"

// noWait opens a pipe without waiting for a writer, and a terminal without making it the controlling terminal.
const noWait = unix.O_NONBLOCK | unix.O_NOCTTY
