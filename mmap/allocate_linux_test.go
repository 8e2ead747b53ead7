package mmap

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAllocateInterrupted tests allocate when signals interrupt its system calls. It must then ask for half as much,
// down to 1 MiB, and go on until it has asked for exactly the whole range.
func TestAllocateInterrupted(t *testing.T) {
	const m = 1 << 20
	type span struct{ off, n int64 }
	always := func(int64) bool { return true }
	for _, tt := range []struct {
		name     string
		from, to int64
		eintr    func(n int64) bool // whether a call for n bytes is interrupted
		times    int                // maximum number of interruptions
		want     []span             // the calls that succeed
		calls    int
	}{
		{"never", 5, 7*m + 5, always, 0, []span{{5, 7 * m}}, 1},
		{"once", 5, 8*m + 5, always, 1, []span{{5, 4 * m}, {4*m + 5, 4 * m}}, 3},
		{"the last one shorter", 5, 7*m + 6, always, 2, []span{{5, 7 * m / 4}, {7*m/4 + 5, 7 * m / 4}, {7*m/2 + 5, 7 * m / 4},
			{21*m/4 + 5, 7 * m / 4}, {7*m + 5, 1}}, 7},
		{"1 MiB at least", 0, 3 * m, always, 9, []span{{0, m}, {m, m}, {2 * m, m}}, 12},
		{"less than 1 MiB", 7, 100, always, 9, []span{{7, 93}}, 10},
		{"more than 1 MiB", 0, 4*m + 1, func(n int64) bool { return n > m }, 99, []span{{0, m}, {m, m}, {2 * m, m}, {3 * m,
			m}, {4 * m, 1}}, 7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []span
			calls := 0
			err := allocateWith(t, tt.from, tt.to, func(_ int, mode uint32, off, n int64) error {
				if calls++; calls > 100 {
					return unix.EDEADLK // allocate does not end
				}
				if mode != 0 {
					t.Errorf("%s: mode %d, want 0", tt.name, mode)
				}
				if calls <= tt.times && tt.eintr(n) {
					return unix.EINTR
				}
				got = append(got, span{off, n})
				return nil
			})
			if err != nil || !slices.Equal(got, tt.want) || calls != tt.calls {
				t.Errorf("%s:\n got %v in %d calls, %v\nwant %v in %d", tt.name, got, calls, err, tt.want, tt.calls)
			}
		})
	}

	// Other errors end allocate, also after a signal.
	for _, want := range []error{unix.ENOSPC, unix.EOPNOTSUPP} {
		calls := 0
		err := allocateWith(t, 0, 2*m, func(int, uint32, int64, int64) error {
			if calls++; calls == 1 {
				return unix.EINTR
			}
			return want
		})
		if err != want || calls != 2 {
			t.Errorf("got %v after %d calls, want %v after 2", err, calls, want)
		}
	}
}

// TestCreateInterrupted tests that a new file has exactly the requested length, also after Grow, if signals interrupt
// the reservation of its space.
func TestCreateInterrupted(t *testing.T) {
	const size = 3<<20 + 5
	system, calls := fallocate, 0
	defer func() { fallocate = system }()
	fallocate = func(fd int, mode uint32, off, n int64) error {
		if calls++; calls%2 == 1 {
			return unix.EINTR
		}
		return system(fd, mode, off, n)
	}
	path := filepath.Join(t.TempDir(), "t.npy")
	m, err := Create(path, size)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if fi, err := os.Stat(path); err != nil || fi.Size() != size || m.Len() != size {
		t.Errorf("the file has %d bytes, the mapping %d, want %d", fi.Size(), m.Len(), size)
	}
	if calls < 2 {
		t.Errorf("%d calls of fallocate, want some that were interrupted", calls)
	}
	calls = 0
	if err := m.Grow(size + 1); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(path); err != nil || fi.Size() != 2*size+1 || m.Len() != 2*size+1 {
		t.Errorf("after Grow the file has %d bytes, the mapping %d, want %d", fi.Size(), m.Len(), 2*size+1)
	}
}

// TestCreateRemovesItsOwn checks that a failed Create removes its own file, but not a file that another process has
// put at its path.
func TestCreateRemovesItsOwn(t *testing.T) {
	system := fallocate
	defer func() { fallocate = system }()
	for _, tt := range []struct {
		name  string
		do    func(path string) error
		there string // content of the file at path after the test
		want  string
	}{
		{"nothing happens", func(string) error { return nil }, "", ""},
		{"removed", os.Remove, "", ""},
		{"moved", func(path string) error { return os.Rename(path, path+".moved") }, "", ""},
		{"replaced", func(path string) error {
			return errors.Join(os.WriteFile(path+".other", []byte("other"), 0o666), os.Rename(path+".other", path))
		}, "other", "; the incomplete file was not removed: another process replaced it"},
		{"moved, and a link to it", func(path string) error {
			return errors.Join(os.Rename(path, path+".moved"), os.Symlink(path+".moved", path))
		}, "", "; the incomplete file was not removed: another process replaced it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "t.npy")
			fallocate = func(int, uint32, int64, int64) error { return errors.Join(tt.do(path), unix.ENOSPC) }
			_, err := Create(path, 100)
			if want := "create " + path + ": no space left on device" + tt.want; err == nil || err.Error() != want {
				t.Errorf("%s: %v, want %s", tt.name, err, want)
			}
			b, err := os.ReadFile(path)
			if gone := tt.want == ""; gone != errors.Is(err, fs.ErrNotExist) || string(b) != tt.there {
				t.Errorf("%s: the file has %q, %v", tt.name, b, err)
			}
		})
	}
}

// allocateWith calls allocate with another fallocate.
func allocateWith(t *testing.T, from, to int64, call func(fd int, mode uint32, off, n int64) error) error {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	system := fallocate
	defer func() { fallocate = system }()
	fallocate = call
	err = allocate(f, from, to)
	if errors.Is(err, unix.EDEADLK) {
		t.Fatal("allocate does not end")
	}
	return err
}
