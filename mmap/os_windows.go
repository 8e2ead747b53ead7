package mmap

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

func openFile(path string, flag int) (*os.File, error) {
	// Opening a pipe does not wait for its other end.
	return os.OpenFile(path, flag, 0o666)
}

func allocate(f *os.File, _, to int64) error {
	// NTFS reserves clusters for the whole file unless it is sparse.
	return f.Truncate(to)
}

func markSparse(f *os.File) {
	var n uint32
	windows.DeviceIoControl(windows.Handle(f.Fd()), windows.FSCTL_SET_SPARSE, nil, 0, nil, 0, &n, nil)
}

func mapPages(f *os.File, size int, mode Mode) ([]byte, error) {
	if size == 0 {
		return []byte{}, nil // the system refuses to map 0 bytes
	}
	page := os.Getpagesize()
	n := (size + page - 1) &^ (page - 1)
	if f == nil {
		return reserve(0, n, windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	}

	prot, access := uint32(windows.PAGE_READWRITE), uint32(windows.FILE_MAP_WRITE)
	switch mode {
	case ReadOnly:
		prot, access = windows.PAGE_READONLY, windows.FILE_MAP_READ
	case CopyOnWrite:
		prot, access = windows.PAGE_WRITECOPY, windows.FILE_MAP_COPY
	}
	// The section is as long as the file: a longer one would make the file longer.
	h, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, prot, 0, 0, nil)
	if err != nil {
		return nil, err
	}
	defer windows.CloseHandle(h) // the view keeps its own reference
	return retry(n, func() (uintptr, error) {
		return windows.MapViewOfFile(h, access, 0, 0, uintptr(size))
	})
}

// reserve calls VirtualAlloc for n bytes at addr, or anywhere if addr is 0.
func reserve(addr uintptr, n int, how, prot uint32) ([]byte, error) {
	return retry(n, func() (uintptr, error) { return windows.VirtualAlloc(addr, uintptr(n), how, prot) })
}

// retry calls f, and calls it again if memory or addresses are short and the graveyard was not
// empty. It returns the n bytes at the address that f returned.
func retry(n int, f func() (uintptr, error)) ([]byte, error) {
	addr, err := f()
	if err == windows.ERROR_NOT_ENOUGH_MEMORY && emptyGraveyard() {
		addr, err = f()
	}
	if err != nil {
		return nil, err
	}
	// This is unsafe.Pointer(addr). vet cannot know that addr is not in Go's memory.
	p := *(*unsafe.Pointer)(unsafe.Pointer(&addr))
	return unsafe.Slice((*byte)(p), n), nil
}

// seal unmaps a view and then reserves its addresses. From Windows 10 version 1803 on, placeholders
// could do both in one step.
func seal(mem []byte) error {
	view, err := isView(mem)
	if err != nil {
		return err
	}
	if !view {
		return windows.VirtualFree(address(mem), uintptr(len(mem)), windows.MEM_DECOMMIT)
	}
	if err := windows.UnmapViewOfFile(address(mem)); err != nil {
		return err
	}
	// The call fails if another thread has reserved the addresses.
	if _, err := windows.VirtualAlloc(address(mem), uintptr(len(mem)), windows.MEM_RESERVE,
		windows.PAGE_NOACCESS); err != nil {
		return errLost
	}
	return nil
}

func unmap(mem []byte) error {
	view, err := isView(mem)
	switch {
	case err != nil:
		return err
	case view:
		return windows.UnmapViewOfFile(address(mem))
	}
	return windows.VirtualFree(address(mem), 0, windows.MEM_RELEASE)
}

// isView reports whether mem is a view of a file rather than memory from VirtualAlloc.
func isView(mem []byte) (bool, error) {
	const mapped = 0x40000 // MEM_MAPPED
	var info windows.MemoryBasicInformation
	err := windows.VirtualQuery(address(mem), &info, unsafe.Sizeof(info))
	return info.Type == mapped, err
}

func address(mem []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(mem))) }

func addressSpace() uint64 { return math.MaxUint64 }

// writeBack calls FlushViewOfFile. Only the view through which a page was written records that the
// page changed.
func writeBack(mem []byte) error {
	return windows.FlushViewOfFile(address(mem), uintptr(len(mem)))
}

func flush(f *os.File, mem []byte) error {
	if err := writeBack(mem); err != nil {
		return err
	}
	return windows.FlushFileBuffers(windows.Handle(f.Fd())) // from the file system to the disk
}

// patch does not call WriteFile, which is "not necessarily coherent" with views of the file
// (CreateFileMapping).
func patch(_ *os.File, mem, b []byte, off int64) error {
	copy(mem[off:], b)
	return nil
}

func advise([]byte, Advice) error { return nil }

func startStore(*os.File, int64, int64) {}

// Windows neither removes nor replaces a mapped file.

func sameFile(a, b fs.FileInfo) bool { return true }

func checkNamed(*os.File, fs.FileInfo, string) error { return nil }

func checkMappable(*os.File, fs.FileInfo) error { return nil }

func changeTime(f *os.File, _ fs.FileInfo) time.Time {
	var info struct { // FILE_BASIC_INFO
		creation, access, write, change int64
		attributes                      uint32
	}
	if windows.GetFileInformationByHandleEx(windows.Handle(f.Fd()), windows.FileBasicInfo, (*byte)(unsafe.Pointer(&info)),
		uint32(unsafe.Sizeof(info))) != nil || info.change == 0 {
		return time.Time{}
	}
	t := windows.Filetime{LowDateTime: uint32(info.change), HighDateTime: uint32(info.change >> 32)}
	return time.Unix(0, t.Nanoseconds())
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// statPath opens the file, since only a handle has the change time.
func statPath(path string) (fs.FileInfo, time.Time, error) {
	f, err := openFile(path, os.O_RDONLY)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, time.Time{}, err
	}
	return fi, changeTime(f, fi), nil
}
