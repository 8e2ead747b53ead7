package mmap

// What each system supplies, in its os_*.go file. None of these functions
// knows of Maps or regions. Errors are the bare causes, to be wrapped in a
// *fs.PathError, unless it says otherwise. A system without mapped memory
// reads a file that is not to be written into memory of the Go heap, and returns
// errors.ErrUnsupported where there is no such way.
//
//	openFile(path string, flag int) (*os.File, error)
//
// opens path as os.OpenFile does, with permissions 0666 for a new file. It does
// not wait for anything, and it may open a device or a pipe. The error is
// a *fs.PathError.
//
//	mappable(f *os.File, fi fs.FileInfo) error
//
// says why the regular file f, for which fi was asked, cannot be mapped as files
// are here.
//
//	named(f *os.File, id fs.FileInfo, path string) error
//
// is nil if path stands for the file that id is of, else it wraps ErrReplaced. f is
// that file, if it is open, else nil. Where the system does not tell, it is nil.
//
//	changeTime(f *os.File, fi fs.FileInfo) time.Time
//
// is when f was last changed, its permissions and names included (ctime). f.Stat has just returned
// fi. It is the zero Time where the system does not tell.
//
//	statPath(path string) (fs.FileInfo, time.Time, error)
//
// is os.Stat and changeTime of the file at path, for os.SameFile.
//
//	missing(err error) bool
//
// reports whether err, of statPath or os.Stat, says that the path stands for no file.
//
//	allocate(f *os.File, from, to int64) error
//
// makes f, which has from bytes, to bytes long, more than that or both 0: the
// new ones are zero, and the disk space for them is reserved. Where that cannot
// be had, the error wraps errors.ErrUnsupported and f is what it was; after
// another error it may be longer.
//
//	sparse(f *os.File)
//
// has the empty file f take disk space only where something is written, if its
// file system can.
//
//	mapPages(f *os.File, size int, mode Mode) ([]byte, error)
//
// maps the first size bytes of f, or zeros if f is nil. The result has whole
// pages, so it may be longer than size, which passed checkSize. For size 0 it is
// empty, not nil, and needs no unmap. When there are no addresses left, it
// tries again after emptyGraveyard. If a limit on the number of mappings is
// reached, the error names the limit.
//
// For a ReadWrite or ReadOnly mapping, f may be shorter than size: what is past its
// end is a fault, until f is made longer. A system that cannot do so returns an error,
// and leaves f as long as it is.
//
//	seal(mem []byte) error
//
// gives back the pages of mem, as mapPages returned it, and keeps its
// addresses: no access to them, and no other use of them. It, too, tries again
// after emptyGraveyard. After an error mem is what it was, or without pages.
// Where others can get in between and have, the error is errLost, and mem is
// theirs.
//
//	unmap(mem []byte) error
//
// gives back pages and addresses.
//
//	address(mem []byte) uintptr
//
// is where mem starts.
//
//	addressSpace() uint64
//
// is how many bytes of addresses the program may use, math.MaxUint64 if nobody
// said.
//
//	writeBack(mem []byte) error
//
// has flush write what was written to mem, whole pages of a ReadWrite mapping of
// some file, even if flush is for another mapping of it.
//
//	flush(f *os.File, mem []byte) error
//
// writes mem, whole pages of a ReadWrite mapping of f, to stable storage, also
// what was written there through other mappings of f, after writeBack, or by
// patch. The size of f gets there too.
//
//	patch(f *os.File, mem, b []byte, off int64) error
//
// writes b to f from byte off; all mappings of f show it. mem is a ReadWrite
// mapping of all of f. b comes whole or not at all, whenever the program ends, if
// it is within one page and the system can do so.
//
//	advise(mem []byte, a Advice) error
//
// passes a, which is valid, on for whole pages. Without a meaning to the
// system it does nothing. DontNeed comes only for memory that is shared with
// its file.
//
//	resident(mem []byte) (int, error)
//
// counts the bytes of mem, one page or more, that are on pages in memory.
