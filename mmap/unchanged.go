package mmap

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// ErrChanged is wrapped by the errors of [Map.Unchanged] that say that the file is not known to be
// what it was when it was opened, and by that of [Config.Open] for a Head that changes all the time.
// Opening the path again gives the file as it is now.
var ErrChanged = errors.New("the file has been changed")

// Unchanged returns nil if the path of m is still the file that is mapped, and that has the length
// and the change time (ctime) that it had when Open mapped it. Then no byte of it was cut off since,
// nor cut off and put back, and no byte that was read before the call was one of the zeros that
// stand for what is cut off within a page. So a reader that serves no numbers of a torn file reads
// to memory of its own, under [Guard], and then asks: after an error it opens the path anew, and
// reads again. See examples/reload.
//
// Where the path is another file, or none, the error wraps [ErrReplaced]; where something else
// differs, [ErrChanged]. What it was cannot be told: the file was cut, written to or made longer, by
// others or by this program, with Grow, WriteAt or a store to Bytes; or it only got other permissions or
// one more name. The other way round, not every store to mapped memory changes the time: systems
// note some late, and some file systems (tmpfs) note none. So nil does not say that all elements are what
// they were. A write that was going on when the file was opened may go on unnoticed, too, if it
// makes the file no longer. Refresh does not change what Unchanged compares with: only to open the path
// again does.
//
// Clocks of file systems tick, and two changes within a tick have the same time. So a file that was
// changed less than 20 ms before it was opened counts as changed, as in git's index, and less than 2
// seconds where its time is a whole second, because some file systems keep no less: wait for as long,
// and open it again. What [Create] made always counts as changed. The clock of a network file system
// is that of its server, and must not be behind by more than that; its client may hear late of what
// others change (acregmax in nfs(5)), and nil comes as late.
//
// Windows cuts no file that is mapped; there the change time is that of NTFS, which may be set no
// sooner than the writer closes the file. For memory Unchanged returns nil. Where the system does not map
// files, or the file system keeps no such time, the error wraps [errors.ErrUnsupported]; where the
// path cannot be looked up, it is that of the system. A relative path means what it does for
// [Map.CheckPath]. A call costs about as much as an [os.Stat]. Errors are *[fs.PathError].
func (m *Map) Unchanged() error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var err error
	switch {
	case m.data == nil:
		err = fs.ErrClosed
	case m.path != "":
		err = m.unchanged()
	}
	if err != nil {
		return m.failed("check", err)
	}
	return nil
}

func (m *Map) unchanged() error {
	fi, ctime, err := statPath(m.where())
	switch {
	case missing(err):
		return fmt.Errorf("%w: there is none", ErrReplaced)
	case err != nil:
		return bare(err)
	case !os.SameFile(fi, m.id):
		return ErrReplaced
	case m.ctime.Unix() <= 0:
		return fmt.Errorf("%w: the system does not tell when the file was changed", errors.ErrUnsupported)
	case fi.Size() != m.id.Size():
		return fmt.Errorf("%w: it has %d bytes, and had %d when it was opened", ErrChanged, fi.Size(), m.id.Size())
	case !ctime.Equal(m.ctime):
		return fmt.Errorf("%w since it was opened", ErrChanged)
	case m.racy:
		return fmt.Errorf("%w just before it was opened, and may have been since; open it again", ErrChanged)
	}
	return nil
}

// How long after a change a later one is sure to have another time: longer than a tick of any clock
// that file systems use (10 ms on Linux, 15.6 ms on Windows), and than the whole seconds, or two, of some.
const (
	finest   = 20 * time.Millisecond
	coarsest = 2 * time.Second
)

// racy reports whether a change after now may have the same change time.
func racy(ctime, now time.Time) bool {
	tick := finest
	if ctime.Nanosecond() == 0 {
		tick = coarsest
	}
	return now.Sub(ctime) < tick
}
