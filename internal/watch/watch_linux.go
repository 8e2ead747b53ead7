package watch

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A notifier watches one file with inotify(7). events is nil if the file cannot be watched.
type notifier struct {
	events *os.File
}

// changes are the events that indicate a change: writes and changes of length; a new link count, which means that the
// name was removed or refers to another file; and a new name.
const changes = unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_MOVE_SELF

func (n *notifier) watch(path string) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return // the number of watches for each user is limited
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

// wait returns after a change, after most, or when ctx is done. It returns false if there are no notifications.
func (n *notifier) wait(ctx context.Context, most time.Duration) bool {
	if n.events == nil || n.events.SetReadDeadline(time.Now().Add(most)) != nil {
		return false
	}
	stop := context.AfterFunc(ctx, func() { n.events.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	var b [4096]byte // ignored: any event means that the file may have changed
	_, err := n.events.Read(b[:])
	return err == nil || errors.Is(err, os.ErrDeadlineExceeded)
}
