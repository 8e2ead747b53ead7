//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package watch

import "golang.org/x/sys/unix"

// noWait opens a pipe without its other end, and a terminal without becoming its process.
const noWait = unix.O_NONBLOCK | unix.O_NOCTTY
