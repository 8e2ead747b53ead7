package npz

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"time"

	"github.com/ndmap/ndmap/internal/atomicfile"
	"github.com/ndmap/ndmap/internal/zipfile"
	"github.com/ndmap/ndmap/mmap"
)

// Append returns a [Writer] that adds members to the archive at path. [Writer.Add] adds them to a copy of the archive
// in a temporary file, and [Writer.Close] replaces the archive with this file. At every moment, and after a crash, path
// names the old archive or the complete new one. A program that has the old archive open continues to see it.
//
// Existing members are not changed. Add returns an error for a name that already exists in the archive. Append checks
// the archive like [Open], with the same errors. If no archive exists, the error wraps [fs.ErrNotExist].
//
// On file systems where files can share blocks (btrfs, XFS), the copy takes almost no time and no space.
//
// # Other processes
//
// Several processes and goroutines may append to one archive. A member is never lost once Close has returned nil.
//
//   - Append holds the lock of the archive while it copies the archive. Close takes the lock before it checks path for
//     changes, and releases it when the new archive is in place. The lock is not held between the two calls.
//   - If another process has replaced or changed the archive since it was copied, Close copies the archive again and
//     adds the members to the new copy. Close holds the lock meanwhile, so it does this at most once. It does not call
//     Progress for the second copy.
//   - If another process has added a member of the same name in the meantime, the error of Close wraps [fs.ErrExist].
//     If path is no longer an archive, Close returns the error that Append would return. After these errors path is
//     unchanged.
//   - Append and Close each wait up to 10 seconds for the lock. After that, they return an error that wraps
//     [mmap.ErrLocked].
//   - OpenConfig.Lock takes the same lock. An archive that is open with it, for reading or for writing, in this process
//     or another, makes Append and Close wait. Edits that were made and synced under that lock are not lost.
//   - Writes by programs that take no lock can still be lost: edits of an archive that is open for writing without
//     OpenConfig.Lock, and a file that [Save] or another program puts at path immediately before the rename.
//   - An archive without write permission (0444) is locked too, except on NFS, which grants exclusive locks only for
//     files that are open for writing. There, and on systems and file systems without locks (ENOLCK), Append and Close
//     work without a lock: run only one writer at a time.
//   - On Windows, which does not replace open files, the lock is a hidden file next to the archive, which exists while
//     the lock is held.
func Append(path string) (*Writer, error) { return (&Writer{path: path}).append() }

// AppendContext is like [Append], with a context that the Writer uses until Close returns. AppendContext and Close wait
// for the lock until ctx is done, instead of 10 seconds. AppendContext, Add, Copy and Close stop when ctx is done. Then
// path is unchanged, and the error wraps [context.Cause] of ctx. If ctx is done while they wait for the lock, the error
// also wraps [mmap.ErrLocked].
func AppendContext(ctx context.Context, path string) (*Writer, error) {
	return (&Writer{path: path, ctx: ctx}).append()
}

// append copies the archive at the path of w to a new file, and returns w.
func (w *Writer) append() (*Writer, error) {
	w.original.path = atomicfile.Absolute(w.path)
	if err := w.withLock(w.begin); err != nil {
		w.Discard()
		return nil, err
	}
	return w, nil
}

// patience is the time that Append waits for the lock. Tests set it.
var patience = 10 * time.Second

// checkContext returns an error if the context of w is done.
func (w *Writer) checkContext() error {
	if w.ctx == nil || w.ctx.Err() == nil {
		return nil
	}
	return &fs.PathError{Op: "append", Path: w.path, Err: context.Cause(w.ctx)}
}

// withLock calls f while it holds the lock of the archive at the path of w.
func (w *Writer) withLock(f func() error) error {
	var unlock func()
	wait := patience
	if w.ctx != nil {
		wait = math.MaxInt64
	}
	err := w.checkContext()
	if err == nil {
		err = atomicfile.Wait(wait, func(last bool) (ok bool, err error) {
			unlock, ok, err = atomicfile.Turn(w.original.path)
			isDone := w.ctx != nil && w.ctx.Err() != nil
			if !ok && err == nil && (last || isDone) {
				err = fmt.Errorf("%w: another process, or this one, appends to it or has it open with OpenConfig.Lock",
					mmap.ErrLocked)
				if isDone {
					err = fmt.Errorf("%w: %w", err, context.Cause(w.ctx))
				} else {
					err = fmt.Errorf("%w; waited %v", err, wait)
				}
				err = &fs.PathError{Op: "lock", Path: w.path, Err: err}
			}
			return ok, err
		})
	}
	if err == nil {
		defer unlock()
		err = f()
	}
	return w.renamePath(err)
}

// begin reads the archive and copies its members to a new file that Close renames to the path of the archive.
func (w *Writer) begin() error {
	w.names = map[string]bool{}
	if err := w.original.read(w); err != nil {
		return err
	}
	file, err := atomicfile.New(w.original.path, true)
	if err != nil {
		return err
	}
	file.Path = w.path
	w.file, w.out = file, file.File
	return w.original.copyTo(file.File, w.checkContext)
}

// replace renames the file of w to the path of the archive. If the archive has been replaced or changed since it was
// copied, replace first copies it again.
func (w *Writer) replace() error {
	err := w.original.checkUnchanged()
	if errors.Is(err, mmap.ErrReplaced) || errors.Is(err, mmap.ErrChanged) {
		err = w.recopy()
	}
	if err != nil {
		return err
	}
	return w.commit()
}

// recopy copies the current archive to a new file, followed by the members that were added to the old copy.
func (w *Writer) recopy() error {
	old, entries := w.file, w.entries
	defer old.Remove()
	w.file, w.entries, w.original = nil, nil, original{path: w.original.path}
	if err := w.begin(); err != nil {
		return err
	}
	w.file.Observe = old.Observe
	for i := range entries {
		if err := w.addFrom(old.File, &entries[i]); err != nil {
			return err
		}
	}
	if err := w.finish(); err != nil {
		return err
	}
	return w.original.checkUnchanged()
}

// addFrom copies the member e from another file to w.
func (w *Writer) addFrom(from *os.File, e *newEntry) error {
	start := e.Prefix + e.Offset + int64(len(e.format.AppendLocal(nil, &e.Entry)))
	moved := *e
	moved.Prefix, moved.Offset = w.original.prefix, w.at
	if err := w.checkContext(); err != nil {
		return err
	}
	err := w.checkLimits(&moved)
	if w.names[e.Name] {
		err = errExist
	}
	if err != nil {
		return w.memberError(e.Name, err)
	}
	head := e.format.AppendLocal(nil, &moved.Entry)
	err = w.write(head)
	if err == nil {
		_, err = from.Seek(start, io.SeekStart)
	}
	if err == nil {
		_, err = io.CopyN(w.out, from, e.Compressed)
	}
	w.at += int64(len(head)) + e.Compressed
	w.recordEntry(moved)
	return err
}

// An original describes the archive that Append extends.
type original struct {
	id      fs.FileInfo // nil for a new archive
	path    string      // absolute path of the file
	start   int64       // offset of the directory
	prefix  int64       // bytes before the archive
	records []byte      // bytes of the records in the directory
	count   int         // number of records
	comment []byte
}

// read reads the directory of the archive into o, and prepares w to add members after the existing ones.
func (o *original) read(w *Writer) error {
	m, err := mmap.Open(o.path, mmap.ReadOnly)
	if err != nil {
		return err
	}
	defer m.Close()
	if o.id, err = m.Stat(); err != nil {
		return err
	}
	err = mmap.Guard(func() error {
		b := m.Bytes()
		s, err := zipfile.NewSource(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return err
		}
		d, err := zipfile.ParseSource(s)
		if err != nil {
			return err
		}
		o.start, o.prefix, o.count = int64(d.Start), int64(d.Prefix), len(d.Members)
		o.records = bytes.Clone(b[d.Start:d.Stop])
		o.comment = bytes.Clone(b[d.End+zipfile.EndLen:])
		o.comment = o.comment[:min(len(o.comment), d.Comment)]
		for _, m := range d.Members {
			w.names[m.Name] = true
		}
		return nil
	})
	w.at, w.directory = o.start-o.prefix, len(o.records)
	return (&Archive{path: w.path}).formatError(err)
}

// copyPart is the maximum number of bytes that copyTo copies at a time.
const copyPart = 64 << 20

// copyTo copies the archive up to its directory. It stops between two parts if interrupted returns an error. It uses
// os.File.ReadFrom, which copies in the kernel where possible.
func (o *original) copyTo(to *os.File, interrupted func() error) error {
	from, err := os.Open(o.path)
	if err != nil {
		return err
	}
	defer from.Close()
	info, err := from.Stat()
	if err == nil {
		err = o.checkSameFile(info)
	}
	if err != nil {
		return err
	}
	for n := int64(0); n < o.start; {
		if err := interrupted(); err != nil {
			return err
		}
		part := min(o.start-n, copyPart)
		copied, err := io.Copy(to, io.LimitReader(from, part))
		n += copied
		if err == nil && copied < part {
			err = fmt.Errorf("%w: it ends at byte %d", mmap.ErrChanged, n)
		}
		if err != nil {
			return &fs.PathError{Op: "append", Path: o.path, Err: err}
		}
	}
	return nil
}

// checkUnchanged returns an error if the archive has been replaced or changed since it was copied. Stores to mapped
// memory do not always change the modification time: on tmpfs they never do. Therefore checkUnchanged also compares
// the directory, which holds the CRC of each member. Sync and Close of an Archive update these CRCs.
func (o *original) checkUnchanged() error {
	info, err := os.Stat(o.path)
	if err == nil {
		err = o.checkSameFile(info)
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(o.path)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	records := make([]byte, len(o.records))
	if _, err := f.ReadAt(records, o.start); err != nil {
		return err
	}
	if !bytes.Equal(records, o.records) {
		return &fs.PathError{Op: "append", Path: o.path, Err: mmap.ErrChanged}
	}
	return nil
}

// checkSameFile returns an error if info describes another file than the archive that was read, or if the file has
// changed.
func (o *original) checkSameFile(info fs.FileInfo) error {
	switch {
	case !os.SameFile(o.id, info):
		return &fs.PathError{Op: "append", Path: o.path, Err: mmap.ErrReplaced}
	case info.Size() != o.id.Size() || !info.ModTime().Equal(o.id.ModTime()):
		return &fs.PathError{Op: "append", Path: o.path, Err: mmap.ErrChanged}
	}
	return nil
}
