package mmap

import (
	"errors"
	"testing"
	"time"
)

// changingFile is a file whose content differs each time it is read.
type changingFile struct{ n byte }

func (c *changingFile) ReadAt(b []byte, _ int64) (int, error) {
	c.n++
	for i := range b {
		b[i] = c.n
	}
	return len(b), nil
}

// TestHeadChanges tests that Open returns an error if the first bytes of a file keep changing.
func TestHeadChanges(t *testing.T) {
	done := make(chan error, 1)
	go func() { done <- readHead(new(changingFile), make([]byte, 100), 7) }()
	select {
	case err := <-done:
		const want = "the file has been changed each time its 100 bytes at offset 7 were read; another process keeps writing them"
		if !errors.Is(err, ErrChanged) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	case <-time.After(time.Minute):
		t.Fatal("readHead does not end")
	}
}
