//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows

package mmap_test

import (
	"errors"
	"io/fs"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ndmap/ndmap/mmap"
)

// TestMapLock checks that Lock waits for another Map but not for the same Map, and that each Lock needs an Unlock.
func TestMapLock(t *testing.T) {
	path := writeFile(t, pages(1))
	a, b := open(t, path, mmap.ReadWrite), open(t, path, mmap.ReadWrite)
	for range 3 {
		if err := a.Lock(0); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Now()
	checkError(t, b.Lock(30*time.Millisecond), path,
		"lock DIR/t.npy: locked: it is open for writing, in another process or in this one; waited 30ms", mmap.ErrLocked)
	if waited := time.Since(start); waited < 30*time.Millisecond || waited > 5*time.Second {
		t.Errorf("Lock waited for %v, want 30 ms", waited)
	}
	checkError(t, b.Lock(0), path, "lock DIR/t.npy: locked: it is open for writing, in another process or in this one",
		mmap.ErrLocked)
	for range 2 {
		if err := a.Unlock(); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Lock(0); !errors.Is(err, mmap.ErrLocked) {
		t.Errorf("with one of three locks left: %v, want ErrLocked", err)
	}
	done := make(chan error)
	go func() { done <- b.Lock(time.Minute) }()
	time.Sleep(10 * time.Millisecond)
	if err := a.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	checkError(t, a.Unlock(), path, "unlock DIR/t.npy: not locked", nil)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := a.Lock(0); err != nil {
		t.Errorf("after Close of the Map that had the lock: %v", err)
	}
	checkError(t, b.Lock(time.Minute), path, "lock DIR/t.npy: file already closed", fs.ErrClosed)
	checkError(t, b.Unlock(), path, "unlock DIR/t.npy: file already closed", fs.ErrClosed)
	checkError(t, open(t, path, mmap.ReadOnly).Lock(time.Minute), path,
		"lock DIR/t.npy: not a file that is mapped ReadWrite", nil)
}

// TestMapLockConfig checks that a Map opened with Config.Lock holds the lock and keeps it after Unlock, and that
// readers with a lock exclude a writer.
func TestMapLockConfig(t *testing.T) {
	path := writeFile(t, pages(1))
	m, err := mmap.Config{Mode: mmap.ReadWrite, Lock: true}.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(m.Lock(0), m.Lock(0), m.Unlock(), m.Unlock()); err != nil {
		t.Error(err)
	}
	other := open(t, path, mmap.ReadWrite)
	if err := other.Lock(0); !errors.Is(err, mmap.ErrLocked) {
		t.Errorf("%v, want ErrLocked: Config.Lock is until Close", err)
	}
	m.Close()
	if m, err = (mmap.Config{Lock: true}).Open(path); err != nil {
		t.Fatal(err)
	}
	checkError(t, other.Lock(time.Millisecond), path,
		"lock DIR/t.npy: locked: it is open for reading, in another process or in this one; waited 1ms", mmap.ErrLocked)
	m.Close()
	if err := other.Lock(0); err != nil {
		t.Error(err)
	}
}

// TestMapLockTurns checks that no Map waits long for the lock if several Maps lock repeatedly, with short pauses.
func TestMapLockTurns(t *testing.T) {
	path := writeFile(t, pages(1))
	var wait sync.WaitGroup
	var over atomic.Bool
	turns := make([]int, 4)
	longest := make([]time.Duration, len(turns))
	for k := range turns {
		m := open(t, path, mmap.ReadWrite)
		wait.Go(func() {
			for !over.Load() {
				start := time.Now()
				if err := m.Lock(time.Minute); err != nil {
					t.Error(err)
					return
				}
				longest[k] = max(longest[k], time.Since(start))
				time.Sleep(2 * time.Millisecond)
				turns[k]++
				m.Unlock()
			}
		})
	}
	time.Sleep(700 * time.Millisecond)
	over.Store(true)
	wait.Wait()
	t.Logf("%v turns; the longest waits are %v", turns, longest)
	for k, n := range turns {
		if n < 5 || longest[k] > 2*time.Second {
			t.Errorf("Map %d had %d turns, and waited for %v", k, n, longest[k])
		}
	}
}
