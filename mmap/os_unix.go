//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package mmap

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

func openFile(path string, flag int) (*os.File, error) {
	// O_NONBLOCK: opening a pipe must not wait for its other end. The flag has no
	// effect on regular files. O_NOCTTY: a terminal must not become the controlling
	// terminal of the process.
	f, err := os.OpenFile(path, flag|unix.O_NONBLOCK|unix.O_NOCTTY, 0o666)
	switch {
	case err == nil:
		return f, nil
	case errors.Is(err, unix.EWOULDBLOCK):
		// A regular file under a lease (fcntl(2), F_SETLEASE), whose holder has
		// just been asked to release it. The wait is bounded.
		return os.OpenFile(path, flag|unix.O_NOCTTY, 0o666)
	case errors.Is(err, unix.ENXIO), errors.Is(err, unix.EOPNOTSUPP):
		// The errors of Linux and the BSDs for a socket.
		return nil, &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	return nil, err
}

func markSparse(*os.File) {} // every file may have holes

func mapPages(f *os.File, size int, mode Mode) ([]byte, error) {
	if size == 0 {
		return []byte{}, nil // the system refuses to map 0 bytes
	}
	page := os.Getpagesize()
	n := (size + page - 1) &^ (page - 1)

	fd, prot, flags := -1, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED
	switch {
	case f == nil:
		flags = unix.MAP_PRIVATE | unix.MAP_ANON
	case mode == ReadOnly:
		prot = unix.PROT_READ
	case mode == CopyOnWrite:
		// Without noReserve the system requires room for a copy of every page, and
		// refuses files larger than memory.
		flags = unix.MAP_PRIVATE | noReserve
	}
	if f != nil {
		fd = int(f.Fd())
	}
	p, err := mapAt(nil, n, prot, flags, fd)
	if err != nil {
		return nil, mappingLimitError(err)
	}
	return unsafe.Slice((*byte)(p), n), nil
}

func seal(mem []byte) error {
	flags := unix.MAP_FIXED | unix.MAP_PRIVATE | unix.MAP_ANON | noReserve
	_, err := mapAt(unsafe.Pointer(unsafe.SliceData(mem)), len(mem), unix.PROT_NONE, flags, -1)
	return err
}

// mapAt calls mmap(2) for the start of a file. ENOMEM means that addresses are short or that the
// process has too many mappings (vm.max_map_count on Linux). The graveyard can supply both.
func mapAt(addr unsafe.Pointer, n, prot, flags, fd int) (unsafe.Pointer, error) {
	p, err := unix.MmapPtr(fd, 0, addr, uintptr(n), prot, flags)
	if err == unix.ENOMEM && emptyGraveyard() {
		p, err = unix.MmapPtr(fd, 0, addr, uintptr(n), prot, flags)
	}
	return p, err
}

func unmap(mem []byte) error {
	return unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(mem)), uintptr(len(mem)))
}

func address(mem []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(mem))) }

func writeBack([]byte) error { return nil } // all mappings share their pages

func flush(f *os.File, mem []byte) error {
	for {
		if err := unix.Msync(mem, unix.MS_SYNC); err != unix.EINTR {
			if err != nil || msyncIsEnough {
				return err
			}
			return f.Sync()
		}
	}
}

func patch(f *os.File, mem, b []byte, off int64) error {
	if !coherent {
		copy(mem[off:], b)
		return nil
	}
	// A write beyond the end would make the file longer, with zeros for the bytes that another process has truncated.
	fi, err := f.Stat()
	if err == nil && fi.Size() < off+int64(len(b)) {
		err = fmt.Errorf("%w: it has %d bytes, and had %d when it was mapped", ErrChanged, fi.Size(), len(mem))
	}
	if err == nil {
		_, err = f.WriteAt(b, off)
	}
	return err
}

func advise(mem []byte, a Advice) error {
	advice := 0
	switch a {
	case Normal:
		advice = unix.MADV_NORMAL
	case Sequential:
		advice = unix.MADV_SEQUENTIAL
	case Random:
		advice = unix.MADV_RANDOM
	case WillNeed:
		advice = unix.MADV_WILLNEED
	case DontNeed:
		advice = unix.MADV_DONTNEED
	case PageOut:
		if madvPageOut >= 0 {
			unix.Madvise(mem, madvPageOut)
		}
		advice = unix.MADV_DONTNEED // for pages that PAGEOUT left mapped
	case HugePage:
		if madvHugePage < 0 {
			return nil
		}
		advice = madvHugePage
	case Populate:
		if madvPopulate < 0 {
			return advise(mem, WillNeed)
		}
		advice = madvPopulate
	}
	step := len(mem)
	if a == WillNeed {
		step = willNeedBytes
	}
	for ; len(mem) > 0; mem = mem[min(step, len(mem)):] {
		switch err := unix.Madvise(mem[:min(step, len(mem))], advice); err {
		case nil:
		case unix.EINVAL, unix.ENOSYS, unix.EBADF:
			// Unknown to this kernel, or to this kind of memory (madvise(2)).
			if a == Populate {
				return advise(mem, WillNeed)
			}
			return nil
		default:
			return err
		}
	}
	return nil
}

// willNeedBytes is the length of one MADV_WILLNEED. Linux limits the bytes that one call reads by
// the read-ahead and the largest request of the disk (force_page_cache_ra in mm/readahead.c), and
// ignores the rest. The default read-ahead is 128 KiB.
const willNeedBytes = 128 << 10
