package mmap

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
)

// Sync writes what was written to the bytes of a [ReadWrite] file to stable storage, and
// returns when it is there: a crash of the machine does not lose it. It promises nothing of
// writes that go on meanwhile. For mappings whose writes reach no file (ReadOnly,
// CopyOnWrite, anonymous memory) it does nothing.
//
// The error is a *[fs.PathError]; after one, what was written since the last Sync may be
// lost, and the next Sync may return nil all the same. On a closed Map it wraps
// [fs.ErrClosed].
func (m *Map) Sync() error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.sync(0, len(m.data))
}

// SyncRange is [Map.Sync] for n bytes from byte off. Other bytes of the pages that they are
// on are written too. It returns an error, and writes nothing, when the range is not within
// the mapping; other errors are those of Sync.
func (m *Map) SyncRange(off, n int) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.sync(off, n)
}

func (m *Map) sync(off, n int) error {
	mem, err := m.pages(off, n)
	if err == nil && len(mem) > 0 && m.mode == ReadWrite && m.file != nil {
		if err = m.writeBack(mem); err == nil {
			err = flush(m.file, mem)
		}
	}
	if err != nil {
		return m.failed("sync", err)
	}
	return nil
}

// writeBack sees to it that what was written to the bytes that m had before it
// grew is written with mem, which are pages of the last region.
func (m *Map) writeBack(mem []byte) error {
	last := len(m.regions) - 1
	lo := int(address(mem) - address(m.regions[last].mem))
	for _, r := range m.regions[:last] {
		if n := len(r.mem); lo < n {
			if err := writeBack(r.mem[lo:min(lo+len(mem), n)]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Advice says how bytes will be used.
type Advice uint8

const (
	// Nothing is known; takes back Sequential and Random. So does work of package array where it gives this advice
	// itself, for a file that has no room in memory: see array.Copy.
	Normal     Advice = iota
	Sequential        // in ascending order: read ahead, forget what was read
	Random            // in no order: do not read ahead
	WillNeed          // soon: start to read now
	DontNeed          // not soon: the memory may go; what was written stays
	HugePage          // use larger pages than usual, where there are any
	Written           // not written again soon: start to store them; Sync waits for that
	Populate          // now: Advise reads them, and returns when they are in memory
	PageOut           // not soon: the system takes the memory now, also that of its cache
)

// String returns the name of the advice: "Sequential", say.
func (a Advice) String() string {
	names := [...]string{"Normal", "Sequential", "Random", "WillNeed", "DontNeed", "HugePage", "Written", "Populate",
		"PageOut"}
	if int(a) < len(names) {
		return names[a]
	}
	return "Advice(" + strconv.Itoa(int(a)) + ")"
}

// Advise tells the system how the n bytes from byte off will be used; it holds
// for all of the pages that they are on. Advice never changes a byte: DontNeed and PageOut
// do nothing for CopyOnWrite and anonymous memory, where the system would
// forget what was written. Advice that the system does not have, or does not
// have for this memory, is ignored; Populate becomes WillNeed there, and PageOut, which
// Linux has from 5.4 on for users who may write to the file, DontNeed.
//
// The error, a *[fs.PathError], is for a range that is not within the mapping,
// an unknown advice, and a system that knows the advice but fails. On a closed
// Map it wraps [fs.ErrClosed].
func (m *Map) Advise(off, n int, a Advice) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	mem, err := m.pages(off, n)
	switch private := m.path == "" || m.mode == CopyOnWrite; {
	case err != nil:
	case a > PageOut:
		err = fmt.Errorf("unknown advice %v", a)
	case len(mem) == 0, private && (a == DontNeed || a == PageOut || a == Written):
	case a == Written:
		if m.mode == ReadWrite {
			last := m.regions[len(m.regions)-1].mem
			startStore(m.file, int64(address(mem)-address(last)), int64(len(mem)))
		}
	default:
		err = advise(mem, a)
	}
	if err != nil {
		return m.failed("advise", err)
	}
	return nil
}

// pages returns the pages that the n bytes from byte off are on. It checks the
// range, and that m is open. m.mu is held.
func (m *Map) pages(off, n int) ([]byte, error) {
	if m.data == nil {
		return nil, fs.ErrClosed
	}
	if off < 0 || n < 0 || off > len(m.data) || n > len(m.data)-off {
		return nil, fmt.Errorf("%d bytes from byte %d are not within the mapping, which has %d", n, off, len(m.data))
	}
	if n == 0 {
		return nil, nil
	}
	page := os.Getpagesize()
	mem := m.regions[len(m.regions)-1].mem
	return mem[off&^(page-1) : (off+n+page-1)&^(page-1)], nil
}
