//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package term

import "os"

// Endings are the signals that ask a program to end.
var Endings = []os.Signal{os.Interrupt}

func columns(*os.File) (n int, ok bool) { return 0, false }
