//go:build linux && (amd64 || arm64)

package mmap_test

import (
	"fmt"
	"iter"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// A record is too large for a register.
type record [40]byte

var text string

// ways lists ways to access an element of a truncated page.
var ways = []struct {
	name   string
	caught bool // whether Guard catches the fault, according to its documentation
	run    func(b []record)
}{
	{"copy, then send", true, func(b []record) {
		ch := make(chan record, 1)
		x := b[1]
		ch <- x
	}},
	{"range, then send", true, func(b []record) {
		ch := make(chan record, len(b))
		for _, x := range b {
			ch <- x
		}
	}},
	{"select", true, func(b []record) {
		ch, other := make(chan record, 1), make(chan record)
		select {
		case ch <- b[1]:
		case other <- b[1]:
		}
	}},
	{"append", true, func(b []record) { _ = fmt.Sprint(len(append([]record(nil), b...))) }},
	{"key of a map", true, func(b []record) {
		m := map[record]int{{}: 1}
		_ = fmt.Sprint(m[b[1]])
	}},
	{"element of a map", true, func(b []record) {
		m := map[int]record{}
		m[1] = b[1]
	}},
	{"interface", true, func(b []record) { _ = fmt.Sprint(b[1]) }},
	{"reflect", true, func(b []record) { _ = reflect.ValueOf(b).Index(1).Interface() }},
	{"string", true, func(b []record) { text = string(b[1][:]) }},
	{"compare", true, func(b []record) { _ = fmt.Sprint(b[1] == record{}) }},
	{"fmt.Println of bytes", true, func(b []record) { fmt.Fprintln(os.Stderr, b[1][:]) }},
	{"in a loop over a Seq", true, func(b []record) {
		for x := range values(b) {
			sink += x[0]
		}
	}},
	{"a guarded Seq in iter.Pull", true, func(b []record) {
		var err error
		next, stop := iter.Pull(func(yield func(record) bool) {
			err = mmap.Guard(func() error {
				for x := range values(b) {
					if !yield(x) {
						break
					}
				}
				return nil
			})
		})
		defer stop()
		for _, ok := next(); ok; _, ok = next() {
		}
		if err == nil {
			panic("no fault")
		}
		_ = b[1] == record{} // faults under the outer Guard
		sink = b[1][0]
	}},

	{"send", false, func(b []record) {
		ch := make(chan record, 1)
		ch <- b[1]
	}},
	{"send to who waits", false, func(b []record) {
		ch := make(chan record)
		go func() {
			x := <-ch
			sink += x[0]
		}()
		for range 1000 {
			runtime.Gosched()
		}
		ch <- b[1]
	}},
	{"reflect.Value.Send", false, func(b []record) {
		ch := make(chan record, 1)
		reflect.ValueOf(ch).Send(reflect.ValueOf(b).Index(1))
	}},
	{"print", false, func(b []record) { print(unsafe.String(&b[1][0], len(b[1]))) }},
	{"iter.Pull", false, func(b []record) {
		next, stop := iter.Pull(values(b))
		defer stop()
		for _, ok := next(); ok; _, ok = next() {
		}
	}},
	{"another goroutine", false, func(b []record) {
		done := make(chan bool)
		go func() {
			x := b[1]
			_ = fmt.Sprint(x[0])
			close(done)
		}()
		<-done
	}},
}

func values(b []record) iter.Seq[record] {
	return func(yield func(record) bool) {
		for _, x := range b {
			if !yield(x) {
				return
			}
		}
	}
}

// TestGuardWays tests which faults Guard catches and which ones end the program, according to its documentation. Each
// fault occurs in a separate process.
func TestGuardWays(t *testing.T) {
	oracle.OneGoroutine(t)
	needAddresses(t)
	for _, way := range ways {
		if os.Getenv("NDMAP_TEST_WAY") != way.name {
			continue
		}
		m := truncatedMap(t, mmap.ReadOnly)
		b := unsafe.Slice((*record)(unsafe.Pointer(&m.Bytes()[page-40])), 3)
		err := mmap.Guard(func() error {
			way.run(b)
			return nil
		})
		fmt.Println("Guard returns", err)
		return
	}
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestGuardWays$")
			cmd.Env = append(os.Environ(), "NDMAP_TEST_WAY="+way.name,
				"TMPDIR="+t.TempDir()) // the process may leave files there
			out, err := cmd.CombinedOutput()
			caught := err == nil && strings.Contains(string(out), "page fault at byte "+itoa(page))
			switch died := err != nil && strings.Contains(string(out), "signal"); {
			case way.caught && !caught:
				t.Errorf("%v\n%.2000s", err, out)
			case !way.caught && caught && oracle.Race: // the race detector reads the element first
			case !way.caught && caught:
				t.Error("Guard catches it: the list in its documentation is too long")
			case !way.caught && !died:
				t.Errorf("neither caught nor a fault: %v\n%.2000s", err, out)
			}
		})
	}
}

// TestGuardPanicNil tests that Guard passes on panic(nil). If GODEBUG allows panics with nil, recover must return the
// same value as without Guard.
func TestGuardPanicNil(t *testing.T) {
	if os.Getenv("NDMAP_TEST_WAY") == "panic(nil)" {
		went := true
		func() {
			defer func() { recover() }()
			mmap.Guard(func() error { panic(nil) })
			went = false
		}()
		fmt.Println("went on:", went)
		return
	}
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("this program is being emulated, and cannot start itself")
	}
	for _, debug := range []string{"panicnil=1", "panicnil=0"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestGuardPanicNil$")
		cmd.Env = append(os.Environ(), "NDMAP_TEST_WAY=panic(nil)", "GODEBUG="+debug)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "went on: true") {
			t.Errorf("%s: %v\n%s", debug, err, out)
		}
	}
}
