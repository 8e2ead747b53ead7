package mmap

// The functions that each system supplies in its os_*.go file. They do not use Maps or regions.
// Unless stated otherwise, errors are bare causes, which the caller wraps in a *fs.PathError. A
// system without mapped memory reads a read-only file into the Go heap, and returns
// errors.ErrUnsupported for operations that this does not allow.
//
//	openFile(path string, flag int) (*os.File, error)
//
// opens path as os.OpenFile does, with permissions 0666 for a new file. It never waits, and may
// open a device or a pipe. The error is a *fs.PathError.
//
//	checkMappable(f *os.File, fi fs.FileInfo) error
//
// returns an error if this package cannot map the regular file f. fi is the result of f.Stat.
//
//	checkNamed(f *os.File, id fs.FileInfo, path string) error
//
// returns nil if path names the file with the identity id. Otherwise the error wraps ErrReplaced. f
// is that file, or nil if it is not open. The error is nil if the system cannot tell.
//
//	changeTime(f *os.File, fi fs.FileInfo) time.Time
//
// returns the time of the last change of f, including its permissions and names (ctime), or the
// zero Time if the system does not provide it. fi is a fresh result of f.Stat.
//
//	statPath(path string) (fs.FileInfo, time.Time, error)
//
// returns os.Stat, for os.SameFile, and changeTime of the file at path.
//
//	isMissing(err error) bool
//
// reports whether err, of statPath or os.Stat, says that path names no file.
//
//	allocate(f *os.File, from, to int64) error
//
// makes f longer, from the length from to the length to; both may be 0. The new bytes are zero and
// their disk space is reserved. If the system cannot reserve space, the error wraps
// errors.ErrUnsupported and f is unchanged. After another error f may be longer.
//
//	markSparse(f *os.File)
//
// makes the empty file f take disk space only for bytes that are written, if its file system can.
//
//	mapPages(f *os.File, size int, mode Mode) ([]byte, error)
//
// maps the first size bytes of f, or zeros if f is nil. size has passed checkSize. The result
// consists of whole pages, so it may be longer than size. For size 0 it is empty, not nil, and
// needs no unmap. When addresses are short, mapPages tries again after emptyGraveyard. If a limit
// on the number of mappings is reached, the error names the limit.
//
// For a ReadWrite or ReadOnly mapping f may be shorter than size: bytes beyond its end fault until
// f is made longer. A system that cannot do so returns an error and does not change the length of
// f.
//
//	seal(mem []byte) error
//
// gives back the pages of mem, a result of mapPages, and keeps its addresses reserved and
// inaccessible. It also tries again after emptyGraveyard. After an error mem is unchanged or has no
// pages. If another thread has taken the addresses in between, which some systems allow, the error
// is errLost, and mem belongs to that thread.
//
//	unmap(mem []byte) error
//
// gives back pages and addresses.
//
//	address(mem []byte) uintptr
//
// returns the address of mem.
//
//	addressSpace() uint64
//
// returns the number of bytes of addresses that the program may use, or math.MaxUint64 without a
// limit.
//
//	writeBack(mem []byte) error
//
// makes flush write the changes of mem, whole pages of a ReadWrite mapping of a file, even if flush
// is called for another mapping of that file.
//
//	flush(f *os.File, mem []byte) error
//
// writes mem, whole pages of a ReadWrite mapping of f, to stable storage. This includes writes by
// patch, and writes through other mappings of f after writeBack, and the size of f.
//
//	patch(f *os.File, mem, b []byte, off int64) error
//
// writes b to f at byte off, so that all mappings of f show it. mem is a ReadWrite mapping of the
// whole of f. If b is within one page and the system can do so, b is written completely or not at
// all, even if the program is killed.
//
//	advise(mem []byte, a Advice) error
//
// gives the valid advice a for whole pages. It does nothing if a has no meaning to the system. The
// caller passes DontNeed only for memory that is shared with its file.
//
//	startStore(f *os.File, off, n int64)
//
// asks the system to begin storing n bytes of f at byte off.
//
//	resident(mem []byte) (int, error)
//
// returns the number of bytes of mem, one page or more, on pages in memory.
