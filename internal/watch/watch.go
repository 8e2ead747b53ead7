// Package watch reads a file that others change, and waits until they have.
package watch

import (
	"context"
	"os"
	"time"
)

// A File is open for reading, and watched. It belongs to one goroutine.
type File struct {
	*os.File
	notifier // the system's
}

// How long Wait waits where the system tells of changes, and where it does not. It does not tell of what other machines
// do to a file on a network file system, nor that a link leads elsewhere, nor of stores to mapped memory.
const (
	mostTold = 250 * time.Millisecond
	mostPoll = 10 * time.Millisecond
)

// Open opens the file at path, and does not wait for anything, be it a pipe. The error is that of os.Open. Where the
// system does not tell of changes, Wait returns every so often.
func Open(path string) (*File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, err
	}
	w := &File{File: f}
	w.watch(path)
	return w, nil
}

// Close ends the watch and closes the file.
func (w *File) Close() error {
	w.unwatch()
	return w.File.Close()
}

// Wait returns nil after the file may have changed since Open, or since Wait last returned, or after a while. When
// ctx is done it returns ctx.Err().
func (w *File) Wait(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !w.wait(ctx, mostTold) {
		t := time.NewTimer(mostPoll)
		defer t.Stop()
		select {
		case <-ctx.Done():
		case <-t.C:
		}
	}
	return ctx.Err()
}
