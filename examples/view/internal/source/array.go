package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/objects"
	"github.com/ndmap/ndmap/examples/view/internal/far"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// checkEvery is the minimum interval between checks of a file by requests. waitEvery is the interval between checks by
// Wait.
const (
	checkEvery = 50 * time.Millisecond
	waitEvery  = 200 * time.Millisecond

	// tick is an upper bound of the time resolution of file systems: two changes within tick may have the same
	// modification time. A file that has changed is therefore assumed to have changed again after tick.
	tick = 100 * time.Millisecond
)

// States of the file of an array
const (
	OK        = "ok"
	Truncated = "truncated" // the file is too short; its remaining elements can be read
	Gone      = "gone"      // no file exists at the path; the mapped file can still be read
	Replaced  = "replaced"  // another file is now at the path; elements are read from it
	Failed    = "error"     // the file cannot be opened
)

// An Array is a file or a member of an archive that can be shown. It is opened when it is first used, and again when
// its file has been replaced.
type Array struct {
	ID, Name     string
	Path, Member string

	at  place
	url string // empty unless the file is on a web server; Path is then the URL without secrets
	// web is nil unless the array is a member on a web server. listed then has its properties for the listing, which
	// are read when npyview starts.
	web    *farArchive
	listed Node

	of  *origin // nil unless the array is a projection; Name, Path and Member then name the original array
	set *Set

	mu        sync.Mutex // guards the fields below
	gen       *generation
	version   int64
	status    string
	message   string
	files     int // number of earlier files at the same path
	checked   time.Time
	info      fs.FileInfo // result of the last check; nil if no file existed
	settlesAt time.Time   // before this time, a change of the file may not change its modification time
}

// A State describes an array at one point in time.
type State struct {
	Version         int64
	Status, Message string
	Files           int // number of earlier files at the same path; distinguishes successive states Replaced
}

// A Lease is an array that can be used until Close. Its file stays mapped, but other processes may truncate it, so the
// elements must be accessed under mmap.Guard.
type Lease struct {
	array.Array
	State
	Map        *mmap.Map // nil if inflated or on a web server
	Far        *far.File // nil unless on a web server
	DataOffset int64     // position of the first element in the file, in bytes
	Order      index.Order
	Inflated   bool
	Projected  bool // the elements are computed, and in no file of the user

	// Objects has the elements if they are Python objects. Array then has the same elements, converted to another dtype,
	// or is the zero Array: see UseObjects.
	Objects *objects.Array

	gen *generation
}

// Close releases the array. The elements must not be accessed afterwards.
func (l *Lease) Close() { l.gen.release() }

// Use returns a lease of the array in its current state, or an error if the array cannot be opened. Python objects must
// have an array of another dtype; otherwise the error is ErrObjects. The caller must close the lease.
func (a *Array) Use() (*Lease, error) {
	l, isArray, err := a.UseObjects()
	if err == nil && !isArray {
		l.Close()
		return nil, ErrObjects
	}
	return l, err
}

// UseObjects is like Use, but also returns a lease of Python objects that have no array of another dtype. isArray is
// then false, and the lease has the zero Array.
func (a *Array) UseObjects() (l *Lease, isArray bool, err error) {
	if l, err = a.use(); err != nil {
		return nil, false, err
	}
	return l, l.Objects == nil || l.gen.plain, nil
}

func (a *Array) use() (*Lease, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.check()
	if a.gen != nil && a.gen.acquire() {
		return a.lease(), nil
	}
	gen, err := a.set.load(a)
	if err != nil {
		if a.gen = nil; !errors.Is(err, ErrBusy) {
			a.setStatus(Failed, Of(a.Path, err))
		}
		return nil, err
	}
	if a.url != "" {
		a.checkURL() // load may have found that the archive was replaced
		a.gen = gen
		if a.version == 0 || a.status == Failed {
			a.setStatus(OK, "")
		}
		return a.lease(), nil
	}
	a.gen = gen
	if a.version == 0 || a.status == Failed || !sameVersion(a.info, gen.info) {
		a.info, a.status, a.message = gen.info, OK, ""
		a.version++
		a.settlesAt = time.Time{}
		if age := time.Since(gen.info.ModTime()); age >= 0 && age < tick {
			a.settlesAt = time.Now().Add(tick)
		}
	}
	return a.lease(), nil
}

func (a *Array) lease() *Lease {
	return &Lease{
		Array: a.gen.array, Far: a.gen.far, State: State{a.version, a.status, a.message, a.files}, Map: a.gen.mapping(),
		DataOffset: a.gen.dataOffset, Order: a.gen.order, Inflated: a.gen.inflated > 0, Projected: a.of != nil,
		Objects: a.gen.objects, gen: a.gen,
	}
}

// State returns the current state of the array.
func (a *Array) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.check()
	return State{a.version, a.status, a.message, a.files}
}

// Wait waits until the version of the array differs from version, and returns true. If ctx is done first, it returns
// false.
func (a *Array) Wait(ctx context.Context, version int64) bool {
	tick := time.NewTicker(waitEvery)
	defer tick.Stop()
	for {
		if a.State().Version != version {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
}

// setStatus sets the status and message, as a new version if they differ from the previous ones.
func (a *Array) setStatus(status, message string) {
	if a.status != status || a.message != message || a.version == 0 {
		a.status, a.message = status, message
		a.version++
	}
}

// sameVersion reports whether two results of Stat are for the same file with the same size and modification time.
func sameVersion(before, now fs.FileInfo) bool {
	return before != nil && os.SameFile(before, now) && before.Size() == now.Size() &&
		before.ModTime().Equal(now.ModTime())
}

// check looks for changes of the file, unless it has done so within checkEvery.
func (a *Array) check() {
	if a.of != nil {
		return
	}
	if a.url != "" {
		a.checkURL()
		return
	}
	if a.version == 0 || time.Since(a.checked) < checkEvery {
		return
	}
	if a.gen != nil && !a.gen.acquire() {
		a.gen = nil // evicted; Use opens the file again
	}
	if a.gen != nil {
		defer a.gen.release() // evaluated now: releases this generation even if a.gen changes
	}
	a.checked = time.Now()
	info, err := a.at.stat()
	if err != nil {
		a.info = nil
		if errors.Is(err, fs.ErrNotExist) {
			a.setStatus(Gone, "the file is gone; its content can still be shown")
		} else {
			a.setStatus(Failed, Of(a.Path, err))
		}
		return
	}
	status, message := OK, ""
	if sameVersion(a.info, info) {
		if a.settlesAt.IsZero() || a.checked.Before(a.settlesAt) {
			return
		}
		a.settlesAt = time.Time{}
		status, message = a.status, a.message
	} else {
		a.settlesAt = a.checked.Add(tick)
	}
	same := a.info != nil && os.SameFile(a.info, info)
	a.info = info
	if !same {
		status, message = Replaced, "another file has replaced the one shown before"
		a.files++
	}
	a.follow(same, status, message)
}

// follow switches a to the current content of the file. It sets the given status and message, unless the file cannot be
// opened. same reports whether the path still names the same file.
func (a *Array) follow(same bool, status, message string) {
	old := a.gen
	if old == nil {
		a.status, a.message = status, message
		a.version++
		return
	}
	short := same && a.info.Size() < old.endOffset()
	switch {
	case old.inflated > 0:
		a.gen = nil // Use inflates the member again, after the memory of the old one is free
	default:
		gen, err := a.set.load(a)
		if err != nil {
			if short {
				a.setStatus(Truncated, fmt.Sprintf("the file has %d bytes, and the array ends at byte %d", a.info.Size(),
					old.endOffset()))
			} else {
				a.setStatus(Failed, Of(a.Path, err))
			}
			return
		}
		gen.release() // load acquired it for one user; Use acquires its own
		a.gen, a.info = gen, gen.info
	}
	old.drop()
	a.status, a.message = status, message
	a.version++
}
