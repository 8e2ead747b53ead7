package mmap_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// countMappings returns the number of mappings of the process.
func countMappings(t *testing.T) int {
	t.Helper()
	return bytes.Count(readFile(t, "/proc/self/maps"), []byte("\n"))
}

// memorySizes returns the sizes, in bytes, of the address space and of the resident memory of the process.
func memorySizes(t *testing.T) (size, resident int) {
	t.Helper()
	if _, err := fmt.Sscan(string(readFile(t, "/proc/self/statm")), &size, &resident); err != nil {
		t.Fatal(err)
	}
	return size * page, resident * page
}

func countDescriptors(t *testing.T) int {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(fds)
}

func openAndClose(t *testing.T, newMap func() (*mmap.Map, error)) {
	t.Helper()
	m, err := newMap()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestGraveyardRanges tests the limit on the number of reserved ranges. In a program that keeps opening and closing
// files, the numbers of mappings, descriptors and live regions must not grow.
func TestGraveyardRanges(t *testing.T) {
	path := writeFile(t, pages(1))
	modes := []mmap.Mode{mmap.ReadOnly, mmap.ReadWrite, mmap.CopyOnWrite}
	live, fds, maps := mmap.Live(), countDescriptors(t), countMappings(t)
	for i := range 3 * mmap.GraveyardRanges {
		openAndClose(t, func() (*mmap.Map, error) { return mmap.Open(path, modes[i%3]) })
	}
	ranges, size := mmap.Graveyard()
	if ranges != mmap.GraveyardRanges || size > mmap.GraveyardBytes {
		t.Errorf("the graveyard has %d ranges of %d bytes together, want %d ranges", ranges, size, mmap.GraveyardRanges)
	}
	if n := countMappings(t); n > maps+mmap.GraveyardRanges {
		t.Errorf("the process has %d mappings, and had %d: more than the bound", n, maps)
	}
	if n := countDescriptors(t); n != fds {
		t.Errorf("the process has %d descriptors, and had %d", n, fds)
	}
	if n := mmap.Live(); n != live {
		t.Errorf("the registry has %d live regions, and had %d", n, live)
	}
	if !mmap.EmptyGraveyard() || mmap.EmptyGraveyard() {
		t.Error("the graveyard was empty before, or is not empty now")
	}
	if n := countMappings(t); n > maps+50 { // the Go heap uses some
		t.Errorf("with an empty graveyard the process has %d mappings, and had %d", n, maps)
	}
}

// TestGraveyardBytes tests the limit on the addresses that stay reserved, and that a range too large for the graveyard
// does not displace smaller ones.
func TestGraveyardBytes(t *testing.T) {
	mmap.EmptyGraveyard()
	small := func() (*mmap.Map, error) { return mmap.Anonymous(1) }
	openAndClose(t, small)

	path := filepath.Join(t.TempDir(), "t.npy")
	bound := int64(mmap.GraveyardBytes)
	m, err := mmap.Config{Sparse: true}.Create(path, bound+1)
	if err != nil {
		t.Skip(err) // no file of 1 TiB on this file system
	}
	m.Close()
	if ranges, size := mmap.Graveyard(); ranges != 1 || size != uint64(page) {
		t.Errorf("the graveyard has %d ranges of %d bytes together, want 1 of %d", ranges, size, page)
	}

	if err := os.Truncate(path, bound/4); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		openAndClose(t, func() (*mmap.Map, error) { return mmap.Open(path, mmap.CopyOnWrite) })
		ranges, size := mmap.Graveyard()
		wantRanges, wantSize := i+2, uint64(page)+uint64(i+1)*uint64(bound/4)
		if i >= 3 {
			wantRanges, wantSize = 4, uint64(bound) // the small range was released first
		}
		if ranges != wantRanges || size != wantSize {
			t.Errorf("after %d: the graveyard has %d ranges of %d bytes together, want %d of %d", i, ranges, size, wantRanges,
				wantSize)
		}
	}
	mmap.EmptyGraveyard()
}

// TestAnonymousReturned tests that Close returns memory to the system at once, although its addresses stay reserved.
func TestAnonymousReturned(t *testing.T) {
	const size = 48 << 20 // fits the graveyard of 32-bit programs
	m, err := mmap.Anonymous(size)
	if err != nil {
		t.Fatal(err)
	}
	_, before := memorySizes(t)
	for b, i := m.Bytes(), 0; i < size; i += page {
		b[i] = 1
	}
	_, touched := memorySizes(t)
	m.Close()
	_, after := memorySizes(t)
	if ranges, _ := mmap.Graveyard(); ranges == 0 {
		t.Error("the graveyard is empty")
	}
	if touched-before < size*3/4 || touched-after < size*3/4 {
		t.Errorf("resident: %d, touched %d, closed %d", before, touched, after)
	}
}

// TestRecoveredPanics runs many jobs under one Guard. Each job opens a file and panics; a deferred call closes the file
// during the panic, and another one recovers. Neither mappings nor memory may grow with the number of jobs.
func TestRecoveredPanics(t *testing.T) {
	path := writeFile(t, pages(1))
	job := func(newMap func() (*mmap.Map, error)) {
		defer func() { recover() }()
		m, err := newMap()
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		sink = m.Bytes()[0]
		panic("a job that fails")
	}
	file := func() (*mmap.Map, error) { return mmap.Open(path, mmap.ReadOnly) }
	memory := func() (*mmap.Map, error) { return mmap.Anonymous(1) }
	repeat := func(f func()) func(int) error {
		return func(n int) error {
			for range n {
				f()
			}
			return nil
		}
	}
	jobs := repeat(func() { job(file) })
	for _, test := range []struct {
		name  string
		run   func(n int) error
		waits int // maximum number of closed files that are still mapped
	}{
		{"in the job", jobs, 1},
		{"in a Guard of the job", repeat(func() { mmap.Guard(func() error { job(file); return nil }) }), 0},
		{"anonymous memory", repeat(func() { job(memory) }), 0},
		{"in a worker that its own panic started", func(n int) (err error) {
			defer func() { recover(); err = jobs(n) }()
			panic("a worker that fails")
		}, mmap.GraveyardRanges},
		{"anonymous memory in such a worker", func(n int) (err error) {
			defer func() { recover(); err = repeat(func() { job(memory) })(n) }()
			panic("a worker that fails")
		}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			live, maps := mmap.Live(), countMappings(t)
			_, resident := memorySizes(t)
			n := shortOrLong(t, 2000, 200_000)
			if err := mmap.Guard(func() error {
				if err := test.run(n); err != nil {
					return err
				}
				if got := mmap.Live() - live; got > test.waits {
					t.Errorf("%d closed files are mapped, want at most %d", got, test.waits)
				}
				// The graveyard keeps 1024 ranges, and the Go heap uses some mappings.
				if got, most := countMappings(t)-maps, mmap.GraveyardRanges+test.waits+50; got > most {
					t.Errorf("%d jobs made %d mappings, want at most %d", n, got, most)
				}
				_, now := memorySizes(t)
				t.Logf("%d jobs: %d mappings more, %d KiB of memory", n, countMappings(t)-maps, (now-resident)>>10)
				if !oracle.Race && now-resident > 16<<20 {
					t.Errorf("%d jobs took %d KiB of memory", n, (now-resident)>>10)
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
			if got := mmap.Live(); got != live {
				t.Errorf("%d closed files are mapped after Guard", got-live)
			}
		})
	}
}

// TestNoAddresses tests a process with a limit on its address space. Before a mapping fails, a second attempt must
// reuse the addresses of the graveyard. The graveyard may keep at most a sixteenth of the addresses.
func TestNoAddresses(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") == "1" || oracle.Race || strconv.IntSize == 32 {
		t.Skip("needs a limit on addresses that the race detector, QEMU and a 32-bit heap do not leave")
	}
	const mib, gib = 1 << 20, 1 << 30
	if os.Getenv("NDMAP_TEST_CHILD") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestNoAddresses$", "-test.v")
		cmd.Env = append(os.Environ(), "NDMAP_TEST_CHILD=1")
		if out, err := cmd.CombinedOutput(); errors.Is(err, unix.ENOEXEC) {
			t.Skipf("this program is being emulated, and cannot start itself: %v", err)
		} else if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	anonymous := func(size int) func() (*mmap.Map, error) {
		return func() (*mmap.Map, error) { return mmap.Anonymous(size) }
	}
	openAndClose(t, anonymous(gib))
	size, _ := memorySizes(t)
	lim := unix.Rlimit{Cur: uint64(size + 256*mib), Max: unix.RLIM_INFINITY}
	if err := unix.Setrlimit(unix.RLIMIT_AS, &lim); err != nil {
		t.Fatal(err)
	}
	openAndClose(t, anonymous(gib/2)) // fits only into the addresses of the closed mapping
	_, err := mmap.Anonymous(2*gib - 1)
	checkError(t, err, "", "mmap anonymous memory: cannot allocate memory", unix.ENOMEM)

	few := filepath.Join(t.TempDir(), "max_map_count")
	if err := os.WriteFile(few, []byte("2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	defer mmap.SetMaxMapCount(mmap.SetMaxMapCount(few))
	_, err = mmap.Anonymous(2*gib - 1)
	checkTooMany(t, err, 2)

	for range 20 {
		openAndClose(t, anonymous(32*mib))
	}
	if _, size := mmap.Graveyard(); size == 0 || size > lim.Cur/16 {
		t.Errorf("the graveyard has %d of %d addresses, want at most a sixteenth", size, lim.Cur)
	}
}

// checkTooMany checks that err names the limit on mappings, and suggests a larger one.
func checkTooMany(t *testing.T, err error, limit int) {
	t.Helper()
	want := regexp.MustCompile(fmt.Sprintf(`: cannot allocate memory: the process has \d+ mappings, and vm\.max_map_count `+
		`allows %d; close files, or raise the limit with sysctl -w vm\.max_map_count=%d$`, limit, 4*limit))
	if !errors.Is(err, unix.ENOMEM) || !want.MatchString(err.Error()) {
		t.Errorf("%v, want %v", err, want)
	}
}

// TestTooManyMappings opens files until the system refuses another mapping. It runs only with NDMAP_LONG=1, because Go
// ends a program that then needs a mapping for its heap.
func TestTooManyMappings(t *testing.T) {
	limit, err := strconv.Atoi(strings.TrimSpace(string(readFile(t, "/proc/sys/vm/max_map_count"))))
	if err != nil || shortOrLong(t, 0, limit) == 0 || limit > 300_000 {
		t.Skipf("only with NDMAP_LONG=1 and a limit of at most 300,000 mappings: %d, %v", limit, err)
	}
	if os.Getenv("NDMAP_TEST_CHILD") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestTooManyMappings$")
		cmd.Env = append(os.Environ(), "NDMAP_TEST_CHILD=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	path, maps := writeFile(t, pages(1)), []*mmap.Map{}
	for {
		m, err := mmap.Open(path, mmap.ReadOnly)
		if err != nil {
			checkTooMany(t, err, limit)
			break
		}
		maps = append(maps, m)
	}
	t.Logf("%d files are open", len(maps))
	for _, m := range maps {
		m.Close()
	}
	openAndClose(t, func() (*mmap.Map, error) { return mmap.Open(path, mmap.ReadOnly) })
}
