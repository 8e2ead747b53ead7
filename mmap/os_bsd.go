//go:build dragonfly || freebsd || netbsd || openbsd

package mmap

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"runtime"
)

const (
	// noReserve is 0: FreeBSD and OpenBSD have no such flag, and no BSD counts
	// pages that do not exist yet.
	noReserve     = 0
	madvHugePage  = -1
	madvPopulate  = -1
	madvPageOut   = -1
	msyncIsEnough = false // it writes to the disk; fsync makes it permanent

	// OpenBSD has two caches: data of write(2) may not show in a mapping, and the mapping may
	// overwrite them later.
	coherent = runtime.GOOS != "openbsd"
)

func allocate(*os.File, int64, int64) error { return errors.ErrUnsupported }

func startStore(*os.File, int64, int64) {}

func addressSpace() uint64 { return math.MaxUint64 }

func checkMappable(*os.File, fs.FileInfo) error { return nil }

func mappingLimitError(err error) error { return err } // no limit on mappings to report
