package watch

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A notifier is inotify(7) of one file, if there is a descriptor for it and the file can be watched.
type notifier struct {
	events *os.File
}

// changes are writes and changes of length; another link count, which tells that the name is another file's, or gone;
// and another name.
const changes = unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_MOVE_SELF

func (n *notifier) watch(path string) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return // there may be only so many for a user
	}
	if _, err := unix.InotifyAddWatch(fd, path, changes); err != nil {
		unix.Close(fd)
		return
	}
	n.events = os.NewFile(uintptr(fd), "inotify") // Go's poller waits for it
}

func (n *notifier) unwatch() {
	if n.events != nil {
		n.events.Close()
	}
}

// wait returns after a change, after most, or when ctx is done. It reports whether the system tells of changes.
func (n *notifier) wait(ctx context.Context, most time.Duration) bool {
	if n.events == nil || n.events.SetReadDeadline(time.Now().Add(most)) != nil {
		return false
	}
	stop := context.AfterFunc(ctx, func() { n.events.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	var b [4096]byte // what changed is not asked
	_, err := n.events.Read(b[:])
	return err == nil || errors.Is(err, os.ErrDeadlineExceeded)
}
