// Package stable reads bytes that another process may be writing, and writes bytes that another process may be
// truncating.
package stable

import (
	"bytes"
	"io"
	"sync"
)

// tries is the maximum number of consecutive reads that differ. If a writer rewrites a header without a pause, every
// second read differs.
const tries = 1000

// Read calls read until two consecutive calls return the same bytes, and returns the last result. dst then holds the n
// bytes that were read; io.EOF is not returned as an error. A single read during a write may return a mix of old and
// new bytes: while (99,) becomes (100,), it may return (19,) or (10,). Two mixed reads are equal only if the writer
// pauses in the middle, which can happen between two pages. If no two consecutive reads are equal, ok is false.
//
// Read calls read with dst or with a buffer of the same length.
func Read(dst []byte, read func([]byte) (int, error)) (n int, ok bool, err error) {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	if len(*buf) < len(dst) {
		*buf = make([]byte, len(dst))
	}
	second := (*buf)[:len(dst)]
	n, err = read(dst)
	for range tries {
		if err != nil && err != io.EOF {
			return n, true, err
		}
		prev := n
		n, err = read(second)
		same := n == prev && bytes.Equal(second[:n], dst[:n])
		copy(dst, second[:n])
		if same && (err == nil || err == io.EOF) {
			return n, true, nil
		}
	}
	return n, false, err
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}
