package array

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// TestTruncated tests that Guard returns an error with the path and the offset for every kind of access to a file that
// another process has truncated.
func TestTruncated(t *testing.T) {
	path := tempPath(t)
	const n = 1 << 16
	f := must(Create(path, dtype.Float64, index.C, n))
	defer f.Close()
	v := must(As[float64](f.Array))
	data := must(v.Data())
	vec := must(v.Vector())
	truncate(t, path, 4096)
	if isEmulated() {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	at := func(i int) int64 { return f.DataOffset() + int64(8*i) }
	for _, tt := range []struct {
		name   string
		offset int64
		run    func()
	}{
		{"At", at(5000), func() { v.At(5000) }},
		{"SetAt", at(5000), func() { v.SetAt(1, 5000) }},
		{"Vector", at(6000), func() { sink = vec.At(6000) }},
		{"Data", at(7000), func() { sink = data[7000] }},
		{"copy", -1, func() { copy(make([]float64, n), data) }},
		{"Values", 4096, func() {
			for x := range v.Values() {
				sink += x
			}
		}},
		{"CopyFrom", -1, func() { must(v.Clone(index.C)) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := mmap.Guard(func() error { tt.run(); return nil })
			var fault *mmap.FaultError
			if !errors.As(err, &fault) || fault.Path != path {
				t.Errorf("%s: %v, want a fault in %s", tt.name, err, path)
				return
			}
			page := int64(os.Getpagesize())
			if tt.offset >= 0 && fault.Offset/page != tt.offset/page || fault.Offset < 4096 {
				t.Errorf("%s: fault at byte %d, want %d", tt.name, fault.Offset, tt.offset)
			}
		})
	}
}

// TestUseAfterClose tests that using a view after Close faults, and does not read a newer mapping at the same address.
func TestUseAfterClose(t *testing.T) {
	f := must(New(dtype.Float64, index.C, 1000))
	v := must(As[float64](f.Array))
	f.Close()
	g := must(New(dtype.Float64, index.C, 1000))
	defer g.Close()
	if isEmulated() {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	err := mmap.Guard(func() error { sink = v.At(0); return nil })
	if !errors.Is(err, fs.ErrClosed) {
		t.Errorf("%v, want fs.ErrClosed", err)
	}
}

// TestGuardNil tests that Guard returns only faults in mappings as errors: a nil dereference still panics.
func TestGuardNil(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a nil dereference did not panic")
		}
	}()
	mmap.Guard(func() error {
		var p *float64
		sink = *p
		return nil
	})
}
