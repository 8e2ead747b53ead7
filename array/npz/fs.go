package npz

import (
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ndmap/ndmap/internal/readat"
	"github.com/ndmap/ndmap/internal/zipfile"
	"github.com/ndmap/ndmap/mmap"
)

// Open opens a member as a file, by its full name (w.npy). It makes an Archive an [fs.FS], so that fs.WalkDir,
// http.FileServerFS and [array.OpenFS] work on it. The folders come from the names of the members. Members are missing
// from the file system if [fs.ValidPath] rejects their names, or if their names lead through another member.
//
// The file of a stored member is an io.Seeker and io.ReaderAt. The CRC of a compressed member is checked when its end
// is read. Errors are *[fs.PathError].
func (a *Archive) Open(name string) (fs.File, error) {
	f, err := a.openFile(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return f, nil
}

func (a *Archive) openFile(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, fs.ErrInvalid
	}
	if _, err := a.bytes(); err != nil {
		return nil, fs.ErrClosed
	}
	entries, isFolder := a.tree.foldersOf(a)[name]
	if isFolder {
		return &folder{entry: entry{name: path.Base(name)}, entries: entries}, nil
	}
	i, ok := a.last[name]
	if _, listed := slices.BinarySearchFunc(a.tree.foldersOf(a)[path.Dir(name)], path.Base(name), byName); !ok || !listed {
		return nil, fs.ErrNotExist
	}
	m := &a.members[i]
	if m.Err != nil {
		return nil, a.formatError(m.Err)
	}
	return a.content(m, a.maxMember())
}

// content opens the content of m. If it is compressed, it may have up to limit bytes.
func (a *Archive) content(m *member, limit int64) (fs.File, error) {
	data, err := a.data(m)
	if err != nil {
		return nil, err
	}
	e := entry{name: path.Base(m.Name), m: m}
	if m.Method == zipfile.Stored {
		r := data.r
		if r == nil {
			r = io.NewSectionReader(readat.Memory(data.b), 0, m.Size)
		}
		return &storedFile{e, r}, nil
	}
	if m.Size > limit {
		return nil, a.errorf(m, "data", int64(m.Data),
			"it inflates to %d bytes, more than the limit of %d; a larger limit can be set (Archive.MaxMember)", m.Size, limit)
	}
	return &compressedFile{entry: e, a: a, r: flate.NewReader(data.buffered()), left: m.Size}, nil
}

// copyTo writes the content of m to w and checks its CRC.
func (a *Archive) copyTo(w io.Writer, m *member) error {
	f, err := a.content(m, math.MaxInt64) // streaming takes no memory
	if err != nil {
		return err
	}
	sum := crc32.NewIEEE()
	n, err := io.CopyBuffer(struct{ io.Writer }{w}, io.TeeReader(f, sum), make([]byte, max(1, min(m.Size, block))))
	if err != nil {
		return err
	}
	var crc uint32
	err = mmap.Guard(func() (err error) { crc, err = a.recordedCRC(m); return err })
	switch {
	case err != nil:
		return err
	case n < m.Size:
		return a.readError(m, io.ErrUnexpectedEOF)
	case sum.Sum32() != crc:
		return a.errorf(m, "data", int64(m.Data),
			"its CRC-32 is %#08x, and the directory says %#08x: it was edited and not synced, or is damaged", sum.Sum32(), crc)
	}
	return nil
}

// ReadFile returns the content of a member, by its full name. It implements [fs.ReadFileFS]. It allocates memory as the
// content arrives.
func (a *Archive) ReadFile(name string) ([]byte, error) {
	f, err := a.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return b, nil
}

// A tree holds the entries of each folder, sorted by name. It is built on first use.
type tree struct {
	once    sync.Once
	folders map[string][]fs.DirEntry
}

func byName(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) }

// folderOf is like path.Dir for a valid path, but does not clean it: that would be slow for a name with 32,000 folders.
func folderOf(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[:i]
	}
	return "."
}

// foldersOf returns the entries of each folder of a.
func (t *tree) foldersOf(a *Archive) map[string][]fs.DirEntry {
	t.once.Do(func() {
		files := map[string]*member{}
		for name, i := range a.last {
			if fs.ValidPath(name) && name != "." {
				files[name] = &a.members[i]
			}
		}
		folders := map[string]bool{".": true}
		add := func(name string) { // adds a folder and its parents
			for ; !folders[name]; name = folderOf(name) {
				folders[name] = true
			}
		}
		hidden := func(name string) bool { // reports whether a parent is a file
			for dir := folderOf(name); dir != "."; dir = folderOf(dir) {
				if files[dir] != nil {
					return true
				}
			}
			return false
		}
		t.folders = map[string][]fs.DirEntry{}
		for name, m := range files {
			if !hidden(name) {
				add(folderOf(name))
				dir := folderOf(name)
				t.folders[dir] = append(t.folders[dir], entry{path.Base(name), m})
			}
		}
		for name := range a.last { // folders that are members
			if short, ok := strings.CutSuffix(name, "/"); ok && fs.ValidPath(short) && short != "." && files[short] == nil &&
				!hidden(short) {
				add(short)
			}
		}
		for name := range folders {
			if name != "." {
				dir := folderOf(name)
				t.folders[dir] = append(t.folders[dir], entry{path.Base(name), nil})
			}
			if t.folders[name] == nil {
				t.folders[name] = []fs.DirEntry{}
			}
		}
		for _, entries := range t.folders {
			slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		}
	})
	return t.folders
}

// An entry is a file, or a folder if m is nil.
type entry struct {
	name string
	m    *member
}

func (e entry) Name() string               { return e.name }
func (e entry) IsDir() bool                { return e.m == nil }
func (e entry) Type() fs.FileMode          { return e.Mode().Type() }
func (e entry) Info() (fs.FileInfo, error) { return e, nil }
func (e entry) Stat() (fs.FileInfo, error) { return e, nil }
func (e entry) ModTime() time.Time         { return time.Time{} }
func (e entry) Sys() any                   { return nil }
func (e entry) String() string             { return fs.FormatDirEntry(e) }
func (e entry) Close() error               { return nil }

func (e entry) Mode() fs.FileMode {
	if e.m == nil {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

func (e entry) Size() int64 {
	if e.m == nil {
		return 0
	}
	return e.m.Size
}

// A folder is an open folder.
type folder struct {
	entry
	entries []fs.DirEntry
}

func (f *folder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.name, Err: errors.New("is a folder")}
}

func (f *folder) ReadDir(n int) ([]fs.DirEntry, error) {
	k := len(f.entries)
	if n > 0 && k > n {
		k = n
	}
	list := slices.Clone(f.entries[:k])
	f.entries = f.entries[k:]
	if n > 0 && k == 0 {
		return nil, io.EOF
	}
	return list, nil
}

// A storedFile is an open file whose content is not compressed.
type storedFile struct {
	entry
	*io.SectionReader
}

func (f *storedFile) Size() int64 { return f.entry.Size() }

// A compressedFile is an open file that inflates its content as it is read.
type compressedFile struct {
	entry
	a    *Archive
	r    io.Reader
	left int64
	crc  uint32
	err  error
}

func (f *compressedFile) Read(b []byte) (n int, err error) {
	if f.err != nil {
		return 0, f.err
	}
	if len(b) == 0 {
		return 0, nil
	}
	err = mmap.Guard(func() (err error) { n, err = f.r.Read(b); return err })
	f.crc = crc32.Update(f.crc, crc32.IEEETable, b[:n])
	f.left -= int64(n)
	m := f.m
	switch _, isFault := err.(*mmap.FaultError); {
	case f.left < 0:
		n += int(f.left)
		f.err = f.a.errorf(m, "data", int64(m.Data),
			"it inflates to more than the %d bytes that the directory says: the archive is damaged", m.Size)
	case err == io.EOF && f.left > 0:
		f.err = f.a.errorf(m, "data", int64(m.Data),
			"it inflates to %d bytes, and the directory says %d: the archive is damaged", m.Size-f.left, m.Size)
	case err == io.EOF && f.crc != m.CRC:
		f.err = f.a.errorf(m, "data", int64(m.Data),
			"its CRC-32 is %#08x, and the directory says %#08x: the archive is damaged", f.crc, m.CRC)
	case err == nil || err == io.EOF || isFault:
		f.err = err
	case err == io.ErrUnexpectedEOF:
		f.err = f.a.errorf(m, "data", int64(m.Data),
			"its compressed data ends too early, after %d of %d bytes: the archive is damaged", m.Size-f.left, m.Size)
	default:
		if corrupt, ok := errors.AsType[flate.CorruptInputError](err); ok {
			f.err = f.a.errorf(m, "data", int64(m.Data), "its compressed data is corrupt at byte %d: the archive is damaged",
				int64(corrupt))
		} else {
			f.err = fmt.Errorf("%s: member %s: %w", errorPrefix(f.a.path), zipfile.Quote(m.Name), err)
		}
	}
	return n, f.err
}
