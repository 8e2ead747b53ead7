package term

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// Endings are the signals that ask a program to end.
var Endings = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// Quit is the signal on which Go's runtime prints stack traces, or nil.
var Quit os.Signal

func columns(f *os.File) (n int, ok bool) {
	var info windows.ConsoleScreenBufferInfo
	if err := windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &info); err != nil {
		return 0, false
	}
	return int(info.Window.Right-info.Window.Left) + 1, true
}

// IsClosedPipe reports whether err is the error of a write to a pipe that has no reader anymore.
func IsClosedPipe(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}

// showsColours enables escape sequences on the console, which Windows 10 and later support.
func showsColours(f *os.File) bool {
	var mode uint32
	h := windows.Handle(f.Fd())
	return windows.GetConsoleMode(h, &mode) == nil &&
		windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
