// Package npz maps .npz archives, the files of numpy.savez, and gives their members as
// arrays in place: they are read where they lie in the file, and edited there.
//
//	a, err := npz.Open("data.npz", mmap.ReadWrite)
//	if err != nil { … }
//	defer a.Close()
//	w, err := a.Array("w")
//	if err != nil { … }
//	v, err := array.As[float64](w)
//	if err != nil { … }
//	v.SetAt(1.5, 3, 4)
//	err = a.Sync() // the elements, and the CRC of the member, on stable storage
//
// What takes an [array.Array] or returns one follows the rules of package array: views and
// slices of a member are valid until [Archive.Close].
//
// # Tasks
//
//   - read and edit an archive: the package's Example; examples/npz
//   - read one that others may replace, or cut, for as long as a function runs: [Use]
//   - write one: [Save]; member by member, and compressed: [Writer]; to a stream: [NewWriter]
//   - add members to one: [Append]
//   - read one that is in memory, or behind a reader: [OpenBytes], [NewReader]
//   - use one as a file system of Go's: [Archive.Open]
//   - go through many compressed members in the memory of one: [Archive.Release]
//   - look into one without its elements: [Archive.Names], [Archive.Header], [Archive.Member]
//   - check one, and mend it after a crash: [Archive.Verify], [Archive.Repair]; examples/archive
//
// # Members
//
// A member that is stored, as numpy.savez stores it, is an array in the mapped file: nothing
// is copied, and only the bytes that are used are read. One that is compressed, as by
// numpy.savez_compressed, is inflated into memory of its own when it is first asked for,
// and cannot be edited in the file.
//
// Where numpy.savez puts the data of a member depends on the lengths of the names, so that most
// members are not aligned: [array.View.Data], Vector, Matrix and Cube refuse those, and say what
// to do; all else reads and writes them as any other. [Save] and [Writer] align all members.
//
// Names are those of NumPy: "w" stands for the member w, and if there is none for w.npy. Of
// several members of one name the last one counts. A name never becomes the path of a file.
//
// # Editing
//
// An archive has a CRC-32 of each member, and NumPy and unzip refuse a member that does not
// agree with it. [Archive.Array] of an archive that is open [mmap.ReadWrite] marks the
// member, and [Archive.Sync] and [Archive.Close] write the CRCs of all marked members
// anew, after their data. If the program ends before that, the archive has the edited data and
// the old CRC: [Archive.Verify] says so, and [Archive.Repair] sets it right.
//
// # Security
//
// An archive is not trusted. One whose parts contradict each other, so that readers may
// disagree on what it holds, is refused by Open, before anything is allocated in proportion
// to a number in it: members that overlap, local headers with other names or sizes than the
// directory's, whatever is outside of the file. A compressed member takes no more memory
// than it claims, and it may claim no more than Config.MaxMember, and no more than 1032
// times its compressed size. Encryption and other methods of compression are errors of the
// members that have them. Object arrays are refused: they are pickles, and unpickling runs
// code. [Archive.Header] says what they are, and [Writer.Copy] copies them as they are.
//
// # Goroutines
//
// The methods of an [Archive] may be called from several goroutines, but Close from one when
// the others are done; no elements may be written during Sync, Verify and Repair. A
// [Writer] belongs to one goroutine.
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

// An Archive is an .npz file: mapped by [Open], in memory ([OpenBytes]), or wherever a reader has it ([NewReader]). It
// is a file system of its members, too: see [Archive.Open]. Close ends the use of all of its arrays.
type Archive struct {
	cfg     Config
	path    string      // "" for an archive in memory or behind a reader
	m       *mmap.Map   // nil if the archive is not mapped
	b       []byte      // of OpenBytes
	r       io.ReaderAt // of NewReader
	closed  bool        // where there is no mapping
	members []member
	last    map[string]int // which member of a whole name counts
	tree    tree
}

// A member is what an Archive knows of one of its members.
type member struct {
	zipfile.Member
	mu       sync.Mutex
	marked   bool      // an array that can be written was handed out
	inflated *mmap.Map // the content, once it was asked for; nil for a stored member of an archive in memory
}

// Open maps the archive at path. With [mmap.ReadOnly] writing through its arrays panics;
// with [mmap.ReadWrite] writes reach the file; with [mmap.CopyOnWrite] they stay in the
// memory of this Archive. It reads the directory and the header of each member, and none of
// their data.
//
// An error of the system is a *[fs.PathError], and that of a file that is not as the format
// says an *[array.FormatError]. Bytes before and after the archive are no error, as in
// Python's zipfile.
func Open(path string, mode mmap.Mode) (*Archive, error) { return Config{Mode: mode}.Open(path) }

// Open maps the archive at path as the function [Open] does, with the fields of cfg.
func (cfg Config) Open(path string) (*Archive, error) {
	a, err := cfg.open(path)
	if err != nil && cfg.File != nil {
		cfg.File.Close() // the second time, perhaps
	}
	return a, err
}

func (cfg Config) open(path string) (*Archive, error) {
	if err := cfg.check("Open"); err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
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

// readMembers reads the directory of a mapping, at the end, and the first bytes of each member, and nothing that page
// faults would read ahead.
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

// directoryBytes is how many bytes at the end are read at once: the directory of most archives.
const directoryBytes = 64 << 10

// formatError names the file in an error of the archive.
func (a *Archive) formatError(err error) error {
	if e, ok := errors.AsType[*zipfile.Error](err); ok {
		return &array.FormatError{Path: a.path, Part: e.Part, Offset: e.Offset, Msg: e.Msg}
	}
	return err
}

// errorf is the error of the content of a member, at a byte of the archive.
func (a *Archive) errorf(m *member, part string, at int64, format string, args ...any) error {
	return &array.FormatError{Path: a.path, Part: "member " + zipfile.Quote(m.Name) + ": " + part, Offset: at,
		Msg: fmt.Sprintf(format, args...)}
}

// Path returns the name of the file as it was given, "" for an archive in memory or behind a reader.
func (a *Archive) Path() string { return a.path }

// Names returns the names of the members, in the order of the archive, each once, in a new
// slice. As in NumPy they are without .npy at their end, unless that is the name of
// another member. There are members that are no arrays: see [ErrNotArray].
func (a *Archive) Names() []string {
	names := make([]string, 0, len(a.last))
	for i := range a.members {
		name := a.members[i].Name
		if a.last[name] != i {
			continue // a later one counts
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

// A Member is what the archive says of one of its members.
type Member struct {
	Name           string // the whole of it
	Compressed     bool   // else its data is in the archive as it is
	Method         uint16 // of compression, as in the zip format: 0 stored, 8 deflated
	Offset         int64  // of its data in the file, in bytes
	Size           int64  // of its content, in bytes
	CompressedSize int64  // of its data in the file, in bytes
	CRC            uint32 // of its content
}

// Member returns what the archive says of the member that name stands for. If there is none,
// the error wraps [fs.ErrNotExist].
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

// bytes returns the archive in memory; none of one that a reader has.
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

// Map returns the mapping of the archive, to advise the system how it will be used, nil for one that is not mapped. It
// belongs to a: do not close it.
func (a *Archive) Map() *mmap.Map { return a.m }

// Close ends the use of the archive and of all of its arrays. If it is open for writing, and
// arrays were handed out, it does what [Archive.Sync] does before; a is closed even if that
// is an error. The second Close returns an error that wraps [fs.ErrClosed].
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
