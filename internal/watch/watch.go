// Package watch opens a file and waits for changes of it by other processes.
package watch

import (
	"context"
	"os"
	"time"
)

// A File is a file that is open for reading, and watched for changes. Only one goroutine may use it.
type File struct {
	*os.File
	notifier
}

// The maximum time that Wait waits, with and without notifications of the system. Even with notifications the time is
// limited: the system does not report changes by other machines on a network file system, symbolic links that change,
// or stores to mapped memory.
const (
	notifiedWait = 250 * time.Millisecond
	pollInterval = 10 * time.Millisecond
)

// Open opens the file at path without blocking, even if it is a pipe. The error is an *fs.PathError, as from
// os.OpenFile. If the system has no notifications of changes, Wait polls.
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

// Wait returns nil when the file may have changed since Open or the last call of Wait, or after some time. When ctx is
// done, Wait returns ctx.Err().
func (w *File) Wait(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !w.wait(ctx, notifiedWait) {
		t := time.NewTimer(pollInterval)
		defer t.Stop()
		select {
		case <-ctx.Done():
		case <-t.C:
		}
	}
	return ctx.Err()
}
