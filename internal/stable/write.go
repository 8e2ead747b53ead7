package stable

import (
	"errors"
	"io"
	"os"
	"runtime"
)

// Write writes b to w and stores the number of bytes written in n. A system call that meets a page fault in b fails
// with [BadAddress], which looks like an error of w. Write then reads the rest of b, so that the fault becomes a Go
// fault.
func Write(w io.Writer, b []byte, n *int) error {
	k, err := w.Write(b)
	*n = min(max(k, 0), len(b))
	if err == nil && *n < len(b) {
		err = io.ErrShortWrite
	}
	if errors.Is(err, BadAddress) {
		runtime.KeepAlive(touch(b[*n:]))
	}
	return err
}

// touch reads a byte of each page of b.
func touch(b []byte) (sum byte) {
	for i := 0; i < len(b); i += os.Getpagesize() {
		sum += b[i]
	}
	if len(b) > 0 {
		sum += b[len(b)-1]
	}
	return sum
}
