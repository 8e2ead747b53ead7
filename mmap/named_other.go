//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package mmap

import (
	"io/fs"
	"os"
)

// Windows neither removes nor replaces a file that is mapped.
func sameFile(a, b fs.FileInfo) bool { return true }

func named(*os.File, fs.FileInfo, string) error { return nil }

func mappable(*os.File, fs.FileInfo) error { return nil }
