package mmap

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
)

// Sync writes the changed bytes of a [ReadWrite] file to stable storage. When it returns, a crash
// of the machine does not lose the writes made before the call. It promises nothing for concurrent
// writes.
//
// Sync does nothing for mappings whose writes do not reach a file: ReadOnly, CopyOnWrite and
// anonymous memory.
//
// The error is a *[fs.PathError], and wraps [fs.ErrClosed] if m is closed. After another error the
// writes since the last Sync may be lost, and the next Sync may nevertheless return nil.
func (m *Map) Sync() error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.sync(0, len(m.data))
}

// SyncRange is like [Map.Sync] for the n bytes starting at byte off. It also writes the remaining
// bytes of their pages. If the range is not within the mapping, it returns an error and writes
// nothing. Other errors are the same as for Sync.
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
		return m.pathError("sync", err)
	}
	return nil
}

// writeBack makes sure that writes through older regions are written together with mem, which
// consists of pages of the last region.
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

// Advice tells the system how bytes will be used.
type Advice uint8

const (
	// Normal is the default. It cancels Sequential and Random. Operations of package array that
	// give Sequential or Random themselves, for a file that does not fit in memory, end with
	// Normal: see array.Copy.
	Normal     Advice = iota
	Sequential        // used in ascending order: read ahead, and drop pages after use
	Random            // used in no order: do not read ahead
	WillNeed          // used soon: start to read now
	DontNeed          // not used soon: the memory may be freed; writes are kept
	HugePage          // use larger pages than usual, if the system has them
	Written           // not written again soon: start to store them; Sync waits for that
	Populate          // used now: Advise reads them, and returns when they are in memory
	PageOut           // not used soon: the system frees the memory now, also in its cache
)

// String returns the name of the advice, for example "Sequential".
func (a Advice) String() string {
	names := [...]string{"Normal", "Sequential", "Random", "WillNeed", "DontNeed", "HugePage", "Written", "Populate",
		"PageOut"}
	if int(a) < len(names) {
		return names[a]
	}
	return "Advice(" + strconv.Itoa(int(a)) + ")"
}

// Advise tells the system how the n bytes starting at byte off will be used. It applies to all
// pages that contain them.
//
// Advice never changes a byte: DontNeed and PageOut do nothing for CopyOnWrite and anonymous
// memory, where the system would discard writes. Advice that the system does not support, or not
// for this memory, is ignored, except that Populate becomes WillNeed and PageOut becomes DontNeed.
// Linux supports PageOut from version 5.4 on, for users who may write to the file.
//
// The error is a *[fs.PathError]. It is an error if the range is not within the mapping, if the
// advice is unknown, or if the system supports the advice but fails. The error wraps [fs.ErrClosed]
// if m is closed.
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
		return m.pathError("advise", err)
	}
	return nil
}

// pages returns the pages that contain the n bytes starting at byte off. It checks the range, and
// that m is open. The caller holds m.mu.
func (m *Map) pages(off, n int) ([]byte, error) {
	if m.data == nil {
		return nil, fs.ErrClosed
	}
	if off < 0 || n < 0 || off > len(m.data) || n > len(m.data)-off {
		return nil, fmt.Errorf("%d bytes at byte %d are outside the mapping of %d bytes", n, off, len(m.data))
	}
	if n == 0 {
		return nil, nil
	}
	page := os.Getpagesize()
	mem := m.regions[len(m.regions)-1].mem
	return mem[off&^(page-1) : (off+n+page-1)&^(page-1)], nil
}
