package array

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// runWithFailingCall runs do in a new thread and returns its error. Once Append reaches the given step (see observe),
// every system call nr of that thread fails with errno.
func runWithFailingCall(t *testing.T, step string, nr uintptr, errno syscall.Errno, do func() error) error {
	t.Helper()
	defer func() { observe = func(string, string, int, int) {} }()
	var failed, err error
	reached := false
	done := make(chan bool)
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		observe = func(op, _ string, _, _ int) {
			if op == step && !reached {
				reached, failed = true, makeCallFail(nr, errno)
			}
		}
		err = do()
	}()
	<-done
	switch {
	case !reached:
		t.Fatalf("the step %s was not reached: %v", step, err)
	case failed != nil:
		t.Skipf("seccomp: %v: needs a kernel with seccomp filters", failed)
	}
	return err
}

// makeCallFail makes the system call nr fail with errno in the calling thread.
func makeCallFail(nr uintptr, errno syscall.Errno) error {
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // struct seccomp_data: nr, …
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(nr), Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0x00050000 | uint32(errno)}, // SECCOMP_RET_ERRNO
		{Code: unix.BPF_RET | unix.BPF_K, K: 0x7FFF0000},                 // SECCOMP_RET_ALLOW
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, e := unix.Syscall(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&prog)))
	if e != 0 {
		return e
	}
	return nil
}

// TestAppendHeaderFails tests that if the header cannot be written, the file keeps its length, header and data, and the
// next Append succeeds.
func TestAppendHeaderFails(t *testing.T) {
	for _, errno := range []syscall.Errno{unix.ENOSPC, unix.EDQUOT, unix.EIO, unix.EROFS} {
		for op, do := range map[string]func(f *File) error{
			"Append": func(f *File) error { return f.Append(sequence("<f8", index.C, 6, 5000, 3)) },
			"Grow":   func(f *File) error { return f.Grow(5000) },
			"Appender": func(f *File) error {
				a := must(NewAppender[float64](f))
				return errors.Join(a.Append(7, 8, 9), a.Flush())
			},
		} {
			t.Run(op, func(t *testing.T) {
				for _, tail := range []int{0, 10} { // bytes after the data
					name := fmt.Sprintf("%s, %v, %d bytes after the data", op, errno, tail)
					path := createFrom(t, SaveConfig{}, sequence("<f8", index.C, 0, 2, 3), index.C).Path()
					before := append(must(os.ReadFile(path)), bytes.Repeat([]byte{9}, tail)...)
					if err := os.WriteFile(path, before, 0o666); err != nil {
						t.Fatal(err)
					}
					f := must(Open(path, mmap.ReadWrite))
					defer f.Close()
					err := runWithFailingCall(t, "data", unix.SYS_PWRITE64, errno, func() error { return do(f) })
					if !errors.Is(err, errno) || f.Len(0) != 2 {
						t.Errorf("%s: %v, %v", name, err, f.Shape())
					}
					after := must(os.ReadFile(path))
					if n := len(before) - tail; len(after) != len(before) || !bytes.Equal(after[:n], before[:n]) {
						t.Errorf("%s: the file has %d bytes, want the %d that it had", name, len(after), len(before))
					}
					if err := f.Append(sequence("<f8", index.C, 6, 1, 3)); err != nil {
						t.Errorf("%s: the next Append: %v", name, err)
					} else if got := must(os.ReadFile(path)); !bytes.HasPrefix(got, writtenBytes(t, sequence("<f8", index.C, 0, 3,
						3))) {
						t.Errorf("%s: the next Append wrote wrong bytes", name)
					}
				}
			})
		}
	}
}

// TestAppendHeaderFailsUnlocked tests that a failed Append does not cut off bytes that another process has appended
// without taking the lock.
func TestAppendHeaderFailsUnlocked(t *testing.T) {
	f := must(Create(tempPath(t), dtype.MustParse("<i4"), index.C, 1))
	defer f.Close()
	var size int64
	err := runWithFailingCall(t, "data", unix.SYS_PWRITE64, unix.EIO, func() error {
		fails := observe
		observe = func(op, path string, off, n int) {
			if op == "data" && size == 0 {
				other := must(os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0))
				must(other.WriteString("more"))
				size = must(other.Stat()).Size()
				other.Close()
			}
			fails(op, path, off, n)
		}
		return f.Append(sequence("<i4", index.C, 0, 9))
	})
	if got := must(os.Stat(f.Path())).Size(); !errors.Is(err, unix.EIO) || got != size {
		t.Errorf("%v; the file has %d bytes, want %d", err, got, size)
	}
}

// TestFlushInDoubt tests Flush after another Flush has failed while it stored the header. The second Flush must find
// out whether the file contains the buffered rows, even if other Files have changed the file in the meantime. In the
// end, the file must contain the rows exactly once.
func TestFlushInDoubt(t *testing.T) {
	append1 := func(x ...int64) func(*testing.T, *File, []byte) {
		return func(t *testing.T, f *File, _ []byte) {
			other := must(Open(f.Path(), mmap.ReadWrite))
			defer other.Close()
			if err := other.Append(must(FromSlice(x)).Array()); err != nil {
				t.Fatal(err)
			}
		}
	}
	// lose restores the old header, as if the new one had not reached the disk.
	lose := func(t *testing.T, f *File, head []byte) {
		file := must(os.OpenFile(f.Path(), os.O_WRONLY, 0))
		defer file.Close()
		must(file.WriteAt(head, 0))
	}
	refresh := func(t *testing.T, f *File, _ []byte) {
		if _, err := f.Refresh(); err != nil {
			t.Error(err)
		}
	}
	type sequel = []func(*testing.T, *File, []byte)
	for _, tt := range []struct {
		name    string
		again   bool // Flush fails twice
		between sequel
		want    []int64
	}{
		{"at once", false, nil, []int64{1, 1, 7, 8, 9}},
		{"twice", true, nil, []int64{1, 1, 7, 8, 9}},
		{"twice, then another Append", true, sequel{append1(4)}, []int64{1, 1, 7, 8, 9, 4}},
		{"Refresh", false, sequel{refresh}, []int64{1, 1, 7, 8, 9}},
		{"another Append", false, sequel{append1(4, 5)}, []int64{1, 1, 7, 8, 9, 4, 5}},
		{"another Append, then Refresh", false, sequel{append1(4, 5, 6), refresh, append1(3)}, []int64{1, 1, 7, 8, 9, 4, 5, 6,
			3}},
		{"header lost", false, sequel{lose}, []int64{1, 1, 7, 8, 9}},
		{"header lost, then Refresh", false, sequel{lose, refresh}, []int64{1, 1, 7, 8, 9}},
		{"header lost, then a shorter Append", false, sequel{lose, append1(4, 5)}, []int64{1, 1, 4, 5, 7, 8, 9}},
		{"header lost, then an Append of equal length", false, sequel{lose, append1(4, 5, 6), refresh}, []int64{1, 1, 4, 5, 6,
			7,
			8,
			9}},
		{"header lost, then a longer Append", false, sequel{lose, append1(4, 5, 6, 2), append1(3)}, []int64{1, 1, 4, 5, 6,
			2,
			3, 7, 8, 9}},
		{"header lost, then an Append of the first elements", false, sequel{lose, append1(7, 8)}, []int64{1, 1, 7, 8, 7, 8,
			9}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, d := range []string{"<i8", ">i8"} {
				for _, more := range [][]int64{nil, {10, 11}} { // appended to the Appender before the second Flush
					path := tempPath(t)
					f := must(Create(path, dtype.MustParse(d), index.C, 2))
					defer f.Close()
					must(Cast[int64](f.Array)).Fill(1)
					head := slices.Clone(must(os.ReadFile(path))[:f.DataOffset()])
					a := must(NewAppender[int64](f))
					err := runWithFailingCall(t, "header", unix.SYS_MSYNC, unix.EIO, func() error {
						err := errors.Join(a.Append(7, 8, 9), a.Flush())
						if tt.again {
							err = a.Flush()
						}
						return err
					})
					if !errors.Is(err, unix.EIO) || a.Buffered() != 3 {
						t.Errorf("%s: %v, %d elements in the buffer", tt.name, err, a.Buffered())
					}
					for _, do := range tt.between {
						do(t, f, head)
					}
					if err := errors.Join(a.Append(more...), a.Flush()); err != nil || a.Buffered() != 0 {
						t.Errorf("%s: %v, %d elements in the buffer", tt.name, err, a.Buffered())
					}
					want := append(slices.Clone(tt.want), more...)
					if got := slices.Collect(must(Cast[int64](f.Array)).Values()); !slices.Equal(got, want) {
						t.Errorf("%s, %s: %v, want %v", tt.name, d, got, want)
					}
					if got := must(os.ReadFile(path)); !bytes.Equal(got, writtenBytes(t, f.Array)) {
						t.Errorf("%s, %s: the file differs from what Save writes", tt.name, d)
					}
				}
			}
		})
	}
}

// TestAppendDoubtAcrossSectors tests a header that is stored by three writes, the first of which contains the new
// shape. If the second write fails, the file must keep its new length, and Refresh must find the row.
func TestAppendDoubtAcrossSectors(t *testing.T) {
	f := must(Create(tempPath(t), dtype.MustParse(longHeaderDType(t, index.C, []int{99}, []int{100})), index.C, 99))
	defer f.Close()
	row, b := newSteps(f, 7, 1)
	err := runWithFailingCall(t, "header", unix.SYS_PWRITE64, unix.EIO, func() error { return f.Append(row) })
	if !errors.Is(err, unix.EIO) || f.Len(0) != 99 || f.Append(row) == nil {
		t.Fatalf("%v, shape %v", err, f.Shape())
	}
	if grew, err := f.Refresh(); !grew || err != nil || f.Len(0) != 100 {
		t.Fatalf("%v, %v, shape %v", grew, err, f.Shape())
	}
	if err := f.Append(row); err != nil {
		t.Fatal(err)
	}
	want := append(make([]byte, 99*len(b)), append(b, b...)...)
	if got := must(os.ReadFile(f.Path())); !bytes.Equal(got, writtenBytes(t, f.Array)) ||
		!bytes.Equal(got[f.DataOffset():],
			want) {
		t.Error("the file has wrong bytes")
	}
}
