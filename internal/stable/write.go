package stable

import (
	"errors"
	"io"
	"os"
	"runtime"
)

// Write writes b to w, as far as n says in the end. A system call that meets a page fault in b fails with
// [BadAddress], an error of what it writes to: Write then reads b from there on, for the fault to be one of Go's.
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
