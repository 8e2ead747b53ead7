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

// Sync returns when everything written so far to the arrays is on stable storage, and after
// that the CRC-32 of each marked member. A member is marked when an array of it is handed
// out that can be written, and stays marked, because nothing tells whether it is written to:
// Sync reads all of them, on all cores. If nothing is marked, as where the archive is not
// open for writing, it does nothing. Damage of a marked member is then not seen any more: see
// [Archive.Array].
//
// The error of the system is a *[fs.PathError]; that of a file that another process cut short
// is a *[mmap.FaultError]. After one, the CRCs may be stale: see [Archive.Repair].
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
	_, err := a.mend(marked)
	return err
}

// Verify reads all of the member that name stands for, and compares its CRC-32 with each that
// the archive has of it: in the directory, in the local header and behind the data. It
// takes no memory in proportion to it. Where they differ the error is an
// *[array.FormatError] that says how; the member was edited and not synced, or is damaged.
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
			if crc, err = zipfile.InflateFrom(nil, data.reader(), m.Size); err != nil {
				return a.dataError(m, err)
			}
		case a.r != nil:
			sum := crc32.NewIEEE()
			if _, err := io.CopyN(sum, data.reader(), m.Size); err != nil {
				return a.readError(m, err)
			}
			crc = sum.Sum32()
		default:
			b, err := a.bytes()
			if err != nil {
				return err
			}
			crc = checksums(b, []*member{m})[0]
			reason = "it was edited and not synced, or is damaged; Repair makes the archive say what there is"
		}
		for i, at := range m.CRCAt {
			if at == 0 {
				continue
			}
			said, err := a.readCRC(at)
			if err != nil {
				return err
			}
			if said != crc {
				return a.errorf(m, "data", int64(m.Data), "its CRC-32 is %#08x, and %s says %#08x: %s", crc, crcPlaces[i], said,
					reason)
			}
		}
		return nil
	})
}

// crcPlaces are the places of [zipfile.Member].CRCAt.
var crcPlaces = [...]string{"the directory", "the local header", "the descriptor"}

// Repair makes the archive say of each stored member the CRC-32 that its data has, and returns
// the names of those where it said another. So a member that was edited and not synced is
// whole again, and damage that Verify would have shown is not seen any more: Verify first. It
// changes nothing of compressed members. The archive must be open [mmap.ReadWrite], else the
// error wraps [array.ErrReadOnly]. What it wrote is on stable storage when it returns.
func (a *Archive) Repair() ([]string, error) {
	if a.cfg.Mode != mmap.ReadWrite {
		return nil, fmt.Errorf("%s: Repair needs the archive open with mmap.ReadWrite: %w", title(a.path), array.ErrReadOnly)
	}
	var stored []*member
	for i := range a.members {
		if m := &a.members[i]; m.Method == zipfile.Stored && m.Err == nil {
			stored = append(stored, m)
		}
	}
	return a.mend(stored)
}

// mend stores the archive, and then the CRCs of the members, which are stored data, wherever
// they are others than it has. It returns the names of those.
func (a *Archive) mend(members []*member) (names []string, err error) {
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

// part is how many bytes of a member one goroutine reads at a time.
const part = 4 << 20

// checksums returns the CRC-32 of the data of each member in the archive b, which all cores
// read.
func checksums(b []byte, members []*member) []uint32 {
	type piece struct {
		member int
		data   []byte
		crc    uint32
	}
	var pieces []piece
	for i, m := range members {
		for data := b[m.Data : m.Data+m.Compressed]; len(data) > 0; {
			n := min(len(data), part)
			pieces = append(pieces, piece{i, data[:n], 0})
			data = data[n:]
		}
	}
	strided.Share(len(pieces), func(k int) { pieces[k].crc = zipfile.Checksum(pieces[k].data) })
	crcs := make([]uint32, len(members))
	for _, p := range pieces {
		crcs[p.member] = zipfile.CombineCRC(crcs[p.member], p.crc, int64(len(p.data)))
	}
	return crcs
}
