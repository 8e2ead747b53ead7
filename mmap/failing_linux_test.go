package mmap_test

import (
	"bytes"
	"errors"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sys/unix"

	"github.com/ndmap/ndmap/internal/faultfs"
	"github.com/ndmap/ndmap/mmap"
)

// TestReadFails tests a disk with unreadable bytes. Readable bytes must be right, access to an unreadable byte must
// cause a FaultError with its offset, and the program must continue.
func TestReadFails(t *testing.T) {
	needAddresses(t)
	bad := 5 * page
	path, _ := faultfs.Mount(t, pages(8), faultfs.Faults{ReadFrom: bad})
	want := pages(8)
	for _, mode := range []mmap.Mode{mmap.ReadOnly, mmap.ReadWrite, mmap.CopyOnWrite} {
		b := open(t, path, mode).Bytes()
		check := func(op string, fe *mmap.FaultError, off int) {
			t.Helper()
			got := *fe
			got.Addr = 0
			if diff := cmp.Diff(mmap.FaultError{Path: path, Offset: faultOffset(off), Err: mmap.ErrUnavailable}, got,
				cmpopts.EquateErrors()); diff != "" {
				t.Errorf("%v, %s (-want +got):\n%s", mode, op, diff)
			}
		}
		last := -1
		check("loop", fault(t, func() {
			for i, c := range b {
				if c != want[i] {
					t.Fatalf("%v: byte %d is %d, want %d", mode, i, c, want[i])
				}
				last = i
			}
		}), bad)
		if last != bad-1 {
			t.Errorf("%v: the loop ends after byte %d, want %d", mode, last, bad-1)
		}
		check("load", fault(t, func() { sink = b[6*page+7] }), 6*page+7)
		if mode != mmap.ReadOnly {
			check("store", fault(t, func() { b[7*page+9] = 1 }), 7*page+9)
		}
		// The pages before the bad byte are intact.
		if !bytes.Equal(b[:bad], want[:bad]) {
			t.Errorf("%v: wrong bytes before the bad ones", mode)
		}
	}
}

// TestServerGone tests a mapping whose file system is gone, as after a network failure. Access to bytes that have not
// been read before must cause a FaultError.
func TestServerGone(t *testing.T) {
	needAddresses(t)
	path, end := faultfs.Mount(t, pages(8), faultfs.Faults{ReadFrom: -1})
	b := open(t, path, mmap.ReadOnly).Bytes()
	if b[5] != pages(1)[5] {
		t.Errorf("byte 5 is %d, want %d", b[5], pages(1)[5])
	}
	end()
	if fe := fault(t, func() { sink = b[3*page+5] }); fe.Path != path || fe.Offset != faultOffset(3*page+5) ||
		!errors.Is(fe,
			mmap.ErrUnavailable) {
		t.Errorf("%#v", fe)
	}
	_, err := mmap.Open(path, mmap.ReadOnly)
	checkError(t, err, path, "open DIR/t.npy: transport endpoint is not connected", unix.ENOTCONN)
}

// TestWriteFails tests that Sync reports write errors of the disk. A program that does not call
// Sync never learns of them.
func TestWriteFails(t *testing.T) {
	for name, what := range map[string]faultfs.Faults{
		"write": {ReadFrom: -1, Write: true},
		"fsync": {ReadFrom: -1, Fsync: true},
	} {
		t.Run(name, func(t *testing.T) {
			path, _ := faultfs.Mount(t, pages(8), what)
			for op, sync := range map[string]func(*mmap.Map) error{
				"Sync":      (*mmap.Map).Sync,
				"SyncRange": func(m *mmap.Map) error { return m.SyncRange(2*page, 10) },
			} {
				m, err := mmap.Open(path, mmap.ReadWrite)
				if err != nil {
					t.Fatal(err)
				}
				m.Bytes()[2*page+5] = 'x'
				err = sync(m)
				checkError(t, err, path, "sync DIR/t.npy: input/output error", unix.EIO)
				if pe := (*fs.PathError)(nil); !errors.As(err, &pe) || pe.Path != path {
					t.Errorf("%s: %#v", op, err)
				}
				// Sync has returned the error; the system may report it again when the descriptor is closed.
				if err := m.Close(); err != nil && !errors.Is(err, unix.EIO) {
					t.Errorf("Close after %s: %v", op, err)
				}
			}
		})
	}

	path, _ := faultfs.Mount(t, pages(8), faultfs.Faults{ReadFrom: -1})
	m := open(t, path, mmap.ReadWrite)
	m.Bytes()[2*page+5] = 'x'
	if err := m.Sync(); err != nil {
		t.Errorf("on a disk without errors: %v", err)
	}
	if got := readFile(t, path); got[2*page+5] != 'x' {
		t.Error("synced bytes are not in the file")
	}
}
