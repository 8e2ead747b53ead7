// Package stable reads bytes that another process may be writing, and writes those that it may be cutting off.
package stable

import (
	"bytes"
	"io"
	"sync"
)

// tries is how often in a row what is read may differ. A writer that rewrites a header without a pause
// differs every other time.
const tries = 1000

// Read calls read until it reads the same twice in a row, and returns what it returned, with dst as far as it
// was read; io.EOF is no error. A read while others write may be half of what was and half of what comes,
// and (99,) on its way to (100,) then is (19,) or (10,). Two that are the same are so only if the writer stood still
// in the middle, which it may between two pages. ok is false if it never was the same.
//
// read is called with dst, or a buffer as long.
func Read(dst []byte, read func([]byte) (int, error)) (n int, ok bool, err error) {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	if len(*buf) < len(dst) {
		*buf = make([]byte, len(dst))
	}
	again := (*buf)[:len(dst)]
	n, err = read(dst)
	for range tries {
		if err != nil && err != io.EOF {
			return n, true, err
		}
		before := n
		n, err = read(again)
		same := n == before && bytes.Equal(again[:n], dst[:n])
		copy(dst, again[:n])
		if same && (err == nil || err == io.EOF) {
			return n, true, nil
		}
	}
	return n, false, err
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}
