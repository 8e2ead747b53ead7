package npz

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/internal/zipfile"
	"github.com/ndmap/ndmap/mmap"
)

// Sync writes all edits made so far to stable storage, followed by the updated CRC-32 of each marked member. A member
// is marked when a writable array of it is returned. It stays marked, because writes to the array cannot be detected.
// Sync cannot tell damage to a marked member from an edit: see [Archive.Array].
//
// A system error is a *[fs.PathError]; the error for a file that another process has truncated is a
// *[mmap.FaultError]. After an error the CRCs may be stale: see [Archive.Repair].
//
// Sync reads all marked members, on all cores. If no member is marked, as in an archive that is not open for writing,
// it does nothing.
func (a *Archive) Sync() error {
	var marked []*member
	for i := range a.members {
		m := &a.members[i]
		m.mu.Lock()
		if m.marked {
			marked = append(marked, m)
		}
		m.mu.Unlock()
	}
	if len(marked) == 0 {
		_, err := a.bytes()
		return err
	}
	_, err := a.syncCRCs(marked)
	return err
}

// Verify reads the whole named member, and compares its CRC-32 with each CRC in the archive: in the directory, in the
// local header and in the descriptor after the data. If one of them differs, the member was edited and not synced, or
// is damaged, and the error is an *[array.FormatError] with the details. If no such member exists, the error wraps
// [fs.ErrNotExist]. The memory that Verify uses does not depend on the size of the member.
func (a *Archive) Verify(name string) error {
	m, err := a.find(name)
	if err != nil {
		return err
	}
	if m.Err != nil {
		return a.formatError(m.Err)
	}
	return mmap.Guard(func() error {
		data, err := a.data(m)
		if err != nil {
			return err
		}
		var crc uint32
		reason := "the archive is damaged"
		switch {
		case m.Method == zipfile.Deflated:
			if crc, err = zipfile.InflateFrom(nil, data.buffered(), m.Size); err != nil {
				return a.dataError(m, err)
			}
		case a.r != nil:
			sum := crc32.NewIEEE()
			if _, err := io.CopyN(sum, data.buffered(), m.Size); err != nil {
				return a.readError(m, err)
			}
			crc = sum.Sum32()
		default:
			b, err := a.bytes()
			if err != nil {
				return err
			}
			crc = checksums(b, []*member{m})[0]
			reason = "it was edited and not synced, or is damaged; Repair updates the CRC"
		}
		for i, at := range m.CRCAt {
			if at == 0 {
				continue
			}
			recorded, err := a.readCRC(at)
			if err != nil {
				return err
			}
			if recorded != crc {
				return a.errorf(m, "data", int64(m.Data), "its CRC-32 is %#08x, and %s says %#08x: %s", crc, crcPlaces[i], recorded,
					reason)
			}
		}
		return nil
	})
}

// crcPlaces names the elements of [zipfile.Member].CRCAt in messages.
var crcPlaces = [...]string{"the directory", "the local header", "the descriptor"}

// Repair sets the CRC-32 of each stored member to the CRC of its data, and returns the full names of the members whose
// CRC has changed. This makes members valid that were edited and not synced. It also hides damage that Verify would
// have reported: call Verify first. Compressed members are not changed.
//
// If the archive is not open [array.ReadWrite], the error wraps [array.ErrReadOnly]. When Repair returns, its writes
// are on stable storage.
func (a *Archive) Repair() ([]string, error) {
	if a.cfg.Mode != mmap.ReadWrite {
		return nil, fmt.Errorf("%s: Repair requires an archive opened with array.ReadWrite: %w", errorPrefix(a.path),
			array.ErrReadOnly)
	}
	var stored []*member
	for i := range a.members {
		if m := &a.members[i]; m.Method == zipfile.Stored && m.Err == nil {
			stored = append(stored, m)
		}
	}
	return a.syncCRCs(stored)
}

// syncCRCs syncs the archive, and then updates and syncs the CRCs of the given stored members. It returns the names
// of the members whose CRC has changed.
func (a *Archive) syncCRCs(members []*member) (names []string, err error) {
	var crcs []uint32
	err = mmap.Guard(func() error {
		b, err := a.bytes()
		if err == nil {
			crcs = checksums(b, members)
		}
		return err
	})
	if err == nil {
		err = a.m.Sync()
	}
	if err != nil {
		return nil, err
	}
	err = mmap.Guard(func() error {
		b, err := a.bytes()
		if err != nil {
			return err
		}
		for i, m := range members {
			stale := false
			for _, at := range m.CRCAt {
				if at != 0 && readCRC(b, at) != crcs[i] {
					binary.LittleEndian.PutUint32(b[at:], crcs[i])
					stale = true
				}
			}
			if stale {
				names = append(names, m.Name)
			}
		}
		return nil
	})
	if err == nil && len(names) > 0 {
		err = a.m.Sync()
	}
	return names, err
}

func readCRC(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }

// partSize is the maximum number of bytes of a member that one goroutine reads at a time.
const partSize = 4 << 20

// checksums returns the CRC-32 of the data of each member in the archive b. It reads on all cores.
func checksums(b []byte, members []*member) []uint32 {
	type part struct {
		member int
		data   []byte
		crc    uint32
	}
	var parts []part
	for i, m := range members {
		for data := b[m.Data : m.Data+m.Compressed]; len(data) > 0; {
			n := min(len(data), partSize)
			parts = append(parts, part{i, data[:n], 0})
			data = data[n:]
		}
	}
	strided.Share(len(parts), func(k int) { parts[k].crc = zipfile.Checksum(parts[k].data) })
	crcs := make([]uint32, len(members))
	for _, p := range parts {
		crcs[p.member] = zipfile.CombineCRC(crcs[p.member], p.crc, int64(len(p.data)))
	}
	return crcs
}
