package mmap

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// ErrChanged is wrapped by the errors of [Map.Unchanged] if the file may have changed since it was
// opened, by the error of [Config.Open] if Head keeps changing, and by the error of [Map.WriteAt]
// if the file was truncated. Open the path again to get the current file.
var ErrChanged = errors.New("the file has been changed")

// Unchanged returns nil if the path of m still names the mapped file, and the file has the length
// and the change time (ctime) that it had when Open mapped it.
//
// If it returns nil, no byte of the file has been truncated since, nor truncated and restored. No
// byte read before the call was one of the zeros that the system shows for bytes truncated within a
// page. A reader that must not return elements of a torn file copies them to its own memory, under
// [Guard], and then calls Unchanged. After an error it opens the path again and repeats the read:
// see examples/reload.
//
// Nil does not mean that all elements are the same as before. Not every store to mapped memory
// changes the time: systems record some late, and some file systems (tmpfs) record none. A write
// that was in progress when the file was opened may also go unnoticed, if it does not extend the
// file.
//
// # Errors
//
// Errors are *[fs.PathError]. The error wraps
//
//   - [ErrReplaced] if the path names another file, or none
//   - [ErrChanged] if the length or the time differs. The file was truncated, written to or made
//     longer, by another process or by this program with Grow, WriteAt or a store to Bytes; or only
//     its permissions or the number of its hard links changed. Unchanged cannot distinguish these.
//   - [errors.ErrUnsupported] if the system does not map files, or the file system has no change
//     times
//
// If the path cannot be looked up, the error wraps the error of the system. A relative path is
// interpreted as by [Map.CheckPath]. For anonymous memory Unchanged returns nil.
//
// [Map.Refresh] does not change the values that Unchanged compares; only opening the path again
// does.
//
// # Recent changes
//
// Two changes within a tick of the clock of the file system have the same time. So a file that was
// changed less than 20 ms before it was opened counts as changed, as in git's index. If its time is
// a whole second, which is the precision of some file systems, it counts as changed for 2 seconds.
// Wait that long, and open the file again. A file made by [Create] always counts as changed.
//
// The clock of a network file system is the clock of its server, which must not be slow by more
// than these times. The client may learn of changes by other machines late (acregmax in nfs(5)),
// and Unchanged then returns nil until it does.
//
// Windows does not truncate mapped files. NTFS may set the change time only when the writer closes
// the file.
//
// # Cost
//
// A call costs about as much as an [os.Stat].
func (m *Map) Unchanged() error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var err error
	switch {
	case m.data == nil:
		err = fs.ErrClosed
	case m.path != "":
		err = m.checkUnchanged()
	}
	if err != nil {
		return m.pathError("check", err)
	}
	return nil
}

func (m *Map) checkUnchanged() error {
	fi, ctime, err := statPath(m.lookupPath())
	switch {
	case isMissing(err):
		return fmt.Errorf("%w: no such file", ErrReplaced)
	case err != nil:
		return unwrapPathError(err)
	case !os.SameFile(fi, m.id):
		return ErrReplaced
	case m.ctime.Unix() <= 0:
		return fmt.Errorf("%w: the system does not report when the file was changed", errors.ErrUnsupported)
	case fi.Size() != m.id.Size():
		return fmt.Errorf("%w: it has %d bytes, and had %d when it was opened", ErrChanged, fi.Size(), m.id.Size())
	case !ctime.Equal(m.ctime):
		return fmt.Errorf("%w since it was opened", ErrChanged)
	case m.racy:
		return fmt.Errorf("%w just before it was opened, and may have been since; open it again", ErrChanged)
	}
	return nil
}

// finest and coarsest are times after which a second change certainly has another change time, because they are longer
// than a tick of the clock of a file system. finest is for clocks of 10 ms (Linux) and 15.6 ms (Windows), coarsest for
// file systems that store whole seconds, or two.
const (
	finest   = 20 * time.Millisecond
	coarsest = 2 * time.Second
)

// isRacy reports whether a change after now may have the change time ctime.
func isRacy(ctime, now time.Time) bool {
	tick := finest
	if ctime.Nanosecond() == 0 {
		tick = coarsest
	}
	return now.Sub(ctime) < tick
}
