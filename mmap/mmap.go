// Package mmap maps files and anonymous memory into the address space of the program. It gives
// access to bytes and does not interpret them.
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
//   - create a file, edit it and read it: the package's Example
//   - survive truncated files and failing disks: [Guard]
//   - detect that a file grew: [Map.Refresh]; that it was replaced: [Map.CheckPath]
//   - check that no bytes were truncated while they were read: [Map.Unchanged], as examples/reload
//     does
//   - keep other processes away: [Config].Lock; take turns with them: [Map.Lock], as examples/share
//     does
//   - tell the system how bytes will be used: [Map.Advise]; see which bytes are in memory:
//     [Map.Resident]
//
// # Lifetime
//
// The bytes of a [Map] are not memory of the Go heap. They exist until [Map.Close]. Slices do not
// keep them alive, and no finalizer unmaps them: a Map that is dropped without Close stays mapped
// until the program ends.
//
// Close makes the addresses inaccessible and keeps them reserved. A slice that is used after Close
// therefore faults, and does not read or write memory that was mapped there later. Reserved
// addresses take no memory, but they are bounded:
//
//   - at most 1024 ranges
//   - at most 1 TiB in total in 64-bit programs, and 64 MiB in 32-bit ones
//   - on Linux, at most a sixteenth of a limit on the address space (RLIMIT_AS)
//
// Beyond a bound the oldest ranges are given back to the system, and when addresses are short all
// of them are; the system may then use them for anything. A range that is larger than the bound is
// given back at once.
//
// # Faults
//
// Access to a byte that the system cannot supply is a page fault, which ends the program. [Guard]
// turns it into an error. The causes are
//
//   - another process truncated the file
//   - the disk or the network of the file failed
//   - the disk was full when a sparse file was written to
//   - the mapping was closed
//   - a [ReadOnly] mapping was written to
//
// # Sizes
//
// Offsets and lengths in files are int64; offsets and lengths in memory are int. [Create],
// [Map.Truncate] and [Map.WriteAt] count the bytes of a file from its start. [Anonymous],
// [Map.SyncRange], [Map.Advise] and [Map.Resident] count the bytes of [Map.Bytes]. [Map.Grow] takes
// the number of bytes to add, as slices.Grow does, and not the new length. Package array follows
// the same rule.
//
// # Goroutines
//
// The methods of a Map may be called from several goroutines. The bytes are shared memory like any
// other: the caller must ensure that no goroutine reads bytes while another writes them, and that
// none uses them while another calls Close. The race detector does not see other processes that map
// the same file.
//
// # Systems
//
// Files are mapped on Linux, macOS, the BSDs and Windows. On other systems (WebAssembly, Plan 9)
// Open reads the file into the Go heap, and the file must fit in memory. Operations that write to a
// file or lock it return an error there that wraps [errors.ErrUnsupported].
//
// Windows differs as follows:
//
//   - A mapped file cannot be truncated, removed or replaced, by any program.
//   - [CopyOnWrite] and [Anonymous] reserve memory for all bytes at once, and fail if memory and
//     paging file are too small.
//   - Close unmaps a file and then reserves its addresses. If another thread maps something in
//     between, it may get the addresses, and a slice used after Close shows that memory.
//   - No mapping is longer than its file, so [Map.Grow] makes a new mapping whenever a page is
//     full. Large steps need fewer mappings.
//   - [Map.Advise] does nothing.
//   - [Map.WriteAt] writes to the mapping, as it does on OpenBSD. A full or broken disk is a
//     [*FaultError] there.
package mmap

import (
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/ndmap/ndmap/internal/atomicfile"
)

// Mode determines which access to the bytes of a mapped file is allowed, and who sees the writes.
type Mode uint8

const (
	// ReadOnly bytes can be read. They show the writes of other processes to the file. Writing to them
	// is a page fault.
	ReadOnly Mode = iota

	// ReadWrite bytes are the bytes of the file. Writes to them reach the file, and other processes
	// that map or read the file see them at once. They are on stable storage after [Map.Sync].
	ReadWrite

	// CopyOnWrite bytes start as the bytes of the file, which needs read permission only. Writes to
	// them are private to this Map and are lost at Close. Each page that was written to is a copy in
	// memory, so the changed pages must fit in memory. The system does not reserve that memory in
	// advance, and files larger than memory can be mapped. The system decides whether pages not yet
	// written to show later changes of the file (mmap(2)).
	CopyOnWrite
)

// String returns the name of the mode, for example "ReadOnly".
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

// A Map is a mapped file or mapped anonymous memory. [Open], [Create], [Anonymous] and the methods
// of [Config] return one. The zero Map is closed. On a closed Map the error of every method wraps
// [fs.ErrClosed]. A Map must not be copied.
type Map struct {
	path string
	mode Mode

	mu     sync.RWMutex // read-locked during a system call on the mapping
	data   []byte       // nil once closed
	file   *os.File     // the file of a ReadWrite mapping, for Sync, or of a locked one; otherwise nil
	empty  *os.File     // the file of a mapping without bytes, so that no other file gets its inode; otherwise nil
	lock   bool         // file is locked until Close
	held   int          // the number of calls of Lock without Unlock
	turn   lockTimer    // counts how long the Map has held the lock
	sparse bool         // Grow reserves no disk space
	id     fs.FileInfo  // the identity of the mapped file, from Open
	ctime  time.Time    // the change time of the file at Open, or the zero Time if the system does not provide it
	racy   bool         // a change after Open may have the same ctime
	abs    string       // the absolute path of a ReadWrite mapping, valid after a change of the current directory; otherwise ""

	// regions are the ranges of addresses that Close gives up. The last one contains data; if data
	// is empty, regions may be empty.
	regions []*region
	one     [1]*region // the initial array of regions, to save an allocation
}

// Bytes returns the mapped bytes: the whole file at the time of Open, Create or the last
// [Map.Grow], [Map.Refresh] or [Map.Truncate].
//
// The slice is the mapped memory and not a copy. It is valid until Close: see the sections on
// lifetime and faults. Its capacity equals its length, so append copies. Bytes returns nil only for
// a closed Map.
func (m *Map) Bytes() []byte {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.data
}

// Len returns the number of mapped bytes, and 0 after Close.
func (m *Map) Len() int { return len(m.Bytes()) }

// Path returns the path of the file as the caller gave it, or "" for anonymous memory.
func (m *Map) Path() string { return m.path }

// Mode returns the mode of the mapping. It is [ReadWrite] for created files and anonymous memory.
func (m *Map) Mode() Mode { return m.mode }

// Close unmaps the bytes, which must not be used afterwards (see the section on lifetime). The
// memory of an anonymous mapping goes back to the system.
//
// Writes to a [ReadWrite] file still reach the file after Close. Only [Map.Sync] tells when they
// are on stable storage, or that they never will be.
//
// An error of the system is a *[fs.PathError], and m is closed nevertheless. A second Close returns
// an error that wraps [fs.ErrClosed]. Close waits for other methods to return.
//
// # Panics
//
// If a deferred call closes m during a panic under [Guard], such as a fault, the bytes of a file
// stay mapped until Guard has examined them. If the panic is recovered before it reaches Guard,
// they stay mapped until the goroutine, with no panic under way, opens or closes another mapping or
// returns from a nested Guard. At most 1024 closed mappings stay mapped in this way, the most
// recent ones.
func (m *Map) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.data == nil {
		return m.pathError("close", fs.ErrClosed)
	}
	m.data = nil
	var first error
	retireUnwound()
	wait := m.path != "" && isUnwinding() // anonymous memory goes back at once
	for _, r := range m.regions {
		if wait {
			r.retireLater()
		} else if err := r.retire(); err != nil && first == nil {
			first = m.pathError("close", err)
		}
	}
	m.regions, m.one[0] = nil, nil
	if err := m.release(); err != nil && first == nil {
		first = err
	}
	if m.file != nil {
		// A child process may have a copy of the descriptor, so closing the file may not unlock it. Children on Windows have
		// none, and a process that gets the lock there can replace the file only after it is closed.
		if runtime.GOOS != "windows" && (m.lock || m.held > 0) {
			if err := atomicfile.Unlock(m.file); err != nil && first == nil {
				first = m.pathError("unlock", err)
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

// pathError returns the error of a method whose operation op failed with err.
func (m *Map) pathError(op string, err error) error {
	return &fs.PathError{Op: op, Path: displayName(m.path), Err: err}
}

// displayName returns path in the form that errors show.
func displayName(path string) string {
	if path == "" {
		return "anonymous memory"
	}
	return path
}
