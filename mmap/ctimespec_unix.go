//go:build darwin || freebsd || netbsd

package mmap

import (
	"io/fs"
	"os"
	"syscall"
	"time"
)

func changeTime(_ *os.File, fi fs.FileInfo) time.Time {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Time{}
	}
	return time.Unix(st.Ctimespec.Unix())
}
