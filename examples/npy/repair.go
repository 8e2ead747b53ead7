package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/mmap"
)

var repairCommand = command{
	name: "repair", args: "FILE", min: 1, max: 1,
	description: `Repair updates the checksums of members of an archive that were edited in place by a
program that ended before it could do so, and lists these members. Damage that npy check
would have reported is no longer detected afterwards, so run npy check first. Compressed
members are not changed.

For a .npy file that was truncated, or not written completely, repair keeps the complete
rows, in place, and updates the shape in the header. No other process may be writing the
file.`,
	examples: `npy repair data.npz
npy repair temperature.npy`,
	flags: func(*flag.FlagSet) runner {
		return func(e *env, files []string) error {
			path := files[0]
			if err := checkIsFile(path, "which cannot be edited in place"); err != nil {
				return err
			}
			if _, _, ok := splitMember(path); ok {
				return usageError{errors.New("cannot repair a single member; name the archive")}
			}
			if isTensors(path) {
				return errors.New("a .safetensors file, which has no checksums")
			}
			if !isArchive(path) {
				return e.keepRows(path)
			}
			a, err := openArchive(path, mmap.ReadWrite)
			if err != nil {
				return err
			}
			names, err := a.Repair()
			if err := errors.Join(err, a.Close()); err != nil {
				return fileError{path, err}
			}
			for _, name := range names {
				fmt.Fprintf(e.out, "%s:%s: checksum updated\n", words.Printable(path),
					words.Printable(strings.TrimSuffix(name, ".npy")))
			}
			if len(names) == 0 {
				fmt.Fprintf(e.out, "%s: all checksums of stored members are correct\n", words.Printable(path))
			}
			return nil
		}
	},
}

// keepRows updates the header of a truncated .npy file at path to the number of complete rows. At any instant, even
// after a power failure, the file has either the old header or the new one.
func (e *env) keepRows(path string) error {
	f, wrong := array.Open(path, array.ReadOnly)
	if wrong == nil {
		f.Close()
		fmt.Fprintf(e.out, "%s: the data is complete\n", words.Printable(path))
		return nil
	}
	if bad, ok := errors.AsType[*array.FormatError](wrong); !ok || bad.Part != "data" {
		return wrong
	}
	m, err := mmap.Open(path, mmap.ReadWrite)
	if err != nil {
		return err
	}
	defer m.Close()
	if err := m.Lock(10 * time.Second); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if _, err := m.Refresh(); err != nil { // another process may have appended rows while Lock waited
		return err
	}
	size := m.Len()
	head := bytes.Clone(m.Bytes()[:min(size, npy.Limit2+npy.PrefixLen)])
	h, err := npy.Parse(head, 0)
	if err != nil {
		return fileError{path, err}
	}
	n, rows := h.Whole(int64(size - h.DataOffset))
	if n == 0 {
		return fmt.Errorf("%w; no complete row", wrong)
	}
	next, edits, err := h.Grow(head[:h.DataOffset], n)
	if err != nil {
		return fileError{path, err}
	}
	for _, edit := range edits {
		if _, err := m.WriteAt(edit.Bytes, int64(edit.Offset)); err != nil {
			return err
		}
		if err := m.SyncRange(edit.Offset, len(edit.Bytes)); err != nil {
			return err
		}
	}
	end := int64(next.DataOffset + next.NBytes)
	if m.Truncate(end) != nil { // Windows cannot truncate a mapped file
		m.Close()
		if err := os.Truncate(path, end); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(e.out, "%s: kept %s of shape %s: the shape is now %s\n", words.Printable(path), rows,
		words.Shape(h.Shape), words.Shape(next.Shape))
	return err
}
