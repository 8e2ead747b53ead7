package array

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// A signedRow holds the number of its writer, its number among the rows of that writer, and a checksum.
type signedRow [4]int64

func newSignedRow(writer, k int) signedRow {
	x := int64(uint64(writer+1)*0x9E3779B97F4A7C15 ^ uint64(k+1)*0xBF58476D1CE4E5B9)
	return signedRow{int64(writer), int64(k), x, ^x}
}

func (r signedRow) valid() bool { return r == newSignedRow(int(r[0]), int(r[1])) }

// init runs writeRows if this process is a child of TestManyWriters.
func init() {
	var path string
	var writer, rows int
	if n, _ := fmt.Sscanf(os.Getenv("NDMAP_TEST_CHILD"), "write %q %d %d", &path, &writer, &rows); n == 3 {
		if err := writeRows(path, writer, rows); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// writeRows appends up to 3 rows at a time, and prints the number of acknowledged rows after each step.
func writeRows(path string, writer, rows int) error {
	lockWait = 2 * time.Minute
	f, err := OpenOrCreate(path, dtype.Int64, index.C, 0, 4)
	if err != nil {
		return err
	}
	defer f.Close()
	a, err := NewAppender[int64](f)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(uint64(writer), 0))
	for k := 0; k < rows; {
		n := min(1+r.IntN(3), rows-k)
		var b []int64
		for i := range n {
			x := newSignedRow(writer, k+i)
			b = append(b, x[:]...)
		}
		if r.IntN(4) == 0 {
			err = errors.Join(a.Append(b...), a.Flush())
		} else {
			err = f.Append(must(FromSlice(b, n, 4)).Array())
		}
		if err != nil {
			return err
		}
		k += n
		fmt.Println("acknowledged", k)
		if r.IntN(16) == 0 {
			time.Sleep(time.Millisecond) // lets other writers in, even if no write waits for a disk
		}
	}
	return nil
}

// runWriter starts a child process that runs writeRows, and returns the number of rows that the child acknowledged. If
// kill is not 0, runWriter kills the child that long after its first acknowledgement.
func runWriter(path string, writer, rows int, kill time.Duration) (acknowledged int, err error) {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), fmt.Sprintf("NDMAP_TEST_CHILD=write %q %d %d", path, writer, rows))
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := child.Start(); err != nil {
		return 0, err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if n, _ := fmt.Sscanf(lines.Text(), "acknowledged %d", &acknowledged); n != 1 {
			err = errors.Join(err, fmt.Errorf("writer %d: %s", writer, lines.Text()))
		}
		if kill > 0 {
			time.AfterFunc(kill, func() { child.Process.Kill() })
			kill = 0
		}
	}
	if e := child.Wait(); e != nil && kill == 0 && err == nil && acknowledged == rows {
		err = e
	}
	return acknowledged, err
}

// TestManyWriters tests that several processes can append to one file, which the first of them creates. Meanwhile Open,
// Refresh and NumPy read the file, and another writer is killed repeatedly. No Open may fail, and no reader may see
// half a row. At the end, the file must contain every acknowledged row once, and the rows of each writer in order.
//
// NDMAP_WRITERS sets the number of writers, and NDMAP_ROWS the number of rows of each. `make long-writers` runs 8
// writers of 500 rows, on a disk and in memory.
func TestManyWriters(t *testing.T) {
	oracle.Slow(t) // under Wine, two opens failed with sharing violations while writers were killed
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("this program is being emulated, and cannot start itself")
	}
	writers, rows := oracle.EnvInt(t, "NDMAP_WRITERS", 4), oracle.EnvInt(t, "NDMAP_ROWS", 50)
	folders := map[string]string{"memory": t.TempDir()}
	if os.Getenv("NDMAP_ROWS") != "" {
		folders["disk"] = diskFolder(t)
	}
	for name, dir := range folders {
		t.Run(name, func(t *testing.T) { testManyWriters(t, filepath.Join(dir, "t.npy"), writers, rows) })
	}
}

func testManyWriters(t *testing.T, path string, writers, rows int) {
	random := oracle.Rand(t, 0)
	var python *oracle.Proc
	if _, _, ok := oracle.Python(); ok {
		python = oracle.Start(t)
	}
	var finished atomic.Bool
	var reading, writing sync.WaitGroup
	fail := func(format string, args ...any) {
		t.Errorf(format, args...)
		finished.Store(true)
	}
	// all and killed contain the numbers of rows that the writers and the killed writers have acknowledged.
	all, killed := make([]int, writers), []int(nil)
	for k := range writers {
		writing.Go(func() {
			n, err := runWriter(path, k, rows, 0)
			if all[k] = n; err != nil || n != rows {
				fail("writer %d: %d rows, %v", k, n, err)
			}
		})
	}
	reading.Go(func() {
		for !finished.Load() {
			n, err := runWriter(path, writers+len(killed), 1<<30, 1+time.Duration(random.Int64N(int64(20*time.Millisecond))))
			if errors.Is(err, syscall.ENOEXEC) {
				return
			}
			if err != nil {
				fail("the writer to be killed: %v", err)
			}
			killed = append(killed, n)
		}
	})

	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			break
		}
	}

	// check verifies the rows starting at from.
	check := func(a Array, from int) error {
		v, err := As[int64](a)
		if err != nil {
			return err
		}
		m, err := v.Matrix()
		if err != nil {
			return err
		}
		if v.Len(0) < from {
			return fmt.Errorf("%d rows, want at least %d", v.Len(0), from)
		}
		for i := from; i < v.Len(0); i++ {
			row, _ := m.Row(i)
			if r := signedRow(row); !r.valid() {
				return fmt.Errorf("row %d of %d is %v", i, v.Len(0), r)
			}
		}
		return nil
	}
	opens, refreshes, loads := 0, 0, 0
	reading.Go(func() {
		for seen := 0; !finished.Load(); opens++ {
			f, err := Open(path, mmap.ReadOnly)
			if err == nil {
				err = check(f.Array, seen)
				seen = f.Len(0)
				f.Close()
			}
			if err != nil {
				fail("Open: %v", err)
			}
			time.Sleep(time.Millisecond / 4)
		}
	})
	reading.Go(func() {
		f, err := Open(path, mmap.ReadOnly)
		if err != nil {
			fail("Open: %v", err)
			return
		}
		defer f.Close()
		first := f.Array
		for ; !finished.Load(); refreshes++ {
			seen := f.Len(0)
			grew, err := f.Refresh()
			if err == nil && grew != (f.Len(0) > seen) {
				err = fmt.Errorf("Refresh returns %v, from %d to %d rows", grew, seen, f.Len(0))
			}
			if err == nil {
				err = check(f.Array, seen)
			}
			if err == nil && seen == 0 && grew {
				first = f.Array
			}
			if err == nil {
				err = check(first, 0)
			}
			if err != nil {
				fail("Refresh: %v", err)
			}
			time.Sleep(time.Millisecond / 4)
		}
	})
	if python != nil {
		reading.Go(func() {
			for seen := 0; !finished.Load(); loads++ {
				var got [2]int
				err := python.Run("a = np.load(x[0], mmap_mode='r')\nb = a[x[1]:]\nout = [len(a), int((b[:, 2] ^ b[:, 3] != -1).sum())]", []any{path, seen}, &got)
				if err != nil || got[0] < seen || got[1] != 0 {
					fail("NumPy: %d rows, want at least %d; %d are damaged; %v", got[0], seen, got[1], err)
				}
				seen = got[0]
			}
		})
	}
	start := time.Now()
	writing.Wait()
	took := time.Since(start)
	finished.Store(true)
	reading.Wait()

	f := must(Open(path, mmap.ReadOnly))
	defer f.Close()
	m := must(must(As[int64](f.Array)).Matrix())
	all = append(all, killed...)
	next := make([]int, len(all))
	for i := range f.Len(0) {
		row, _ := m.Row(i)
		r := signedRow(row)
		k := int(r[0])
		if !r.valid() || k < 0 || k >= len(next) || int(r[1]) != next[k] {
			t.Fatalf("row %d is %v; want row %d of writer %d", i, r, next[min(max(k, 0), len(next)-1)], k)
		}
		next[k]++
	}
	for k, n := range all {
		// A killed writer may have appended up to 3 rows without acknowledging them, or this process may not have read
		// the acknowledgement.
		if next[k] < n || k < writers && next[k] != n {
			t.Errorf("writer %d: the file has %d rows, want the %d that were acknowledged", k, next[k], n)
		}
	}
	t.Logf("%d rows of %d writers in %v, %d kills; %d opens, %d refreshes, %d loads in NumPy", f.Len(0), writers,
		took.Round(time.Millisecond), len(killed), opens, refreshes, loads)
	if python == nil {
		t.Log("no NumPy: the file was read by Go only")
	}
}

// init runs appendForever if this process is a child of TestOpenWhileAppending.
func init() {
	var path string
	if n, _ := fmt.Sscanf(os.Getenv("NDMAP_TEST_CHILD"), "append for ever %q", &path); n == 1 {
		fmt.Println(appendForever(path))
		os.Exit(1)
	}
}

// appendForever appends rows until the array has 40 MB, replaces the file by a short one, and starts again. It returns
// only if there is an error.
func appendForever(path string) error {
	cfg := OpenConfig{Mode: mmap.ReadWrite, Lock: true}
	f, err := cfg.Open(path)
	if err != nil {
		return err
	}
	rows := must(New(f.DType(), index.C, 100, 4)).Array
	for fmt.Println("ready"); err == nil; {
		if err = f.Append(rows); err == nil && f.NBytes() > 40e6 {
			err = errors.Join(f.Close(), Save(path, rows))
			if err == nil {
				f, err = cfg.Open(path)
			}
		}
	}
	return err
}

// TestOpenWhileAppending opens a file while another process appends to it. It tests a header that fits into the first
// read of Open, and one that does not. No Open may fail, or see fewer rows than the previous Open unless the path names
// a new file. NDMAP_OPENS sets the number of opens; `make long-opens` runs a million for each header.
func TestOpenWhileAppending(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("this program is being emulated, and cannot start itself")
	}
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not map a file while another process extends it")
	}
	opens := oracle.EnvInt(t, "NDMAP_OPENS", 3_000)
	folders := map[string]string{"memory": t.TempDir()}
	if os.Getenv("NDMAP_OPENS") != "" {
		folders["disk"] = diskFolder(t)
	}
	for name, dir := range folders {
		for header, d := range map[string]string{
			"short": "<i8",
			"long":  "[('a', '<i8'), ('" + strings.Repeat("b", 300) + "', '<i8', (3,))]",
		} {
			t.Run(name+", "+header, func(t *testing.T) {
				path := filepath.Join(dir, header+".npy")
				must(Create(path, dtype.MustParse(d), index.C, 1, 4)).Close()
				child := exec.Command(os.Args[0])
				child.Env = append(os.Environ(), fmt.Sprintf("NDMAP_TEST_CHILD=append for ever %q", path))
				out := must(child.StdoutPipe())
				if err := child.Start(); err != nil {
					t.Skipf("no other process: %v", err)
				}
				lines := bufio.NewReader(out)
				if line, err := lines.ReadString('\n'); line != "ready\n" {
					t.Fatal(line, err)
				}
				failed, seen, longer := 0, 0, 0
				var last fs.FileInfo
				for range opens {
					before := must(os.Stat(path))
					f, err := Open(path, mmap.ReadOnly)
					if err != nil {
						if failed++; failed < 4 {
							t.Error(err)
						}
						continue
					}
					n := f.Len(0)
					f.Close()
					if !os.SameFile(before, must(os.Stat(path))) {
						seen = 0 // f may be the old file or the new one
					} else if last == nil || !os.SameFile(last, before) {
						seen = n
					} else if n < seen {
						t.Errorf("%d rows after %d", n, seen)
					} else if n > seen {
						longer++
						seen = n
					}
					last = before
				}
				child.Process.Kill()
				if line, _ := lines.ReadString('\n'); line != "" {
					t.Errorf("the other process printed %s", line)
				}
				child.Wait()
				t.Logf("%d of %d opens failed; %d saw more rows than the one before", failed, opens, longer)
				if longer == 0 {
					t.Error("nothing was appended")
				}
			})
		}
	}
}
