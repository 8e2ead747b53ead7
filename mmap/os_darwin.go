package mmap

import (
	"io/fs"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

const (
	noReserve    = unix.MAP_NORESERVE
	madvHugePage = -1
	madvPopulate = -1
	madvPageOut  = -1

	// msync(2) stops at the cache of the disk. os.File.Sync is F_FULLFSYNC, which flushes it.
	msyncIsEnough = false

	coherent = true // write(2) and mmap(2) share their pages
)

func allocate(f *os.File, from, to int64) error {
	if from == to {
		return nil
	}
	// fcntl(2): blocks are reserved beyond the end of the file, which does not
	// move. They need not be contiguous, but all of them must be available.
	store := unix.Fstore_t{Flags: unix.F_ALLOCATEALL, Posmode: unix.F_PEOFPOSMODE, Length: to - from}
	if err := unix.FcntlFstore(f.Fd(), unix.F_PREALLOCATE, &store); err != nil {
		return err // ENOTSUP is errors.ErrUnsupported
	}
	return f.Truncate(to)
}

func startStore(*os.File, int64, int64) {}

func addressSpace() uint64 { return math.MaxUint64 }

func checkMappable(*os.File, fs.FileInfo) error { return nil }

func mappingLimitError(err error) error { return err } // no limit on mappings to report
