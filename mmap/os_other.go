//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package mmap

import (
	"errors"
	"io/fs"
	"math"
	"os"
)

func openFile(path string, _ int) (*os.File, error) {
	return nil, &fs.PathError{Op: "open", Path: path, Err: errors.ErrUnsupported}
}

func allocate(*os.File, int64, int64) error        { return errors.ErrUnsupported }
func sparse(*os.File)                              {}
func mapPages(*os.File, int, Mode) ([]byte, error) { return nil, errors.ErrUnsupported }
func seal([]byte) error                            { return errors.ErrUnsupported }
func unmap([]byte) error                           { return errors.ErrUnsupported }
func address([]byte) uintptr                       { return 0 }
func addressSpace() uint64                         { return math.MaxUint64 }
func writeBack([]byte) error                       { return errors.ErrUnsupported }
func flush(*os.File, []byte) error                 { return errors.ErrUnsupported }
func patch(*os.File, []byte, []byte, int64) error  { return errors.ErrUnsupported }
func lock(*os.File, bool) (bool, error)            { return false, errors.ErrUnsupported }
func unlock(*os.File) error                        { return errors.ErrUnsupported }
func advise([]byte, Advice) error                  { return errors.ErrUnsupported }
