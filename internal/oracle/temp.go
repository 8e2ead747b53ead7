package oracle

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"
)

// runVariable is the environment variable that Main sets for processes that a test program starts. These processes
// create their temporary files in the folder of the test program.
const runVariable = "NDMAP_TEST_RUN"

// Main runs the tests of a package. TestMain calls it in every package whose tests create temporary files. Main
// creates a folder in [os.TempDir] for the temporary files of this process, and removes it after the tests. It also
// removes the folders of processes that were killed.
//
// The folders are os.TempDir()/ndmap-test-UID/run-N. Main lists no folder outside ndmap-test-UID, and removes nothing
// outside it. Other users can open files in it by path, but cannot list it. Each process holds a lock, so that the
// folders of running processes are not removed. If a folder cannot be removed, Main prints the error. On systems
// without flock, Main only runs the tests.
//
// Unless GOGC is set, Main makes garbage collections in this process less frequent. Processes that tests start keep the
// default.
//
// TestMain must return after Main, so that the exit status is the status of the tests.
func Main(m *testing.M) {
	defer removeRuns()
	if os.Getenv(runVariable) == "" {
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(400) // tests use little memory; this halves the time for garbage collection
		}
		dir, err := runFolder(os.TempDir())
		if err != nil {
			fmt.Fprintln(os.Stderr, "no folder for temporary files of tests:", err)
			os.Exit(1)
		}
		if dir != "" {
			os.Setenv("TMPDIR", dir)
			os.Unsetenv("GOTMPDIR") // t.TempDir would prefer it
			os.Setenv(runVariable, dir)
		}
	}
	m.Run()
}

// TempIn is like t.TempDir, but creates the folder in base. If the process is killed, a later call with the same base
// removes the folder. On systems without flock, TempIn ignores base and calls t.TempDir.
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
