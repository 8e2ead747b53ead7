// Package npz maps .npz archives, the files of numpy.savez, into memory. It returns their members as arrays that are
// read and edited in place, in the file.
//
//	a, err := npz.Open("data.npz", array.ReadWrite)
//	if err != nil { … }
//	defer a.Close()
//	w, err := a.Array("w")
//	if err != nil { … }
//	v, err := array.As[float64](w)
//	if err != nil { … }
//	v.SetAt(1.5, 3, 4)
//	err = a.Sync() // the elements, and the CRC of the member, on stable storage
//
// Functions that take or return an [array.Array] follow the rules of package array. Views and slices of a member are
// valid until [Archive.Close].
//
// # Tasks
//
//   - read and edit an archive: the package's Example; examples/npz
//   - read an archive that other programs may replace or truncate, for as long as a function runs: [Use]
//   - write an archive: [Save]; member by member, whole or not at all: [Make]; to a stream: [NewWriter]
//   - add members to an archive: [Append]
//   - read an archive that is in memory or behind an [io.ReaderAt]: [OpenBytes], [NewReader]
//   - use an archive as an [fs.FS]: [Archive.Open]
//   - process many compressed members in the memory of one: [Archive.Release]
//   - inspect an archive without reading its elements: [Archive.Names], [Archive.Header], [Archive.Member]
//   - check an archive, and repair it after a crash: [Archive.Verify], [Archive.Repair]; examples/archive
//
// # Members
//
// A stored member, as numpy.savez writes it, is an array in the mapped file: nothing is copied, and only the bytes
// that are used are read. A compressed member, as numpy.savez_compressed writes it, is inflated into separate memory
// when it is first requested, and cannot be edited in the file.
//
// In archives of numpy.savez the position of the data depends on the lengths of the names, so most members are not
// aligned. For an unaligned member, [array.View.Data], Vector, Matrix and Cube return an error that says how to
// proceed. All other functions read and write it like any member. [Save] and [Writer] align all stored members, unless
// their Format is [Savez] or [OldSavez].
//
// Members have the names that NumPy uses: "w" stands for the member w, or for w.npy if no member w exists. If several
// members have the same name, the last one counts. A name is never used as the path of a file.
//
// # Editing
//
// An archive has a CRC-32 of each member. NumPy and unzip refuse a member that does not match its CRC. [Archive.Array]
// marks the member if the archive is open [array.ReadWrite]. [Archive.Sync] and [Archive.Close] update the CRCs of all
// marked members, after their data. If the program ends before that, the archive has the edited data and the old CRC:
// [Archive.Verify] reports the mismatch, and [Archive.Repair] corrects it.
//
// # Security
//
// An archive is not trusted. Open refuses an archive whose parts contradict each other, because readers could disagree
// about its content, and allocates nothing in proportion to a number in it before that. Such archives have members
// that overlap, local headers with other names or sizes than the directory, or members outside the file.
//
//   - A compressed member takes no more memory than it claims. It may claim up to Archive.MaxMember bytes, and up to
//     1032 times its compressed size.
//   - A member that is encrypted, or compressed with another method, returns an error. The rest of the archive is
//     readable.
//   - Object arrays are refused: they are pickles, and unpickling runs code. [Archive.Header] describes them, and
//     [Writer.Copy] copies them unchanged.
//
// # Goroutines
//
// Several goroutines may call the methods of an [Archive] at the same time, except Close: call it once, when all calls
// have returned. No elements may be written during Sync, Verify and Repair. A [Writer] belongs to one goroutine.
package npz

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/zipfile"
	"github.com/ndmap/ndmap/mmap"
)

// An Archive is an .npz file that is mapped ([Open]), in memory ([OpenBytes]) or behind a reader ([NewReader]). It is
// also a file system of its members: see [Archive.Open]. Its arrays are valid until Close. Set the fields, if at all,
// before the first call of a method.
type Archive struct {
	// MaxMember is the maximum size in bytes of a compressed member after inflation, which takes as much memory; 0 stands
	// for 4 GiB. A member that claims more is refused before anything is allocated for it. Stored members have no limit:
	// they take no memory, except behind NewReader.
	MaxMember int64

	// MaxHeader is the maximum number of bytes of the text of a member's header; 0 stands for 1 MiB.
	MaxHeader int

	cfg     OpenConfig
	path    string      // "" for an archive in memory or behind a reader
	m       *mmap.Map   // nil if the archive is not mapped
	b       []byte      // set by OpenBytes
	r       io.ReaderAt // set by NewReader
	closed  bool        // only if the archive is not mapped
	members []member
	last    map[string]int // from the full name to the member that counts
	tree    tree
}

// A member is the state of one member of an Archive.
type member struct {
	zipfile.Member
	mu       sync.Mutex
	marked   bool      // a writable array was returned
	inflated *mmap.Map // the content, once requested; nil for a stored member of an archive in memory
}

// Open maps the archive at path. With [array.ReadOnly], writing through its arrays panics; with [array.ReadWrite],
// writes reach the file; with [array.CopyOnWrite], writes stay in the memory of this Archive.
//
// A system error is a *[fs.PathError]. The error for a malformed file is an *[array.FormatError]. As in Python's
// zipfile, bytes before and after the archive are allowed.
//
// Open reads the directory and the header of each member. It does not read their data.
func Open(path string, mode mmap.Mode) (*Archive, error) { return OpenConfig{Mode: mode}.Open(path) }

// Open is the function [Open] with the fields of cfg.
func (cfg OpenConfig) Open(path string) (*Archive, error) {
	a, err := cfg.open(path)
	if err != nil && cfg.File != nil {
		cfg.File.Close() // mmap may have closed it already
	}
	return a, err
}

func (cfg OpenConfig) open(path string) (*Archive, error) {
	m, err := mmap.Config{Mode: cfg.Mode, Lock: cfg.Lock, File: cfg.File}.Open(path)
	if err != nil {
		return nil, err
	}
	a := &Archive{cfg: cfg, path: path, m: m}
	err = mmap.Guard(a.readMembers)
	if err != nil {
		m.Close()
		return nil, a.formatError(err)
	}
	return a, nil
}

// readMembers reads the directory at the end of a mapping and the first bytes of each member, without readahead by
// page faults.
func (a *Archive) readMembers() error {
	a.m.Advise(0, a.m.Len(), mmap.Random)
	defer a.m.Advise(0, a.m.Len(), mmap.Normal)
	a.m.Advise(max(0, a.m.Len()-directoryBytes), min(a.m.Len(), directoryBytes), mmap.WillNeed)
	members, err := zipfile.Parse(a.m.Bytes())
	a.setMembers(members)
	return err
}

func (a *Archive) setMembers(members []zipfile.Member) {
	a.members = make([]member, len(members))
	a.last = make(map[string]int, len(members))
	for i, m := range members {
		a.members[i].Member = m
		a.last[m.Name] = i
	}
}

// directoryBytes is the number of bytes at the end that are prefetched together. Most directories are smaller.
const directoryBytes = 64 << 10

// formatError converts a *zipfile.Error to an *array.FormatError with the path of the archive. It returns all other
// errors unchanged.
func (a *Archive) formatError(err error) error {
	if e, ok := errors.AsType[*zipfile.Error](err); ok {
		return &array.FormatError{Path: a.path, Part: e.Part, Offset: e.Offset, Msg: e.Msg}
	}
	return err
}

// errorf returns an *array.FormatError for a part of m at a byte of the archive.
func (a *Archive) errorf(m *member, part string, at int64, format string, args ...any) error {
	return &array.FormatError{Path: a.path, Part: "member " + zipfile.Quote(m.Name) + ": " + part, Offset: at,
		Msg: fmt.Sprintf(format, args...)}
}

// Path returns the name of the file as passed to Open. It is "" for an archive in memory or behind a reader.
func (a *Archive) Path() string { return a.path }

// Names returns the names of the members in a new slice, in the order of the archive and without duplicates. As in
// NumPy, a name has no .npy suffix, unless another member has the name without it. Members that are not arrays are
// included: see [ErrNotArray].
func (a *Archive) Names() []string {
	names := make([]string, 0, len(a.last))
	for i := range a.members {
		name := a.members[i].Name
		if a.last[name] != i {
			continue // the last member of a name counts
		}
		if short, ok := strings.CutSuffix(name, ".npy"); ok {
			if _, taken := a.last[short]; !taken {
				name = short
			}
		}
		names = append(names, name)
	}
	return names
}

// A Member describes a member of an archive, as recorded in the archive.
type Member struct {
	Name           string // the full name, as in w.npy
	Compressed     bool   // if false, the archive has the content unchanged
	Method         uint16 // compression method of the zip format: 0 stored, 8 deflated
	Offset         int64  // of the data in the file, in bytes
	Size           int64  // of the content, in bytes
	CompressedSize int64  // of the data in the file, in bytes
	CRC            uint32 // CRC-32 of the content
}

// Member returns the description of the member that name stands for. If no such member exists, the error wraps
// [fs.ErrNotExist].
func (a *Archive) Member(name string) (Member, error) {
	m, err := a.find(name)
	if err != nil {
		return Member{}, err
	}
	crc := uint32(0)
	err = mmap.Guard(func() error {
		crc, err = a.readCRC(m.CRCAt[0]) // Sync changes it
		return err
	})
	return Member{m.Name, m.Method != zipfile.Stored, m.Method, int64(m.Data), m.Size, int64(m.Compressed), crc}, err
}

// find returns the member that name stands for.
func (a *Archive) find(name string) (*member, error) {
	i, ok := a.last[name]
	if !ok {
		i, ok = a.last[name+".npy"]
	}
	if !ok {
		return nil, &notFound{a.path, name, a.inFolder(name, "; it is a folder: name a member, as ")}
	}
	return &a.members[i], nil
}

// bytes returns the bytes of the archive, or nil for an archive behind a reader. If a is closed, it returns an error.
func (a *Archive) bytes() ([]byte, error) {
	b := a.b
	if a.m != nil {
		b = a.m.Bytes()
	}
	if a.closed || b == nil && a.m != nil {
		return nil, &fs.PathError{Op: "npz", Path: a.path, Err: fs.ErrClosed}
	}
	return b, nil
}

// Map returns the mapping of the archive, or nil if the archive is not mapped. Use it to advise the system of access
// patterns. The mapping belongs to a: do not close it.
func (a *Archive) Map() *mmap.Map { return a.m }

// Close closes the archive and ends the use of all of its arrays. If the archive is open for writing and has returned
// arrays, Close first does the work of [Archive.Sync]. It closes a even if Sync returns an error. A second Close
// returns an error that wraps [fs.ErrClosed].
func (a *Archive) Close() error {
	var errs []error
	switch {
	case a.m != nil && a.m.Bytes() != nil:
		errs = append(errs, a.Sync(), a.m.Close())
	case a.m != nil:
		errs = append(errs, a.m.Close())
	default:
		_, err := a.bytes()
		errs = append(errs, err)
		a.closed = true
	}
	for i := range a.members {
		errs = append(errs, a.members[i].release())
	}
	return errors.Join(errs...)
}
