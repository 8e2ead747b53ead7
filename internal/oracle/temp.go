package oracle

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"
)

// insideRun is set in what a test program starts: its temporary files are in the folder of that program.
const insideRun = "NDMAP_TEST_RUN"

// Main runs the tests of a package, and is what TestMain of every package whose tests make temporary files calls. It
// puts all that they make in [os.TempDir] in a folder of this process, which it removes when they have ended. It also
// removes the folders of processes that were killed before they could.
//
// The folders are os.TempDir()/ndmap-test-UID/run-N; no other folder is listed, and nothing outside of it is removed.
// Other users may go through them, but not list them. A process has a lock as long as it lives, so the folders of those
// that still run stay. What cannot be removed is left, with a line on standard error. Where there is no flock, Main
// only runs the tests.
//
// Unless GOGC is set, garbage is collected less often than by default, but not in what a test program starts.
//
// The exit status is that of the tests when TestMain returns after Main.
func Main(m *testing.M) {
	defer leaveAll()
	if os.Getenv(insideRun) == "" {
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(400) // the memory of tests is small: half of the collections' time is saved
		}
		dir, err := runFolder(os.TempDir())
		if err != nil {
			fmt.Fprintln(os.Stderr, "no folder for temporary files of tests:", err)
			os.Exit(1)
		}
		if dir != "" {
			os.Setenv("TMPDIR", dir)
			os.Unsetenv("GOTMPDIR") // which t.TempDir prefers
			os.Setenv(insideRun, dir)
		}
	}
	m.Run()
}

// TempIn is t.TempDir in another folder than that of the system: [Main] and the next run see to what is left there.
// Where there is no flock, nobody would, and it is t.TempDir.
func TempIn(t testing.TB, base string) (string, error) {
	run, err := runFolder(base)
	if err != nil {
		return "", err
	}
	if run == "" {
		return t.TempDir(), nil
	}
	dir, err := os.MkdirTemp(run, "ndmap")
	if err == nil {
		t.Cleanup(func() { os.RemoveAll(dir) })
	}
	return dir, err
}
