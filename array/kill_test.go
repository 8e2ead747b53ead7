package array

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// init runs the process that TestKill kills.
func init() {
	var path string
	var seed uint64
	if n, _ := fmt.Sscanf(os.Getenv("NDMAP_TEST_CHILD"), "kill %q %d", &path, &seed); n == 2 {
		fmt.Println(appendAndEdit(path, rand.New(rand.NewPCG(seed, 0))))
		os.Exit(1)
	}
}

// killBytes is the size of the data, in bytes, above which a file is no longer extended.
const killBytes = 100_000

// stepBytes returns the bytes of one step along the growing axis.
func stepBytes(seed uint64, size int) []byte {
	b := make([]byte, size)
	for i := range b {
		seed = seed*6364136223846793005 + 1442695040888963407
		b[i] = byte(seed >> 56)
	}
	return b
}

// newSteps returns an array of n steps to append to f, and its bytes. The seeds of the steps are consecutive.
func newSteps(f *File, seed uint64, n int) (Array, []byte) {
	shape := f.Shape()
	shape[f.h.Axis()] = 1
	size := f.ItemSize() * product(shape)
	var b []byte
	for k := range n {
		b = append(b, stepBytes(seed+uint64(k), size)...)
	}
	shape[f.h.Axis()] = n
	return must(FromBytes(b, f.DType(), f.Order(), shape...)), b
}

// appendAndEdit changes the file at path until an operation fails. It prints one line before each operation, and "done"
// after it:
//
//	append SEED N    append N steps
//	grow N           append N steps of zeros
//	truncate N       shorten the file to N steps
//	edit SEED I      overwrite step I in the mapped memory
func appendAndEdit(path string, r *rand.Rand) error {
	f, err := Open(path, mmap.ReadWrite)
	if err != nil {
		return err
	}
	// Sometimes pause between two steps, so that kills happen there, too.
	observe = func(string, string, int, int) {
		if r.IntN(8) == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	fmt.Println("ready")
	for err == nil {
		_, one := newSteps(f, 0, 1)
		size := len(one)
		n := f.Len(f.h.Axis())
		k, seed := 1+r.IntN(5), r.Uint64()
		what := r.IntN(10)
		if f.NBytes() > killBytes || n > 0 && what < 3 {
			i := r.IntN(n)
			fmt.Println("edit", seed, i)
			copy(f.m.Bytes()[f.h.DataOffset+i*size:], stepBytes(seed, size))
		} else if what == 3 {
			fmt.Println("grow", k)
			err = f.Grow(k)
		} else if what == 4 && n > 5 {
			n -= r.IntN(4)
			fmt.Println("truncate", n)
			err = f.Truncate(n)
		} else if a, b := newSteps(f, seed, k); what < 6 && f.ItemSize() == 1 {
			// An Appender takes the steps one by one.
			fmt.Println("append", seed, k)
			var w *Appender[uint8]
			if w, err = NewAppender[uint8](f); err == nil {
				for _, x := range slices.Collect(slices.Chunk(b, size)) {
					w.Append(x...)
				}
				err = w.Close()
			}
		} else {
			fmt.Println("append", seed, k)
			err = f.Append(a)
		}
		fmt.Println("done")
	}
	return err
}

// An expectedFile is a file and its expected contents.
type expectedFile struct {
	path   string
	offset int
	size   int    // bytes of a step
	data   []byte // bytes of all acknowledged steps

	added  []byte // bytes that the operation in progress appends
	at     int    // the step being edited, or -1
	edited []byte
	cut    int // the number of bytes that a Truncate in progress leaves, or -1
}

// update takes a line that the child printed, and reports whether the line acknowledges an operation.
func (v *expectedFile) update(line string) (bool, error) {
	var seed uint64
	var n int
	switch verb, rest, _ := strings.Cut(line, " "); verb {
	case "append":
		if _, err := fmt.Sscan(rest, &seed, &n); err != nil {
			return false, err
		}
		for k := range n {
			v.added = append(v.added, stepBytes(seed+uint64(k), v.size)...)
		}
	case "grow":
		if _, err := fmt.Sscan(rest, &n); err != nil {
			return false, err
		}
		v.added = make([]byte, n*v.size)
	case "truncate":
		if _, err := fmt.Sscan(rest, &n); err != nil {
			return false, err
		}
		v.cut = n * v.size
	case "edit":
		if _, err := fmt.Sscan(rest, &seed, &v.at); err != nil {
			return false, err
		}
		v.edited = stepBytes(seed, v.size)
	case "done":
		v.data = append(v.data, v.added...)
		if v.at >= 0 {
			copy(v.data[v.at*v.size:], v.edited)
		}
		if v.cut >= 0 {
			v.data = v.data[:v.cut]
		}
		v.added, v.at, v.cut = nil, -1, -1
		return true, nil
	case "ready":
	default:
		return false, errors.New(line)
	}
	return false, nil
}

// check compares data, which was read from the file, with the expected data. An operation in progress may have taken
// effect or not; an edit may also have taken effect in part.
func (v *expectedFile) check(data []byte) (longer bool, err error) {
	want := v.data
	if len(data) == v.cut {
		want = v.data[:v.cut]
	} else if len(data) != len(want) {
		want = append(slices.Clone(want), v.added...)
		longer = true
	}
	if len(data) != len(want) {
		return longer, fmt.Errorf("%d bytes of data, want %d or %d", len(data), len(v.data), len(v.data)+len(v.added))
	}
	for i, c := range data {
		if c == want[i] {
			continue
		}
		if lo := v.at * v.size; v.at < 0 || i < lo || i >= lo+v.size || c != v.edited[i-lo] {
			return longer, fmt.Errorf("byte %d of the data, in step %d of %d, is %#x, want %#x", i, i/v.size, len(data)/v.size,
				c, want[i])
		}
	}
	return longer, nil
}

// newExpectedFile creates a file of one of several kinds, whose length along the growing axis is about to gain a digit.
func newExpectedFile(t *testing.T, dir string, k int) *expectedFile {
	t.Helper()
	kinds := []struct {
		d     string
		order index.Order
		shape []int // {7, 1} is a column, written in C order with F order in its header
	}{
		{"|u1", index.C, []int{0, 7}},
		{"<f8", index.C, []int{7}},
		{longHeaderDType(t, index.C, []int{99}, []int{100}), index.C, []int{90}},
		{">i2", index.F, []int{3, 95}},
		{"|u1", index.F, []int{100, 95}},
		{longHeaderDType(t, index.F, []int{2, 9}, []int{2, 10}), index.F, []int{2, 3}},
		{"<f4", index.C, []int{990, 2, 2}},
		{longHeaderDType(t, index.C, []int{199, 2}, []int{200, 2}), index.C, []int{180, 2}},
		{"|u1", index.F, []int{7, 1}},
	}
	kind := kinds[k%len(kinds)]
	path := filepath.Join(dir, strconv.Itoa(k)+".npy")
	f := must(Create(path, dtype.MustParse(kind.d), kind.order, kind.shape...))
	defer f.Close()
	_, one := newSteps(f, 0, 1)
	data := f.m.Bytes()[f.DataOffset():]
	copy(data, stepBytes(uint64(k), len(data)))
	if f.Order() != kind.order {
		changeToFortranOrder(t, path)
	}
	return &expectedFile{path: path, offset: f.h.DataOffset, size: len(one), data: slices.Clone(data), at: -1, cut: -1}
}

// TestKill repeatedly kills a process that appends to a file, shortens it and edits it, at random moments. After each
// kill, ndmap and NumPy must be able to open the file. It must contain all operations that the process acknowledged,
// and may contain the operation in progress.
//
// NDMAP_KILLS sets the number of kills; `make long-kill` uses 500. NDMAP_SEED repeats the operations and the moments of
// the kills of an earlier run, as far as the timing of processes allows.
func TestKill(t *testing.T) {
	oracle.OneGoroutine(t)
	r := oracle.Rand(t, 0)
	kills := oracle.EnvInt(t, "NDMAP_KILLS", 25)
	dirs := []string{diskFolder(t)}
	// In memory a sync takes no time, so that more kills happen between the writes of the header.
	if dir, err := oracle.TempIn(t, "/dev/shm"); err == nil {
		dirs = append(dirs, dir)
	}
	var python *oracle.Proc
	if _, _, ok := oracle.Python(); ok || os.Getenv("NDMAP_NUMPY") == "require" {
		python = oracle.Start(t)
	}

	var v *expectedFile
	acks, interrupted, arrayLonger, fileLonger := 0, 0, 0, 0
	for k := range kills {
		if v == nil || len(v.data) > killBytes || k%6 == 0 {
			v = newExpectedFile(t, dirs[(k/3)%len(dirs)], k/3)
		}
		lines, err := oracle.Kill(t, fmt.Sprintf("kill %q %d", v.path, r.Uint64()),
			time.Duration(r.Int64N(int64(15*time.Millisecond))))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			ack, err := v.update(line)
			if err != nil {
				t.Fatalf("kill %d: the process said: %v", k, err)
			}
			if ack {
				acks++
			}
		}
		f, err := Open(v.path, mmap.ReadOnly)
		if err != nil {
			t.Fatalf("kill %d: %v", k, err)
		}
		data := slices.Clone(f.m.Bytes()[f.h.DataOffset : f.h.DataOffset+f.NBytes()])
		shape, fileLen := f.Shape(), f.m.Len()
		f.Close()
		more, err := v.check(data)
		if err != nil {
			t.Fatalf("kill %d, shape %v: %v", k, shape, err)
		}
		if v.added != nil || v.at >= 0 || v.cut >= 0 {
			interrupted++
		}
		if more {
			arrayLonger++
		}
		if fileLen > f.h.DataOffset+len(data) {
			fileLonger++
		}
		if python != nil {
			checkInNumPy(t, python, v.path, shape, data)
		}
		v.data, v.added, v.at, v.cut = data, nil, -1, -1
	}
	t.Logf("%d kills, %d acknowledgements; %d kills during an operation; the array was longer after %d of them, the file after %d",
		kills, acks, interrupted, arrayLonger, fileLonger)
	if kills > 0 && acks == 0 {
		t.Error("no process acknowledged an operation")
	}
	if python == nil {
		t.Skip("no NumPy: not tested that NumPy reads the files")
	}
}

// checkInNumPy fails the test unless NumPy reads the same shape and data.
func checkInNumPy(t *testing.T, p *oracle.Proc, path string, shape []int, data []byte) {
	t.Helper()
	var got struct {
		Shape []int
		Data  []byte
	}
	if err := p.Run("a = np.load(x, allow_pickle=False)\nout = {'shape': a.shape, 'data': a.tobytes('A')}", path,
		&got); err != nil {
		t.Fatalf("NumPy: %v", err)
	}
	if !slices.Equal(got.Shape, shape) || !bytes.Equal(got.Data, data) {
		t.Fatalf("NumPy reads shape %v, want %v, or other data", got.Shape, shape)
	}
}
