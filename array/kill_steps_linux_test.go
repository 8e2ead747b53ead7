package array

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/atomicfile"
	"github.com/ndmap/ndmap/internal/oracle"
)

// A killableOp is an operation on the file at a path that may be killed before any of its system calls.
type killableOp struct {
	name   string
	exists bool // a file exists at the path beforehand
	named  bool // temporary files have names from the start, as on other systems
	work   func(path string, begin func()) error
}

// commitSevens returns work that creates a file of 1000 sevens with CreatePending. It calls begin before
// CreatePending if fromCreate is set, and before Commit otherwise.
func commitSevens(cfg SaveConfig, fromCreate bool) func(path string, begin func()) error {
	return func(path string, begin func()) error {
		if fromCreate {
			begin()
		}
		f, err := cfg.CreatePending(path, dtype.Int64, index.C, 1000)
		if err != nil {
			return err
		}
		defer f.Close()
		must(As[int64](f.Array)).Fill(7)
		if !fromCreate {
			begin()
		}
		return f.Commit()
	}
}

// makeSevens returns work that creates a file of 1000 sevens with Make, and calls begin when the file is filled.
func makeSevens(cfg SaveConfig) func(path string, begin func()) error {
	return func(path string, begin func()) error {
		return cfg.Make(path, dtype.Int64, index.C, []int{1000}, func(f *File) error {
			must(As[int64](f.Array)).Fill(7)
			begin()
			return nil
		})
	}
}

func openOrCreateEmpty(path string, begin func()) error {
	begin()
	f, err := OpenOrCreate(path, dtype.Int64, index.C, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

var killables = []killableOp{
	{"Commit", false, false, commitSevens(SaveConfig{}, false)},
	{"Commit in place of a file", true, false, commitSevens(SaveConfig{Replace: true}, false)},
	{"Create and Commit, by name", false, true, commitSevens(SaveConfig{}, true)},
	{"Create and Commit in place of a file, by name", true, true, commitSevens(SaveConfig{Replace: true}, true)},
	{"Make", false, false, makeSevens(SaveConfig{})},
	{"Make in place of a file, by name", true, true, makeSevens(SaveConfig{Replace: true})},
	{"OpenOrCreate", false, false, openOrCreateEmpty},
	{"OpenOrCreate, by name", false, true, openOrCreateEmpty},
	{"OpenOrCreate of a file", true, false, openOrCreateEmpty},
}

// init runs the process that TestKillSteps kills. The process stops itself before and after the system calls that are
// counted.
func init() {
	var k int
	var path string
	if n, _ := fmt.Sscanf(os.Getenv("NDMAP_TEST_CHILD"), "steps %d %q", &k, &path); n == 2 {
		runtime.LockOSThread()
		stop := func() { unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGSTOP) }
		atomicfile.Unnamed = !killables[k].named
		err := killables[k].work(path, stop)
		stop()
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// runAndKill runs killable number k and kills it just before the counted system call number last. It returns the
// number of counted calls that began, and whether the process was killed.
func runAndKill(t *testing.T, k int, path string, last int) (calls int, killed bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("NDMAP_TEST_CHILD=steps %d %q", k, path))
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		t.Skipf("cannot trace a process: %v", err)
	}
	pid := cmd.Process.Pid
	defer cmd.Process.Release()
	var status unix.WaitStatus
	stops := 0
	for signal := 0; ; {
		if _, err := unix.Wait4(pid, &status, 0, nil); err != nil {
			t.Fatal(err)
		}
		if !status.Stopped() {
			if !status.Signaled() && status.ExitStatus() != 0 {
				t.Errorf("%s: the process failed", killables[k].name)
			}
			return calls, status.Signaled()
		}
		switch s := status.StopSignal(); {
		case s == unix.SIGTRAP|0x80:
			signal = 0
			if isSyscallEntry(t, pid) {
				if calls++; calls == last {
					unix.Kill(pid, unix.SIGKILL)
				}
			}
		case s == unix.SIGSTOP:
			stops, signal = stops+1, 0
		case s == unix.SIGTRAP:
			signal = 0
			unix.PtraceSetOptions(pid, unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_EXITKILL)
		default:
			signal = int(s)
		}
		if stops == 1 {
			unix.PtraceSyscall(pid, signal)
		} else {
			unix.PtraceCont(pid, signal)
		}
	}
}

// isSyscallEntry reports whether a process that stopped at a system call is about to enter it.
func isSyscallEntry(t *testing.T, pid int) bool {
	t.Helper()
	var info [88]byte // struct ptrace_syscall_info
	_, _, e := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(pid), uintptr(len(info)),
		uintptr(unsafe.Pointer(&info)), 0, 0)
	if e != 0 {
		t.Skipf("ptrace: %v: needs Linux 5.3", e)
	}
	return info[0] == 1 // PTRACE_SYSCALL_INFO_ENTRY
}

// TestKillSteps kills a process before each system call of Commit and OpenOrCreate. After each kill, the path must be
// unchanged or name the complete new file. If the same operation is then run to its end, the directory must contain no
// other file.
//
// By default the test tries one system call in each of two operations. With NDMAP_KILLS set, as `make long-kill` does,
// it tries all.
func TestKillSteps(t *testing.T) {
	oracle.OneGoroutine(t)
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("this program is being emulated, and cannot start itself")
	}
	runtime.LockOSThread() // the thread that starts a process traces it
	defer runtime.UnlockOSThread()
	defer func() { atomicfile.Unnamed = true }()
	r := oracle.Rand(t, 0)
	total, some, kinds := 0, 1, r.Perm(len(killables))
	if os.Getenv("NDMAP_KILLS") != "" {
		some = 1 << 30
	} else {
		kinds = kinds[:2]
	}
	for _, k := range kinds {
		tt := killables[k]
		dir := t.TempDir()
		path := filepath.Join(dir, "t.npy")
		// set restores the initial contents of the directory.
		set := func() (before []byte) {
			for _, name := range fileNames(t, dir) {
				os.Remove(filepath.Join(dir, name))
			}
			if tt.exists {
				before = writtenBytes(t, sequence("<i8", index.C, 1, 5))
				if err := os.WriteFile(path, before, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			return before
		}
		set()
		calls, killed := runAndKill(t, k, path, -1)
		after, err := os.ReadFile(path)
		if killed || err != nil || calls == 0 {
			t.Fatalf("%s: killed %v after %d system calls, %v", tt.name, killed, calls, err)
		}
		first := 0
		if some < calls {
			first = r.IntN(calls - some + 1)
		}
		for last := first + 1; last <= min(first+some, calls+3); last++ {
			before := set()
			_, killed := runAndKill(t, k, path, last)
			if total++; !killed {
				break // the number of system calls of the runtime varies
			}
			now, err := os.ReadFile(path)
			isNew := err == nil && slices.Equal(now, after)
			if isOld := slices.Equal(now, before) && (before == nil) == errors.Is(err, fs.ErrNotExist); !isOld && !isNew {
				t.Errorf("%s, before call %d: the path has neither the old file nor the new one: %d bytes, %v", tt.name, last,
					len(now), err)
			}
			left := fileNames(t, dir)
			if !tt.exists && isNew && tt.name[0] != 'O' {
				os.Remove(path)
			}
			atomicfile.Unnamed = !tt.named
			if err := tt.work(path, func() {}); err != nil {
				t.Errorf("%s, before call %d, then run to the end: %v", tt.name, last, err)
			}
			if got := fileNames(t, dir); !slices.Equal(got, []string{"t.npy"}) {
				t.Errorf("%s, before call %d: files %q, and %q in the end", tt.name, last, left, got)
			}
		}
		t.Logf("%s: %d system calls", tt.name, calls)
	}
	t.Logf("%d kills", total)
}
