//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package term

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Endings are the signals that ask a program to end.
var Endings = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, Quit}

// Quit is the signal on which Go's runtime prints stack traces, or nil.
var Quit os.Signal = syscall.SIGQUIT

func columns(f *os.File) (n int, ok bool) {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, false
	}
	return int(size.Col), true
}

// IsClosedPipe reports whether err is the error of a write to a pipe that has no reader anymore.
func IsClosedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

func showsColours(*os.File) bool { return true }
