package mmap

import (
	"math"
	"os"

	"golang.org/x/sys/unix"
)

const (
	noReserve    = unix.MAP_NORESERVE
	madvHugePage = -1

	// msync(2) stops at the disk's cache; os.File.Sync is F_FULLFSYNC, which
	// does not.
	msyncIsEnough = false
)

func allocate(f *os.File, size int64) error {
	if size == 0 {
		return nil
	}
	// fcntl(2): the blocks are set aside past the end of the file, which stays
	// where it is. They need not be in one piece, but all must be had.
	store := unix.Fstore_t{Flags: unix.F_ALLOCATEALL, Posmode: unix.F_PEOFPOSMODE, Length: size}
	if err := unix.FcntlFstore(f.Fd(), unix.F_PREALLOCATE, &store); err != nil {
		return err // ENOTSUP is errors.ErrUnsupported
	}
	return f.Truncate(size)
}

func addressSpace() uint64 { return math.MaxUint64 }
