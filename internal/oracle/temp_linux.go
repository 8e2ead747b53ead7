package oracle

import (
	"io/fs"
	"syscall"
)

func init() {
	detach = func(dir string) error {
		const noFollow = 8 // UMOUNT_NOFOLLOW
		if err := syscall.Unmount(dir, syscall.MNT_DETACH|noFollow); err != nil {
			return &fs.PathError{Op: "unmount", Path: dir, Err: err}
		}
		return nil
	}
}
