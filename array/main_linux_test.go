package array

import (
	"os"

	"golang.org/x/sys/unix"
)

// init puts temporary files in /dev/shm if 1 GiB is free there: the tests sync files thousands of times, and a sync of
// a disk takes milliseconds. If TMPDIR is set, temporary files are created there; TMPDIR=/var/tmp go test ./array needs
// no other directory.
//
// Tests that need a disk call diskFolder.
func init() {
	const shm = "/dev/shm"
	var fs unix.Statfs_t
	err := unix.Statfs(shm, &fs)
	if os.Getenv("TMPDIR") == "" && err == nil && fs.Type == unix.TMPFS_MAGIC && fs.Bavail*uint64(fs.Bsize) >= 1<<30 {
		os.Setenv("TMPDIR", shm)
	}
}
