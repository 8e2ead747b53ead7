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
//   - read an archive that other programs may replace or truncate: [Use]
//   - write an archive: [Save]; member by member, all or nothing: [Make]; to a stream: [NewWriter]
//   - add members to an archive: [Append]
//   - read an archive from memory or from an [io.ReaderAt]: [OpenBytes], [NewReader]
//   - read parts of a member from a server, without the rest: [NewReader], [Archive.Remote]
//   - use an archive as an [fs.FS]: [Archive.Open]
//   - process compressed members one by one, freeing the memory of each: [Archive.Release]
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
// Members have the names that NumPy uses: "w" denotes the member w, or w.npy if no member w exists. If several members
// have the same name, the last one is used. A name is never used as the path of a file.
//
// # Editing
//
// An archive contains a CRC-32 of each member. NumPy and unzip reject a member that does not match its CRC.
// [Archive.Array] marks the member as edited if the archive is open [array.ReadWrite]. [Archive.Sync] and
// [Archive.Close] store the data of all marked members, and then update their CRCs. If the program ends before that,
// the archive contains the edited data and the old CRC: [Archive.Verify] reports the mismatch, and [Archive.Repair]
// corrects it.
//
// # Security
//
// An archive is untrusted input. Open returns an error if parts of the archive contradict each other, because readers
// could then disagree about its content: overlapping members, members outside the file, or local headers whose names or
// sizes differ from the directory. Until these checks pass, Open allocates no memory whose size is taken from the
// archive. [NewReader] checks the directory, and each local header when its member is first used.
//
//   - Inflating a member takes no more memory than the size recorded in the archive. This size is limited to
//     Archive.MaxMember bytes, and to 1032 times the compressed size.
//   - Members that are encrypted, or compressed with an unsupported method, cannot be read. The remaining members can.
//   - Object arrays are rejected: they are pickles, and unpickling runs code. [Archive.Header] describes them,
//     [Writer.Copy] copies them unchanged, and package objects reads plain values from them without running code.
//
// # Goroutines
//
// Several goroutines may call the methods of an [Archive] at the same time, except Close: call it once, when all calls
// have returned. Do not write elements during Sync, Verify or Repair. A [Writer] belongs to one goroutine.
package npz

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/readat"
	"github.com/ndmap/ndmap/internal/zipfile"
	"github.com/ndmap/ndmap/mmap"
)

// An Archive is an .npz file that is mapped ([Open]), in memory ([OpenBytes]) or read on demand ([NewReader]). It is
// also a file system of its members: see [Archive.Open]. Its arrays are valid until Close. Set its fields before the
// first method call.
type Archive struct {
	// MaxMember is the maximum size in bytes of a compressed member after inflation; 0 means 4 GiB. For a larger
	// member, methods return an error and allocate no memory. Stored members have no limit: they take no memory, except
	// in an archive of NewReader.
	MaxMember int64

	// MaxHeader is the maximum length of the text of a member's header in bytes; 0 means 1 MiB.
	MaxHeader int

	cfg     OpenConfig
	path    string       // or the name of the reader, if it has one
	m       *mmap.Map    // nil if the archive is not mapped
	b       []byte       // set by OpenBytes
	r       *readat.File // set by NewReader
	closed  bool         // used only if the archive is not mapped
	members []member
	last    map[string]int // maps each full name to the index of its last member
	tree    tree
}

var _ array.Collection = (*Archive)(nil)

// A member is the state of one member of an Archive.
type member struct {
	zipfile.Member
	mu       sync.Mutex
	marked   bool      // a writable array was returned
	inflated *mmap.Map // the content, once it was requested; nil for a stored member of an archive in memory

	locating sync.Mutex
	located  bool // the local header was read; used only in an archive of NewReader
}

// Open maps the archive at path. With [array.ReadOnly], writing through its arrays panics; with [array.ReadWrite],
// writes reach the file; with [array.CopyOnWrite], writes stay in the memory of this Archive.
//
// A system error is a *[fs.PathError]. The error for a malformed file is an *[array.FormatError]. As in Python's
// zipfile, bytes before and after the archive are allowed.
//
// Open reads the directory and the header of each member. It does not read their data.
func Open(path string, mode mmap.Mode) (*Archive, error) { return OpenConfig{Mode: mode}.Open(path) }

// Open is like the function [Open], configured by cfg.
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

// readMembers reads the directory and the first bytes of each member of a mapped archive. It disables the system's
// readahead meanwhile.
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

// directoryBytes is the number of bytes at the end of the archive that are prefetched together. Most directories are
// smaller.
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

// Path returns the name of the file as passed to Open. It returns "" for an archive that is not mapped.
func (a *Archive) Path() string {
	if a.m == nil {
		return ""
	}
	return a.path
}

// Names returns the names of the members in a new slice, in the order of the archive and without duplicates. As in
// NumPy, a name has no .npy suffix, unless another member has the name without it. Members that are not arrays are
// included: see [ErrNotArray].
func (a *Archive) Names() []string {
	names := make([]string, 0, len(a.last))
	for i := range a.members {
		name := a.members[i].Name
		if a.last[name] != i {
			continue // the last member with a name is used
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

// A Member describes a member of an archive, as recorded in its directory.
type Member struct {
	Name           string // the full name, as in w.npy
	Compressed     bool   // if false, the content is stored unchanged
	Method         uint16 // compression method of the zip format: 0 stored, 8 deflated
	Offset         int64  // offset of the data in the file
	Size           int64  // size of the content in bytes
	CompressedSize int64  // size of the data in the file in bytes
	CRC            uint32 // CRC-32 of the content
}

// Member returns the description of the named member. If no such member exists, the error wraps [fs.ErrNotExist].
func (a *Archive) Member(name string) (Member, error) {
	m, err := a.find(name)
	if err != nil {
		return Member{}, err
	}
	crc := uint32(0)
	err = mmap.Guard(func() error {
		if _, err := a.data(m); err != nil {
			return err
		}
		crc, err = a.recordedCRC(m)
		return err
	})
	if err != nil {
		return Member{}, err
	}
	return Member{m.Name, m.Method != zipfile.Stored, m.Method, int64(m.Data), m.Size, int64(m.Compressed), crc}, nil
}

// find returns the named member.
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

// bytes returns the bytes of the archive, or nil for an archive of NewReader. If a is closed, it returns an error.
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

// Maps returns the mapping of the archive, or an empty slice if the archive is not mapped.
func (a *Archive) Maps() []*mmap.Map {
	if a.m == nil {
		return nil
	}
	return []*mmap.Map{a.m}
}

// Close closes the archive. All of its arrays become invalid. If the archive is open for writing and has returned
// arrays, Close first syncs it like [Archive.Sync], and closes it even if that fails. A second Close returns an error
// that wraps [fs.ErrClosed].
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
