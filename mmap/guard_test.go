//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows

package mmap_test

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// needAddresses skips a test that needs the address of a fault on machines that report a wrong one.
func needAddresses(t *testing.T) {
	t.Helper()
	if wrongAddresses() {
		t.Skip("QEMU's user-mode emulation reports wrong addresses of faults, or none (NDMAP_QEMU=1)")
	}
}

// wrongAddresses reports whether the machine is emulated by a program that reports wrong addresses
// of faults. Of the tested emulations only riscv64 reports the right ones.
func wrongAddresses() bool {
	return os.Getenv("NDMAP_QEMU") == "1" && runtime.GOARCH != "riscv64"
}

// faultOffset returns the offset that a FaultError contains after a fault at byte off. On s390x it is the start of
// the page, and elsewhere off itself.
func faultOffset(off int) int64 {
	if runtime.GOARCH == "s390x" {
		return int64(off &^ (page - 1))
	}
	return int64(off)
}

// fault runs f under Guard and returns its FaultError. If f does not fault, the test fails.
func fault(t *testing.T, f func()) *mmap.FaultError {
	t.Helper()
	err := mmap.Guard(func() error {
		f()
		return errors.New("f met no fault")
	})
	var fe *mmap.FaultError
	if !errors.As(err, &fe) {
		t.Fatalf("Guard returns %v, want a FaultError", err)
	}
	return fe
}

// panicOf returns the value that f panics with, or nil if it does not panic.
func panicOf(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// sink keeps the compiler from removing loads.
var sink byte

// truncatedMap maps a file of 4 pages in the given mode, and truncates the file to one page.
func truncatedMap(t *testing.T, mode mmap.Mode) *mmap.Map {
	m := open(t, writeFile(t, pages(4)), mode)
	truncate(t, m.Path(), int64(page))
	return m
}

// TestGuardTruncated tests access to a mapped file that another process has truncated. A loop over bytes must stop at
// the first truncated byte, and a copy must stop on the first truncated page.
func TestGuardTruncated(t *testing.T) {
	needAddresses(t)
	for _, mode := range []mmap.Mode{mmap.ReadOnly, mmap.ReadWrite, mmap.CopyOnWrite} {
		m := truncatedMap(t, mode)
		b := m.Bytes()
		check := func(op string, fe *mmap.FaultError, lo, hi int64) {
			t.Helper()
			if fe.Offset < lo || fe.Offset > hi {
				t.Errorf("%v, %s: the fault is at byte %d, want %d to %d", mode, op, fe.Offset, lo, hi)
			}
			got := *fe
			got.Offset, got.Addr = 8192, 0
			if diff := cmp.Diff(mmap.FaultError{Path: m.Path(), Offset: 8192, Err: mmap.ErrUnavailable}, got,
				cmpopts.EquateErrors()); diff != "" {
				t.Errorf("%v, %s (-want +got):\n%s", mode, op, diff)
			}
			want := m.Path() + ": page fault at byte 8192: the file was truncated, its disk is full, or its disk or network failed"
			if diff := cmp.Diff(want, got.Error()); diff != "" {
				t.Errorf("%v, %s (-want +got):\n%s", mode, op, diff)
			}
		}
		for _, off := range []int{page, page + 8, 2*page + 1, 4*page - 1} {
			check("load", fault(t, func() { sink = b[off] }), faultOffset(off), faultOffset(off))
			if mode != mmap.ReadOnly {
				check("store", fault(t, func() { b[off] = 1 }), faultOffset(off), faultOffset(off))
			}
		}
		last := -1
		check("loop", fault(t, func() {
			for i, c := range b {
				sink, last = c, i
			}
		}), faultOffset(page), faultOffset(page))
		if last != page-1 {
			t.Errorf("%v: the loop ends after byte %d, want %d", mode, last, page-1)
		}
		buf := make([]byte, len(b))
		check("copy", fault(t, func() { copy(buf, b) }), 0, int64(4*page-1))
		check("copy within a page", fault(t, func() { copy(buf, b[2*page+8:2*page+88]) }), faultOffset(2*page+8),
			faultOffset(2*page+88))
	}
}

// TestGuardExtended tests that a mapping can be used again after its file has regained its length. The restored bytes
// must be zeros.
func TestGuardExtended(t *testing.T) {
	m := truncatedMap(t, mmap.ReadWrite)
	truncate(t, m.Path(), int64(4*page))
	if err := mmap.Guard(func() error {
		if m.Bytes()[page-1] == 0 || m.Bytes()[page] != 0 {
			return errors.New("wrong bytes")
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// TestGuardClosed tests use after Close: of a file, of anonymous memory, and of a slice that starts within the mapping.
func TestGuardClosed(t *testing.T) {
	needAddresses(t)
	path := writeFile(t, pages(4))
	for _, test := range []struct {
		name string
		open func() (*mmap.Map, error)
		want string
	}{
		{"ReadOnly", func() (*mmap.Map, error) { return mmap.Open(path, mmap.ReadOnly) }, path},
		{"ReadWrite", func() (*mmap.Map, error) { return mmap.Open(path, mmap.ReadWrite) }, path},
		{"CopyOnWrite", func() (*mmap.Map, error) { return mmap.Open(path, mmap.CopyOnWrite) }, path},
		{"Anonymous", func() (*mmap.Map, error) { return mmap.Anonymous(4 * page) }, "anonymous memory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, err := test.open()
			if err != nil {
				t.Fatal(err)
			}
			b := m.Bytes()[page:]
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
			// New mappings must not get the addresses of the old one.
			for range 5 {
				open(t, path, mmap.ReadWrite)
			}
			for _, f := range []func(){
				func() { sink = b[page] },
				func() { b[page] = 1 },
			} {
				fe := fault(t, f)
				if fe.Offset != int64(2*page) {
					t.Errorf("the fault is at byte %d, want %d", fe.Offset, 2*page)
				}
				if !errors.Is(fe, fs.ErrClosed) {
					t.Errorf("%v does not wrap fs.ErrClosed", fe)
				}
				fe.Offset = 8192
				if diff := cmp.Diff(test.want+": page fault at byte 8192: the mapping was closed", fe.Error()); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

// TestGuardReadOnly tests the cause in the FaultError for a write to a read-only page of an intact file.
func TestGuardReadOnly(t *testing.T) {
	needAddresses(t)
	m := open(t, writeFile(t, pages(1)), mmap.ReadOnly)
	fe := fault(t, func() { m.Bytes()[5] = 1 })
	if !errors.Is(fe, fs.ErrPermission) {
		t.Errorf("%v does not wrap fs.ErrPermission", fe)
	}
	fe.Offset = 5 // see exact
	want := m.Path() + ": page fault at byte 5: the mapping is read-only, or the file was truncated for a moment"
	if diff := cmp.Diff(want, fe.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestGuardError tests that Guard returns the error of f unchanged, also the error of a system call
// on bad memory, which is not a fault.
func TestGuardError(t *testing.T) {
	own := errors.New("mine")
	if err := mmap.Guard(func() error { return own }); err != own {
		t.Errorf("Guard returns %v, want %v", err, own)
	}
	if err := mmap.Guard(func() error { return nil }); err != nil {
		t.Errorf("Guard returns %v, want nil", err)
	}

	m := truncatedMap(t, mmap.ReadOnly)
	out, err := os.Create(m.Path() + ".copy")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	err = mmap.Guard(func() error {
		_, err := out.Write(m.Bytes()[page : 2*page])
		return err
	})
	checkError(t, err, m.Path(), "write DIR/t.npy.copy: bad address", nil)
	if fe := (*mmap.FaultError)(nil); errors.As(err, &fe) {
		t.Errorf("%v is a FaultError", err)
	}
}

// TestGuardPanics tests that Guard passes on everything except faults in mappings.
func TestGuardPanics(t *testing.T) {
	nilDereference := func() { var p *byte; sink = *p }
	for _, test := range []struct {
		name string
		f    func()
		want string
	}{
		{"error", func() { panic(fs.ErrExist) }, fs.ErrExist.Error()},
		{"nil dereference", nilDereference, "runtime error: invalid memory address or nil pointer dereference"},
		{"index", func() { sink = []byte{}[len(os.Args[:0])] }, "runtime error: index out of range [0] with length 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := panicOf(func() { mmap.Guard(func() error { test.f(); return nil }) })
			err, ok := v.(error)
			if !ok {
				t.Fatalf("panic(%v), want an error", v)
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}

	// The panic continues with the same value, also through nested Guards.
	value := new(int)
	if v := panicOf(func() {
		mmap.Guard(func() error { return mmap.Guard(func() error { panic(value) }) })
	}); v != any(value) {
		t.Errorf("panic(%v), want the value of f", v)
	}

	// The value looks like a fault in a mapping, but does not come from the runtime.
	m := open(t, writeFile(t, pages(1)), mmap.ReadOnly)
	if v := panicOf(func() { mmap.Guard(func() error { panic(fakeFault{}) }) }); v != any(fakeFault{}) {
		t.Errorf("panic(%v), want the value of f", v)
	}
	runtime.KeepAlive(m)
}

type fakeFault struct{}

func (fakeFault) Addr() uintptr { return 1 << 20 }

// TestGuardForeign tests that a fault in memory of another package remains a panic under Guard, and can be recovered.
func TestGuardForeign(t *testing.T) {
	needAddresses(t)
	m, err := mmap.Open(writeFile(t, pages(1)), mmap.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	b := m.Bytes()
	m.Close()
	mmap.EmptyGraveyard() // now nothing is mapped there, and Guard does not know the addresses
	v := panicOf(func() { mmap.Guard(func() error { sink = b[0]; return nil }) })
	if err, ok := v.(runtime.Error); !ok || !strings.Contains(err.Error(), "invalid memory address") {
		t.Errorf("panic(%v), want a runtime.Error", v)
	}
}

// TestGuardNested tests that the inner Guard returns its fault, and that the outer Guard still works afterwards.
func TestGuardNested(t *testing.T) {
	needAddresses(t)
	a, b := open(t, writeFile(t, pages(4)), mmap.ReadOnly), open(t, writeFile(t, pages(4)), mmap.ReadOnly)
	var inner error
	outer := mmap.Guard(func() error {
		inner = mmap.Guard(func() error { a.Bytes()[page] = 1; return nil })
		b.Bytes()[2*page] = 1
		return nil
	})
	for _, test := range []struct {
		err  error
		path string
		off  int
	}{{inner, a.Path(), page}, {outer, b.Path(), 2 * page}} {
		fe, ok := test.err.(*mmap.FaultError)
		if !ok || fe.Path != test.path || fe.Offset != int64(test.off) {
			t.Errorf("got %v, want a fault in %s at byte %d", test.err, test.path, test.off)
		}
	}
}

// TestGuardRestores tests that Guard restores debug.SetPanicOnFault of the goroutine, however f ends.
func TestGuardRestores(t *testing.T) {
	m := open(t, writeFile(t, pages(1)), mmap.ReadOnly)
	for _, before := range []bool{false, true} {
		debug.SetPanicOnFault(before)
		ends := map[string]func() error{
			"return": func() error { return nil },
			"panic":  func() error { panic("x") },
		}
		if !wrongAddresses() {
			ends["fault"] = func() error { m.Bytes()[0] = 1; return nil }
		}
		for name, f := range ends {
			panicOf(func() { mmap.Guard(f) })
			if got := debug.SetPanicOnFault(before); got != before {
				t.Errorf("after %s the setting is %v, want %v", name, got, before)
			}
		}
	}
	debug.SetPanicOnFault(false)
}

// TestGuardGoexit tests that runtime.Goexit, for example from t.FailNow, ends the goroutine and not only f, and that
// deferred calls of f run.
func TestGuardGoexit(t *testing.T) {
	var deferred, after bool
	done := make(chan bool)
	go func() {
		defer close(done)
		mmap.Guard(func() error {
			defer func() { deferred = true }()
			runtime.Goexit()
			return nil
		})
		after = true
	}()
	<-done
	if !deferred || after {
		t.Errorf("deferred = %v, want true; went on after Guard = %v, want false", deferred, after)
	}
}

// TestFaultError tests Unwrap, and the messages for causes that a test cannot produce.
func TestFaultError(t *testing.T) {
	for _, test := range []struct {
		err  mmap.FaultError
		want string
	}{
		{mmap.FaultError{Path: "t.npy", Offset: 8192, Err: mmap.ErrUnavailable},
			"t.npy: page fault at byte 8192: the file was truncated, its disk is full, or its disk or network failed"},
		{mmap.FaultError{Path: "t.npy", Offset: 8192, Err: fs.ErrClosed},
			"t.npy: page fault at byte 8192: the mapping was closed"},
		{mmap.FaultError{Offset: 1 << 40, Err: fs.ErrClosed},
			"anonymous memory: page fault at byte 1099511627776: the mapping was closed"},
		{mmap.FaultError{Err: mmap.ErrUnavailable},
			"anonymous memory: page fault at byte 0: the system has no memory for it, or the memory failed"},
		{mmap.FaultError{}, "anonymous memory: page fault at byte 0: the system has no memory for it, or the memory failed"},
		{mmap.FaultError{Path: "t.npy", Err: errors.New("gone")}, "t.npy: page fault at byte 0: gone"},
	} {
		if diff := cmp.Diff(test.want, test.err.Error()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got := test.err.Unwrap(); got != test.err.Err {
			t.Errorf("Unwrap() = %v, want %v", got, test.err.Err)
		}
	}
	if err := (*mmap.FaultError)(nil).Unwrap(); err != nil {
		t.Errorf("a nil FaultError wraps %v", err)
	}
}

// TestGuardAllocs tests that Guard allocates nothing without a fault.
func TestGuardAllocs(t *testing.T) {
	oracle.CountsAllocations(t)
	m := open(t, writeFile(t, pages(1)), mmap.ReadOnly)
	if n := testing.AllocsPerRun(100, func() {
		mmap.Guard(func() error { sink = m.Bytes()[0]; return nil })
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func BenchmarkGuard(b *testing.B) {
	f := func() error { return nil }
	for i := 0; i < b.N; i++ {
		mmap.Guard(f)
	}
}

// TestGuardDeferredClose tests that a FaultError has the right cause even if a deferred call of f
// closes the mapping before Guard can examine it.
func TestGuardDeferredClose(t *testing.T) {
	needAddresses(t)
	if runtime.GOOS == "windows" {
		t.Skip("nothing that is mapped is truncated, and Close does not wait for Guard")
	}
	live := mmap.Live()
	gone := func(name string, do func(m *mmap.Map), mode mmap.Mode, want error) {
		t.Helper()
		var after []byte
		err := mmap.Guard(func() error {
			m := truncatedMap(t, mode)
			after = m.Bytes()
			defer m.Close()
			do(m)
			return nil
		})
		if fe := (*mmap.FaultError)(nil); !errors.As(err, &fe) || !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
		if fe := fault(t, func() { sink = after[0] }); fe.Err != fs.ErrClosed {
			t.Errorf("%s: used after Guard: %v", name, fe)
		}
	}
	load := func(m *mmap.Map) { sink = m.Bytes()[page] }
	gone("truncated", load, mmap.ReadOnly, mmap.ErrUnavailable)
	gone("store to read-only bytes", func(m *mmap.Map) { m.Bytes()[0] = 1 }, mmap.ReadOnly, fs.ErrPermission)
	gone("in a goroutine", func(m *mmap.Map) {
		v := make(chan any)
		go func() {
			defer func() { v <- recover() }()
			debug.SetPanicOnFault(true)
			load(m)
		}()
		panic(<-v)
	}, mmap.ReadWrite, mmap.ErrUnavailable)
	gone("closed before", func(m *mmap.Map) {
		b := m.Bytes()
		m.Close()
		sink = b[page]
	}, mmap.ReadOnly, fs.ErrClosed)
	gone("closed twice, and other calls of Guard on the way", func(m *mmap.Map) {
		defer mmap.Guard(func() error { return nil })
		defer m.Close()
		defer mmap.Guard(func() error { load(m); return nil })
		load(m)
	}, mmap.ReadOnly, mmap.ErrUnavailable)
	gone("closed by an inner Guard", func(m *mmap.Map) {
		b := m.Bytes()
		err := mmap.Guard(func() error { defer m.Close(); load(m); return nil })
		if !errors.Is(err, mmap.ErrUnavailable) {
			t.Error(err)
		}
		sink = b[page]
	}, mmap.ReadOnly, fs.ErrClosed)
	gone("closed under an inner Guard", func(m *mmap.Map) {
		defer mmap.Guard(func() error { return m.Close() })
		load(m)
	}, mmap.ReadOnly, mmap.ErrUnavailable)
	other := func() { open(t, writeFile(t, pages(1)), mmap.ReadOnly).Close() }
	recovered := func(m *mmap.Map) { panicOf(func() { defer m.Close(); panic("x") }) }
	gone("others opened and closed on the way", func(m *mmap.Map) {
		defer func() {
			m.Close()
			other()
			recovered(open(t, writeFile(t, pages(1)), mmap.ReadOnly))
			mmap.Guard(func() error { other(); return nil })
			done := make(chan error)
			go func() { done <- mmap.Guard(func() error { other(); return nil }) }()
			<-done
		}()
		load(m)
	}, mmap.ReadOnly, mmap.ErrUnavailable)
	gone("closed by a panic that was recovered before, then Open", func(m *mmap.Map) {
		b := m.Bytes()
		recovered(m)
		defer open(t, writeFile(t, pages(1)), mmap.ReadOnly).Close()
		sink = b[page]
	}, mmap.ReadOnly, fs.ErrClosed)
	last := open(t, writeFile(t, pages(1)), mmap.ReadOnly)
	gone("closed by a panic that was recovered before, then Close", func(m *mmap.Map) {
		b := m.Bytes()
		recovered(m)
		last.Close()
		sink = b[page]
	}, mmap.ReadOnly, fs.ErrClosed)
	gone("closed by a panic that was recovered before, then an inner Guard", func(m *mmap.Map) {
		b := m.Bytes()
		recovered(m)
		mmap.Guard(func() error { return nil })
		sink = b[page]
	}, mmap.ReadOnly, fs.ErrClosed)
	var deep func(n int, m *mmap.Map)
	deep = func(n int, m *mmap.Map) {
		if n > 0 {
			deep(n-1, m)
		}
		defer m.Close()
		load(m)
	}
	gone("far down", func(m *mmap.Map) { deep(1000, m) }, mmap.ReadOnly, mmap.ErrUnavailable)

	// Guard leaves nothing mapped after a panic that is not a fault, after a panic that f recovers, and after Goexit.
	m := func() *mmap.Map { return open(t, writeFile(t, pages(1)), mmap.ReadOnly) }
	panicOf(func() { mmap.Guard(func() error { defer m().Close(); panic("x") }) })
	mmap.Guard(func() error {
		panicOf(func() { defer m().Close(); panic("x") })
		return nil
	})
	done := make(chan bool)
	go func() {
		defer close(done)
		mmap.Guard(func() error {
			panicOf(func() { defer m().Close(); panic("x") })
			runtime.Goexit()
			return nil
		})
	}()
	<-done
	done = make(chan bool)
	go func() {
		defer close(done)
		debug.SetPanicOnFault(true)
		defer m().Close() // runs during Goexit, which has replaced the panic
		mmap.Guard(func() error {
			defer runtime.Goexit()
			defer m().Close()
			panic("x")
		})
	}()
	<-done
	if got := mmap.Live(); got != live {
		t.Errorf("%d mappings are left, want %d", got, live)
	}
}
