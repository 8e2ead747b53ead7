//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package term

import "os"

// Endings are the signals that ask a program to end.
var Endings = []os.Signal{os.Interrupt}

// Quit is the signal on which Go's runtime prints stack traces, or nil.
var Quit os.Signal

func columns(*os.File) (n int, ok bool) { return 0, false }

// IsClosedPipe reports whether err is the error of a write to a pipe that has no reader anymore.
func IsClosedPipe(error) bool { return false }

func showsColours(*os.File) bool { return false }
