package mmap

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/ndmap/ndmap/internal/atomicfile"
)

// Lock takes an exclusive lock on the file of a [ReadWrite] mapping, which it has until
// Unlock or Close. It waits up to the time given for others to release theirs; then the error
// wraps [ErrLocked]. With a wait of 0 or less it tries once. It is the lock of [Config].Lock:
// what is said there of who sees it holds here. A Map that was opened with Config.Lock has it
// already.
//
// The lock is the Map's: a second Lock of the same Map does not wait, whichever goroutine
// calls it, and each needs its own Unlock. Another Map of the same file waits, in the same
// process, too. Another mode and anonymous memory are an error. Where the file system has no
// locks, the error wraps [errors.ErrUnsupported]. Errors are *[fs.PathError].
//
// No process waits long for others that lock again and again: after 20 ms with the lock, Lock
// sleeps for longer than the waiting ones do between two tries.
func (m *Map) Lock(wait time.Duration) error {
	m.giveWay(time.Now())
	err := atomicfile.Wait(wait, m.tryLock)
	if err != nil {
		if wait > 0 && errors.Is(err, ErrLocked) {
			err = fmt.Errorf("%w, and was for %v", err, wait)
		}
		err = m.failed("lock", err)
	}
	return err
}

// Who had the lock for lockTurn leaves it alone for lockRest: all who wait ask
// meanwhile.
const (
	lockTurn = 20 * time.Millisecond
	lockRest = atomicfile.MostPause * 3 / 2
)

// A turn is how long a Map had the lock since it let others have it.
type turn struct {
	since, last time.Time     // of the lock that is held, and when the last one ended
	had         time.Duration // until last
}

// giveWay sleeps if it is the turn of others.
func (m *Map) giveWay(now time.Time) {
	m.mu.Lock()
	t := &m.turn
	rest := lockRest - now.Sub(t.last)
	if m.held > 0 || m.lock || t.had < lockTurn {
		rest = 0
	} else {
		t.had = 0
	}
	m.mu.Unlock()
	time.Sleep(rest)
}

// tryLock takes the lock if it is free. If it is not, the last try is an error that
// says what those who have it do.
func (m *Map) tryLock(last bool) (ok bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.data == nil:
		return false, fs.ErrClosed
	case m.path == "" || m.mode != ReadWrite:
		return false, errors.New("not a file that is mapped ReadWrite")
	case m.lock || m.held > 0:
		ok = true
	default:
		if ok, err = atomicfile.TryLock(m.file, true); err == nil && !ok && last {
			err = refused(m.file, true)
		}
		m.turn.since = time.Now()
	}
	if ok {
		m.held++
	}
	return ok, err
}

// Unlock undoes one call of Lock; the last one releases the lock, but for that of
// [Config].Lock. Without a Lock to undo it is an error. Errors are *[fs.PathError].
func (m *Map) Unlock() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var err error
	switch {
	case m.data == nil:
		err = fs.ErrClosed
	case m.held == 0:
		err = errors.New("not locked")
	default:
		if m.held--; m.held == 0 && !m.lock {
			err = atomicfile.Unlock(m.file)
			m.turn.last = time.Now()
			m.turn.had += m.turn.last.Sub(m.turn.since)
		}
	}
	if err != nil {
		return m.failed("unlock", err)
	}
	return nil
}
