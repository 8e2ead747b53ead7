// Package mmap maps files, and anonymous memory, into the address space of the program. It
// gives access to bytes and knows nothing of what they mean.
//
//	m, err := mmap.Open("t.npy", mmap.ReadOnly)
//	if err != nil {
//		return err
//	}
//	defer m.Close()
//	err = mmap.Guard(func() error { return work(m.Bytes()) })
//
// # Tasks
//
//   - make a file, edit it and read it: the package's Example
//   - survive a file that is truncated, and a disk that fails: [Guard]
//   - see that a file grew: [Map.Refresh]; that it was replaced: [Map.CheckPath]
//   - read bytes of which none was cut off meanwhile: [Map.Unchanged], as examples/reload does
//   - keep other processes away: [Config].Lock; take turns with them: [Map.Lock], as examples/share does
//   - say how bytes will be used: [Map.Advise]; see what is in memory: [Map.Resident]
//
// # Lifetime
//
// The bytes of a [Map] are not memory of the Go heap. They are there until
// [Map.Close], and nothing but Close ends them: no slice keeps them alive and
// no finalizer unmaps them. A Map that is dropped without Close stays mapped
// until the program ends.
//
// Close makes the range of addresses inaccessible and keeps it reserved, so that a slice used
// too late faults and does not read or write what was mapped there next. Reserved addresses
// take no memory, but they are bounded: at most 1024 ranges, and 1 TiB together in 64-bit
// programs, 64 MiB in 32-bit ones; under a limit of the address space (RLIMIT_AS, on Linux)
// no more than a sixteenth of that limit. Past the bound, and where addresses are short, the
// oldest are given back to the system, which may use them for anything. A range that alone is
// larger than the bound is given back at once.
//
// # Faults
//
// To touch a byte that the system cannot supply is a page fault, which ends
// the program: another process truncated the file, its disk or its network
// failed, a sparse file met a full disk, the mapping was closed, or was
// [ReadOnly] and written to. [Guard] turns such a fault into an error.
//
// # Sizes
//
// Offsets in files, and lengths of files, are int64; offsets in memory, and lengths of memory, are int. So
// [Create], [Map.Truncate] and [Map.WriteAt] count the bytes of a file from its start, and [Anonymous],
// [Map.SyncRange], [Map.Advise] and [Map.Resident] those of [Map.Bytes]. [Map.Grow] counts what it adds, as
// slices.Grow does, and not the whole. Package array has the same rule.
//
// # Goroutines
//
// The methods of a Map may be called from several goroutines. The bytes are shared memory
// like any other: the caller must see to it that no goroutine reads bytes while another
// writes them, or uses them while another calls Close. The race detector does not see other
// processes that map the same file.
//
// # Systems
//
// Linux, macOS, the BSDs and Windows. Elsewhere (WebAssembly, Plan 9) Open reads the file,
// which must fit in memory, and the bytes are on the Go heap; what would write to a file, or
// lock it, returns an error that wraps [errors.ErrUnsupported]. Windows differs in this:
//
//   - A file that is mapped cannot be truncated, removed or replaced, by anybody.
//   - [CopyOnWrite] and [Anonymous] set memory aside for all bytes at once, and
//     fail where memory and paging file do not have as much.
//   - Close unmaps a file and then reserves its addresses. If another thread maps
//     something in between, it may get them, and a slice used too late shows that.
//   - No mapping is longer than its file, so [Map.Grow] makes a new one whenever
//     a page is full. To grow in large steps takes fewer.
//   - [Map.Advise] does nothing.
//   - [Map.WriteAt] writes to the mapping, as it does on OpenBSD, too: a full or
//     broken disk is a [*FaultError] there.
package mmap

import (
	"io/fs"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/ndmap/ndmap/internal/atomicfile"
)

// Mode says what may be done to the bytes of a mapped file, and who sees it.
type Mode uint8

const (
	// ReadOnly bytes can be read. What other processes write to the file shows
	// in them. To write to them is a page fault.
	ReadOnly Mode = iota

	// ReadWrite bytes are the file: what is written to them reaches it, and
	// other processes that map or read it see it at once. [Map.Sync] says when
	// it is on stable storage.
	ReadWrite

	// CopyOnWrite bytes start as those of the file, which needs to be readable
	// only. What is written to them stays private to this Map and ends with it.
	// A page that was written to is a copy in memory, so no more can be changed
	// than fits there; the system is not asked to set that much aside, and so
	// files larger than memory can be mapped. Whether later changes of the file
	// show in pages not yet written to is up to the system (mmap(2)).
	CopyOnWrite
)

// String returns the name of the mode: "ReadOnly", say.
func (m Mode) String() string {
	switch m {
	case ReadOnly:
		return "ReadOnly"
	case ReadWrite:
		return "ReadWrite"
	case CopyOnWrite:
		return "CopyOnWrite"
	}
	return "Mode(" + strconv.Itoa(int(m)) + ")"
}

// A Map is a mapped file, or mapped anonymous memory. It is made by [Open], [Create] or
// [Anonymous], or the methods of [Config]; the zero Map is a closed one. It must not be
// copied. On a closed Map the error of every method wraps [fs.ErrClosed].
type Map struct {
	path string
	mode Mode

	mu     sync.RWMutex // held for reading while a system call works on the mapping
	data   []byte       // nil once closed
	file   *os.File     // of a ReadWrite mapping, to sync, and of a locked one; else nil
	empty  *os.File     // of a mapping without bytes, so that no other file gets its inode; else nil
	lock   bool         // file is locked until Close
	held   int          // calls of Lock without their Unlock
	turn   turn         // at the lock
	sparse bool         // Grow reserves no disk space
	id     fs.FileInfo  // of the file that is mapped, from Open
	ctime  time.Time    // its change time then, the zero Time where the system does not tell
	racy   bool         // ctime was too young to tell later changes from it
	abs    string       // path, wherever the program goes; "" if it was not asked for

	// regions are the ranges of addresses that Close gives up. The last one
	// holds data; there is none for data of no bytes.
	regions []*region
	one     [1]*region // where regions starts, to save an allocation
}

// Bytes returns the mapped bytes, as many as the file had when it was mapped, or as many as
// it had at the last [Map.Grow], [Map.Refresh] or [Map.Truncate]. It is the memory itself, no
// copy, and it is valid until Close: see the sections on lifetime and faults. Its capacity is
// its length, so append copies. It is nil for a closed Map only.
func (m *Map) Bytes() []byte {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.data
}

// Len returns the number of mapped bytes, 0 once m is closed.
func (m *Map) Len() int { return len(m.Bytes()) }

// Path returns the name of the file as it was given, "" for anonymous memory.
func (m *Map) Path() string { return m.path }

// Mode returns the mode of the mapping. Created files and anonymous memory are
// [ReadWrite].
func (m *Map) Mode() Mode { return m.mode }

// Close ends the mapping: its bytes must not be used any more (see the section
// on lifetime). What was written to a [ReadWrite] file reaches the file even
// so, but only [Map.Sync] tells when it is on stable storage, or that it never
// will be. Anonymous memory goes back to the system.
//
// Close waits for the other methods to return. An error of the system is a *[fs.PathError]; m is closed
// all the same. The second Close returns an error that wraps [fs.ErrClosed].
//
// In a deferred call that runs because of a panic under [Guard], a fault for example, the bytes of a file
// stay mapped until Guard has seen what is wrong with them. If the panic is recovered before it reaches
// Guard, they stay mapped until the goroutine next opens or closes a mapping, or returns from a nested
// Guard, while no panic is under way. At most 1024 closed mappings stay so, the youngest ones.
func (m *Map) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.data == nil {
		return m.failed("close", fs.ErrClosed)
	}
	m.data = nil
	var first error
	retireUnwound()
	wait := m.path != "" && unwinding() // memory of no file goes back at once
	for _, r := range m.regions {
		if wait {
			r.retireLater()
		} else if err := r.retire(); err != nil && first == nil {
			first = m.failed("close", err)
		}
	}
	m.regions, m.one[0] = nil, nil
	if err := m.release(); err != nil && first == nil {
		first = err
	}
	if m.file != nil {
		if m.lock || m.held > 0 {
			if err := atomicfile.Unlock(m.file); err != nil && first == nil {
				first = m.failed("unlock", err)
			}
		}
		if err := m.file.Close(); err != nil && first == nil {
			first = err
		}
		m.file = nil
	}
	return first
}

// release closes m.empty.
func (m *Map) release() (err error) {
	if m.empty != nil {
		err = m.empty.Close()
		m.empty = nil
	}
	return err
}

// failed returns what every method returns when op failed with err.
func (m *Map) failed(op string, err error) error {
	return &fs.PathError{Op: op, Path: name(m.path), Err: err}
}

// name is how errors call the file at path.
func name(path string) string {
	if path == "" {
		return "anonymous memory"
	}
	return path
}
