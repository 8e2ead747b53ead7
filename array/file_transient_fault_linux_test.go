package array

import (
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestTransientFault tests a page that cannot be read for a moment, as when a network file system recovers. An
// operation must not end without an error and with wrong elements. In particular, it must not process elements again
// that it has already changed. An in-place swap once did so, because it repeated one of its parts in the caller's
// goroutine.
func TestTransientFault(t *testing.T) {
	if isEmulated() {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	const n = 3 << 19 // 12 MiB: several goroutines
	big := dtype.Int64.WithByteOrder(dtype.BigEndian)
	if dtype.Native == dtype.BigEndian {
		big = dtype.Int64.WithByteOrder(dtype.LittleEndian)
	}
	f := must(Create(tempPath(t), dtype.Int64, index.C, n))
	defer f.Close()
	v := must(As[int64](f.Array))
	other := must(As[int64](must(New(dtype.Int64, index.C, n)).Array))
	narrow := must(As[int32](must(New(dtype.Int32, index.C, n)).Array))
	swapped := must(As[int64](must(f.Reinterpret(big))))
	floats := must(As[float64](must(f.Reinterpret(dtype.Float64))))
	fill := func(first int64) {
		k := first
		for b := range v.Update(index.C) {
			for i := range b {
				b[i] = k
				k++
			}
		}
	}
	for b := range other.Update(index.C) {
		for i := range b {
			b[i] = 7
		}
	}
	works := []struct {
		name  string
		run   func() error
		wrong func() bool
	}{
		{"copy to the file", func() error { return v.CopyFrom(other) }, func() bool {
			return !holds(v,
				func(i int) int64 { return 7 })
		}},
		{"copy from the file", func() error { return other.CopyFrom(v) }, func() bool {
			return !holds(other,
				func(i int) int64 { return int64(i) })
		}},
		{"swap in place", func() error { return Copy(swapped.Array(), v.Array()) }, func() bool {
			return !holds(swapped,
				func(i int) int64 { return int64(i) })
		}},
		{"convert in place", func() error { return Copy(floats.Array(), v.Array()) }, func() bool {
			return !holds(floats,
				func(i int) float64 { return float64(i) })
		}},
		{"convert from the file", func() error { return Copy(narrow.Array(), v.Array()) }, func() bool {
			return !holds(narrow,
				func(i int) int32 { return int32(i) })
		}},
		{"fill", func() error { v.Fill(3); return nil }, func() bool { return !holds(v, func(i int) int64 { return 3 }) }},
		{"update", func() error {
			for b := range swapped.Update(index.C) {
				for i := range b {
					b[i]++
				}
			}
			return nil
		}, func() bool {
			return !holds(v, func(i int) int64 { return swap64(swap64(int64(i)) + 1) })
		}},
		{"sum", func() error {
			if got := Sum[int64](v); got != n*(n-1)/2 {
				return errWrongSum
			}
			return nil
		}, func() bool { return false }},
	}
	r := oracle.Rand(t, 72)
	page := os.Getpagesize()
	faults := 0
	for k := range oracle.Cases(t, 40) {
		w := works[k%len(works)]
		fill(0)
		mem := f.Map().Bytes()
		at := r.IntN(len(mem)/page) * page
		if err := unix.Mprotect(mem[at:at+page], unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		wait.Go(func() {
			time.Sleep(2 * time.Millisecond)
			if err := unix.Mprotect(mem[at:at+page], unix.PROT_READ|unix.PROT_WRITE); err != nil {
				t.Error(err)
			}
		})
		err := mmap.Guard(w.run)
		wait.Wait()
		var fault *mmap.FaultError
		switch {
		case errors.As(err, &fault):
			faults++
			if fault.Path != f.Path() || int(fault.Offset)/page != at/page {
				t.Errorf("case %d, %s: %v, want a fault in the page at %d", k, w.name, err, at)
			}
		case err != nil:
			t.Errorf("case %d, %s: %v", k, w.name, err)
		case w.wrong():
			t.Errorf("case %d, %s, page at %d: no error, but wrong elements", k, w.name, at)
		}
		if w.name == "copy from the file" {
			other.Fill(7)
		}
	}
	t.Logf("%d faults", faults)
}

var errWrongSum = errors.New("the sum is wrong")

func holds[T comparable](v View[T], want func(i int) T) bool {
	i := 0
	for x := range v.Values() {
		if x != want(i) {
			return false
		}
		i++
	}
	return true
}

func swap64(x int64) (y int64) {
	for range 8 {
		y = y<<8 | x&0xFF
		x >>= 8
	}
	return y
}
