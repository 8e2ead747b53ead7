package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/ndmap/ndmap/examples/npy/words"
)

// mostQuoted is how many bytes of text there may be between quotes, which csv.Reader keeps in memory.
const mostQuoted = 64 << 20

// A keeper keeps carriage returns at the ends of lines between quotes: it doubles them, because csv.Reader drops one.
type keeper struct {
	r      io.Reader
	buf    [1 << 12]byte
	ready  []byte
	quoted bool
	length int // of what is quoted
	last   byte
}

func (k *keeper) Read(p []byte) (n int, err error) {
	if len(k.ready) == 0 {
		n, err = k.r.Read(k.buf[:])
		k.ready = slices.Grow(k.ready[:0], 2*n)
		if k.length += n; k.length > mostQuoted {
			return 0, fmt.Errorf("more than %s between quotes; is one missing?", words.Bytes(mostQuoted))
		}
		for _, c := range k.buf[:n] {
			switch {
			case c == '"':
				k.quoted = !k.quoted
				k.length = 0
			case c == '\n' && k.quoted && k.last == '\r':
				k.ready = append(k.ready, '\r')
			}
			k.ready = append(k.ready, c)
			k.last = c
		}
		if !k.quoted {
			k.length = 0
		}
		if err != nil && n > 0 {
			err = nil // again next time
		}
	}
	n = copy(p, k.ready)
	k.ready = k.ready[n:]
	return n, err
}
