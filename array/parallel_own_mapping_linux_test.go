package array

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/mmap"
)

// TestOwnMapping tests faults in memory that was mapped by the caller instead of this module. The caller asks for
// panics with debug.SetPanicOnFault. A fault in a goroutine of the library must therefore reach the caller as a
// panic, also through Guard.
func TestOwnMapping(t *testing.T) {
	oracle.OneGoroutine(t)
	if isEmulated() {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	const n = 8 << 20 // 64 MiB, enough for several goroutines
	file := must(os.Create(tempPath(t)))
	defer file.Close()
	if err := file.Truncate(8 * n); err != nil {
		t.Fatal(err)
	}
	mem := must(unix.Mmap(int(file.Fd()), 0, 8*n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED))
	defer unix.Munmap(mem)
	f := must(FromPointer(strided.Start(mem), dtype.Float64, must(index.NewLayout([]int{n}, 8, index.C)), nil))
	defer f.Close()
	v := must(As[float64](f.Array))
	other := must(As[float64](must(New(dtype.Float64, index.C, n)).Array))
	narrow := must(As[float32](must(New(dtype.Float32, index.C, n)).Array))
	if err := file.Truncate(4096); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		run  func() error
	}{
		{"Sum", func() error { Sum[float64](v); return nil }},
		{"Min", func() error { Min(v); return nil }},
		{"Fill", func() error { v.Fill(1); return nil }},
		{"Copy from", func() error { return Copy(other.Array(), f.Array) }},
		{"Copy to", func() error { return Copy(f.Array, other.Array()) }},
		{"convert", func() error { return Copy(narrow.Array(), f.Array) }},
		{"AppendRows", func() error {
			rows := make([]int, n)
			for i := range rows {
				rows[i] = i
			}
			must(v.AppendRows(nil, rows))
			return nil
		}},
		{"Save", func() error { return Save(tempPath(t), f.Array) }},
		{"Save as another dtype", func() error { return Convert(tempPath(t), f.Array, dtype.Float32, index.C) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, guard := range []bool{false, true} {
				var got any
				func() {
					defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
					defer func() { got = recover() }()
					if guard {
						got = mmap.Guard(tt.run)
					} else {
						got = tt.run()
					}
				}()
				fault, ok := got.(interface {
					runtime.Error
					Addr() uintptr
				})
				if base := strided.Address(strided.Start(mem)); !ok || fault.Addr()-base >= 8*n {
					t.Errorf("%s, guarded %v: %v, want a panic with an address in the memory", tt.name, guard, got)
				}
			}
		})
	}
}
