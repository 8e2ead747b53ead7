package mmap

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	noReserve    = unix.MAP_NORESERVE
	madvHugePage = unix.MADV_HUGEPAGE
	madvPopulate = unix.MADV_POPULATE_READ // from Linux 5.14 on
	madvPageOut  = unix.MADV_PAGEOUT

	// Linux's msync(MS_SYNC) is fdatasync of the range, down to the disk (mm/msync.c calls
	// vfs_fsync_range).
	msyncIsEnough = true

	coherent = true // write(2) and mmap(2) share their pages
)

// fallocate is a variable so that tests can simulate a signal.
var fallocate = unix.Fallocate

func allocate(f *os.File, from, to int64) error {
	fd, step := int(f.Fd()), to-from
	for off := from; off < to; {
		n := min(step, to-off)
		switch err := fallocate(fd, 0, off, n); err {
		case nil:
			off += n
		case unix.EINTR:
			// tmpfs may undo the whole call after a signal, and a profiler sends
			// signals faster than large calls return.
			step = max(n/2, 1<<20)
		default:
			return err // EOPNOTSUPP and ENOSYS are errors.ErrUnsupported
		}
	}
	return nil
}

// startStore asks the system to begin storing n bytes of f. It ignores errors: Sync stores the
// bytes again, or returns the error.
func startStore(f *os.File, off, n int64) {
	unix.SyncFileRange(int(f.Fd()), off, n, unix.SYNC_FILE_RANGE_WRITE)
}

func addressSpace() uint64 {
	var lim syscall.Rlimit // unix.Getrlimit allocates in 32-bit programs
	if syscall.Getrlimit(syscall.RLIMIT_AS, &lim) != nil {
		return math.MaxUint64
	}
	return lim.Cur
}

// maxMapCount is the file that contains the limit on mappings, a variable for tests.
var maxMapCount = "/proc/sys/vm/max_map_count"

// mappingLimitError adds to err, of mmap(2), the number of mappings and the limit on them, if err is ENOMEM
// and the process has reached the limit.
func mappingLimitError(err error) error {
	if err != unix.ENOMEM {
		return err
	}
	text, _ := os.ReadFile(maxMapCount)
	limit, bad := strconv.Atoi(strings.TrimSpace(string(text)))
	if bad != nil {
		return err
	}
	f, bad := os.Open("/proc/self/maps")
	if bad != nil {
		return err
	}
	defer f.Close()
	mappings, buf := 0, make([]byte, 4096) // read(2) returns at most a page of this file
	for {
		n, end := f.Read(buf)
		mappings += bytes.Count(buf[:n], []byte{'\n'})
		if end != nil {
			break
		}
	}
	if mappings < limit {
		return err
	}
	return fmt.Errorf("%w: the process has %d mappings, and vm.max_map_count allows %d; close files, "+
		"or raise the limit with sysctl -w vm.max_map_count=%d", err, mappings, limit, 4*limit)
}

// checkMappable refuses files of hugetlbfs. Their length is a multiple of the huge page, msync and
// munmap require whole huge pages, and write(2) does not exist.
func checkMappable(f *os.File, fi fs.FileInfo) error {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok || st.Blksize <= 64<<10 { // other file systems rarely have blocks of that size
		return nil
	}
	var s unix.Statfs_t
	if unix.Fstatfs(int(f.Fd()), &s) == nil && uint32(s.Type) == unix.HUGETLBFS_MAGIC {
		return fmt.Errorf("%w: the folder is a hugetlbfs, whose files are whole pages of %d bytes; use another file system, and Advise with HugePage", errors.ErrUnsupported, st.Blksize)
	}
	return nil
}
