//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package mmap

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"time"
	"unsafe"
)

func openFile(path string, flag int) (*os.File, error) {
	if flag != os.O_RDONLY {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.ErrUnsupported}
	}
	return os.Open(path)
}

// mapPages reads the whole file, since the system cannot map it. Writes to the bytes do not reach
// the file.
func mapPages(f *os.File, size int, _ Mode) (mem []byte, err error) {
	defer func() { // make panics if the size exceeds the address space
		if recover() != nil {
			mem, err = nil, errors.New("out of memory")
		}
	}()
	page := os.Getpagesize()
	mem = make([]byte, (size+page-1)&^(page-1))
	if f != nil {
		if _, err := io.ReadFull(io.NewSectionReader(f, 0, int64(size)), mem[:size]); err != nil {
			return nil, err
		}
	}
	return mem, nil
}

// seal returns an error: the garbage collector frees the pages when nothing refers to them.
func seal([]byte) error { return errors.ErrUnsupported }

func unmap([]byte) error { return nil }

func address(mem []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(mem))) }

func addressSpace() uint64 { return math.MaxUint64 }

func advise([]byte, Advice) error       { return nil }
func startStore(*os.File, int64, int64) {}

// Files are never open for writing.

func allocate(*os.File, int64, int64) error       { return errors.ErrUnsupported }
func markSparse(*os.File)                         {}
func writeBack([]byte) error                      { return errors.ErrUnsupported }
func flush(*os.File, []byte) error                { return errors.ErrUnsupported }
func patch(*os.File, []byte, []byte, int64) error { return errors.ErrUnsupported }

// sameFile and named: no mapping refers to a file; see mapPages.

func sameFile(a, b fs.FileInfo) bool { return os.SameFile(a, b) }

func checkNamed(*os.File, fs.FileInfo, string) error { return errors.ErrUnsupported }

func checkMappable(*os.File, fs.FileInfo) error { return nil }

// The bytes are in memory, which nothing truncates. Changes of the file while it was read are not detected.

func changeTime(*os.File, fs.FileInfo) time.Time { return time.Time{} }

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

func statPath(path string) (fs.FileInfo, time.Time, error) {
	fi, err := os.Stat(path)
	return fi, time.Time{}, err
}
