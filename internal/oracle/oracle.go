// Package oracle runs NumPy in tests, to compare its results with the results of this module. It also contains files
// written by NumPy.
//
//   - [Python], [Need] and [Start] find NumPy and run a Python process that evaluates code. Tests that call Need or Start
//     are skipped if NumPy is not installed. If NDMAP_NUMPY=require is set, they fail instead.
//   - [Golden] and [Variants] list the .npy files under testdata, which golden.py has written with NumPy. They do not
//     need Python.
//   - [Int], [Float], [Bool], [Complex] and [Append] define the elements of these files, so that a test knows the
//     elements that it must read.
//   - [Slow], [AnyProcessor], [OneGoroutine], [CountsAllocations] and [Long] decide which runs skip a test, or run a
//     longer form of it.
//   - [Main] and [TempIn] create the folders for the temporary files of tests, and remove them.
//
// Only tests import this package. It imports no other package of this module, so that the tests of every package can
// import it.
package oracle

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// Python returns the path of the first Python that can import NumPy, and the version of NumPy. It tries $NDMAP_PYTHON,
// python3 in the PATH, and /usr/bin/python3. /usr/bin/python3 is the Python of Debian's package python3-numpy, which is
// hidden if another python3 precedes it in the PATH. Python searches once per process.
func Python() (path, version string, ok bool) {
	f := python()
	return f.path, f.version, f.path != ""
}

// Status returns a message for the user. It names the NumPy that cross-checks run against, or says how to install it.
func Status() string {
	if path, version, ok := Python(); ok {
		return fmt.Sprintf("NumPy %s at %s: cross-checks run", version, path)
	}
	return "no NumPy: cross-checks skipped; apt-get install python3-numpy"
}

// Need skips t if NumPy is not installed. With NDMAP_NUMPY=require in the environment, it fails t instead.
func Need(t testing.TB) {
	t.Helper()
	requireNumPy(t, os.Getenv("NDMAP_NUMPY"), python())
}

// A searchResult describes the result of find.
type searchResult struct {
	path, version string // "" if no candidate has NumPy
	err           error  // the errors of all candidates
}

var python = sync.OnceValue(func() searchResult {
	return find([]string{os.Getenv("NDMAP_PYTHON"), "python3", "/usr/bin/python3"})
})

// find returns the first candidate that can import NumPy. It ignores empty candidates.
func find(candidates []string) searchResult {
	var errs []error
	for _, name := range candidates {
		if name == "" {
			continue
		}
		path, err := exec.LookPath(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		version, err := numpyVersion(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", path, err))
			continue
		}
		return searchResult{path: path, version: version}
	}
	return searchResult{err: errors.Join(errs...)}
}

func numpyVersion(path string) (string, error) {
	// The empty entry of sys.path is the working directory. Without it, no file there can be mistaken for NumPy.
	out, err := command(path, "-c", "import sys; sys.path.remove(''); import numpy; print(numpy.__version__)").Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
		return "", errors.New(lines[len(lines)-1])
	}
	return strings.TrimSpace(string(out)), err
}

// command is like exec.Command, but limits OpenBLAS to one thread. By default OpenBLAS starts a thread for each core.
func command(path string, args ...string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1")
	return cmd
}

func requireNumPy(t testing.TB, mode string, f searchResult) {
	t.Helper()
	switch {
	case f.path != "":
	case mode == "require":
		t.Fatalf("no NumPy, and NDMAP_NUMPY=require: apt-get install python3-numpy, or set NDMAP_PYTHON\n%v", f.err)
	default:
		t.Skip("no NumPy: cross-check skipped; apt-get install python3-numpy, or set NDMAP_PYTHON")
	}
}
