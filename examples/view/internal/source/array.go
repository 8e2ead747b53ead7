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
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// How often a file is looked at: by requests at most, and by those that wait for a change.
const (
	checkEvery = 50 * time.Millisecond
	waitEvery  = 200 * time.Millisecond

	// tick is as long as two changes of a file may have the same time: systems count it in steps of
	// some milliseconds. A file that has changed is taken to have changed again after that.
	tick = 100 * time.Millisecond
)

// The states of the file of an array.
const (
	OK        = "ok"
	Truncated = "truncated" // the file is too short; what is left can be read
	Gone      = "gone"      // there is no file at the path; what was mapped can be read
	Replaced  = "replaced"  // the path was given another file, which is what can be read
	Failed    = "error"     // the file cannot be opened
)

// An Array is one that is shown: a file or a member of an archive. It is opened when it is first
// used, and again when its file has been replaced.
type Array struct {
	ID, Name     string
	Path, Member string

	at  place
	set *Set

	mu      sync.Mutex // guards what follows
	gen     *generation
	version int64
	status  string
	message string
	files   int // that the path had before
	checked time.Time
	info    fs.FileInfo // of the file when it was last looked at; nil if there was none
	settles time.Time   // until when the file may have been changed again without another time
}

// A State is what an array is at one time.
type State struct {
	Version         int64
	Status, Message string
	Files           int // that the path had before this one: Replaced may be said of one more than once
}

// A Lease is an array, ready to be used until Close: its file stays mapped, which does not keep
// others from making it shorter. Use it under mmap.Guard.
type Lease struct {
	array.Array
	State
	Map        *mmap.Map // nil if inflated
	DataOffset int64     // of the first element, in bytes of the file
	Order      index.Order
	Inflated   bool

	gen *generation
}

// Close ends the use of the array.
func (l *Lease) Close() { l.gen.release() }

// Use returns the array as it is now. The error says why there is none.
func (a *Array) Use() (*Lease, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.check()
	if a.gen != nil && a.gen.acquire() {
		return a.lease(), nil
	}
	gen, err := a.set.load(a)
	if err != nil {
		if a.gen = nil; !errors.Is(err, ErrBusy) {
			a.note(Failed, Of(a.Path, err))
		}
		return nil, err
	}
	a.gen = gen
	if a.version == 0 || a.status == Failed || !unchanged(a.info, gen.info) {
		a.info, a.status, a.message = gen.info, OK, ""
		a.version++
		a.settles = time.Time{}
		if age := time.Since(gen.info.ModTime()); age >= 0 && age < tick {
			a.settles = time.Now().Add(tick)
		}
	}
	return a.lease(), nil
}

func (a *Array) lease() *Lease {
	return &Lease{
		Array: a.gen.array, State: State{a.version, a.status, a.message, a.files}, Map: a.gen.mapping(),
		DataOffset: a.gen.dataOffset, Order: a.gen.order, Inflated: a.gen.inflated > 0, gen: a.gen,
	}
}

// State returns the state of the array now.
func (a *Array) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.check()
	return State{a.version, a.status, a.message, a.files}
}

// Wait returns when the version of the array is another one than that given: then true; or when ctx is
// done.
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

// note notes a state if it is another one than before, as a new version.
func (a *Array) note(status, message string) {
	if a.status != status || a.message != message || a.version == 0 {
		a.status, a.message = status, message
		a.version++
	}
}

// unchanged reports whether a file is what it was, as far as its size and times tell.
func unchanged(before, now fs.FileInfo) bool {
	return before != nil && os.SameFile(before, now) && before.Size() == now.Size() &&
		before.ModTime().Equal(now.ModTime())
}

// check looks at the file, unless that was done a moment ago.
func (a *Array) check() {
	if a.version == 0 || time.Since(a.checked) < checkEvery {
		return
	}
	if a.gen != nil && !a.gen.acquire() {
		a.gen = nil // closed to make room: Use opens the file again
	}
	if a.gen != nil {
		defer a.gen.release() // this one, whatever a.gen is then
	}
	a.checked = time.Now()
	info, err := a.at.stat()
	if err != nil {
		a.info = nil
		if errors.Is(err, fs.ErrNotExist) {
			a.note(Gone, "the file is gone; what was read of it before can still be shown")
		} else {
			a.note(Failed, Of(a.Path, err))
		}
		return
	}
	status, message := OK, ""
	if unchanged(a.info, info) {
		if a.settles.IsZero() || a.checked.Before(a.settles) {
			return
		}
		a.settles = time.Time{}
		status, message = a.status, a.message
	} else {
		a.settles = a.checked.Add(tick)
	}
	same := a.info != nil && os.SameFile(a.info, info)
	a.info = info
	if !same {
		status, message = Replaced, "another file has taken the place of the one shown before"
		a.files++
	}
	a.follow(same, status, message)
}

// follow makes of a what the file has now, which is the same one as before or another.
func (a *Array) follow(same bool, status, message string) {
	old := a.gen
	if old == nil {
		a.status, a.message = status, message
		a.version++
		return
	}
	short := same && a.info.Size() < old.end()
	switch {
	case old.inflated > 0:
		a.gen = nil // Use inflates it again, once the memory of this one is free
	default:
		gen, err := a.set.load(a)
		if err != nil {
			if short {
				a.note(Truncated, fmt.Sprintf("the file has %d bytes, and the array ends at byte %d", a.info.Size(), old.end()))
			} else {
				a.note(Failed, Of(a.Path, err))
			}
			return
		}
		gen.release() // the one of load: Use takes its own
		a.gen, a.info = gen, gen.info
	}
	old.drop()
	a.status, a.message = status, message
	a.version++
}
