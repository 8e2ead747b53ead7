package main

import (
	"net/http"
	"strconv"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/mmap"
)

// timeout is the time allowed for a client to send its request, and to receive each block of the answer.
const timeout = 30 * time.Second

// sendFile sends a, a part of f, as a .npy file. The Content-Length lets clients show progress and detect an incomplete
// answer.
func sendFile(w http.ResponseWriter, f *array.File, a array.Array) (sent bool, err error) {
	size, err := array.EncodedSize(a)
	if err != nil {
		return false, err
	}
	b := blockWriter{f: f, w: w}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	err = mmap.Guard(func() error {
		_, err := a.WriteTo(&b)
		return err
	})
	return b.sent, err
}

// A blockWriter is a writer that sends a block only if f has not changed since it was opened.
type blockWriter struct {
	f    *array.File
	w    http.ResponseWriter
	buf  []byte
	sent bool
}

func (b *blockWriter) Write(block []byte) (int, error) {
	for n := 0; n < len(block); n += len(b.buf) {
		// The block may be memory of the file, so check a copy, which cannot change afterwards.
		b.buf = append(b.buf[:0], block[n:min(n+64<<10, len(block))]...)
		if err := b.f.Unchanged(); err != nil {
			return n, err
		}
		http.NewResponseController(b.w).SetWriteDeadline(time.Now().Add(timeout))
		b.sent = true
		if _, err := b.w.Write(b.buf); err != nil {
			return n, err
		}
	}
	return len(block), nil
}
