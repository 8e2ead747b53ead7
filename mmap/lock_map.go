package mmap

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/ndmap/ndmap/internal/atomicfile"
)

// Lock takes an exclusive lock on the file of a [ReadWrite] mapping. The Map holds the lock until
// Unlock or Close.
//
// Lock waits up to the given time for other holders to release their locks. If wait is 0 or less,
// it tries once. It takes the same lock as [Config].Lock, which documents which processes see it. A
// Map opened with Config.Lock holds it already.
//
// The lock belongs to the Map and not to a goroutine. Another Lock of the same Map does not wait,
// in any goroutine, and each Lock needs its own Unlock. Another Map of the same file waits, even in
// the same process.
//
// Errors are *[fs.PathError]. The error wraps [ErrLocked] if the lock did not become free in time,
// and [errors.ErrUnsupported] if the file system has no locks. It is an error if m is not a
// ReadWrite mapping of a file.
//
// Processes that lock repeatedly do not make others wait long: once a Map has held the lock for 20
// ms, its next Lock sleeps for longer than a waiting process pauses between two attempts.
func (m *Map) Lock(wait time.Duration) error {
	m.giveWay(time.Now())
	err := atomicfile.Wait(wait, m.tryLock)
	if err != nil {
		if wait > 0 && errors.Is(err, ErrLocked) {
			err = fmt.Errorf("%w; waited %v", err, wait)
		}
		err = m.pathError("lock", err)
	}
	return err
}

// A Map that held the lock for lockTurn does not take it again for lockRest. All
// waiting processes try to lock in that time.
const (
	lockTurn = 20 * time.Millisecond
	lockRest = atomicfile.MostPause * 3 / 2
)

// A lockTimer counts the time that a Map has held the lock since it last gave way to others.
type lockTimer struct {
	since, last time.Time     // the start of the current lock, and the end of the last one
	had         time.Duration // the time that locks were held, up to last
}

// giveWay sleeps if other processes should get the lock first.
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

// tryLock takes the lock if it is free. If it is not, the last attempt returns an error that says
// whether the holders read or write.
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
			err = lockedError(m.file, true)
		}
		m.turn.since = time.Now()
	}
	if ok {
		m.held++
	}
	return ok, err
}

// Unlock undoes one call of [Map.Lock]. The last Unlock releases the lock, unless [Config].Lock
// keeps it until Close. It is an error if no call of Lock is left to undo. Errors are
// *[fs.PathError].
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
		return m.pathError("unlock", err)
	}
	return nil
}
