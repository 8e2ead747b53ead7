// Package oracle runs the real NumPy for tests, which is the judge of what this module does, and holds files that
// real NumPy wrote.
//
// It has:
//
//   - [Python], [Need] and [Start]: where NumPy is, and a Python process that answers questions. Tests that call Need
//     or Start are skipped where there is no NumPy, and fail there when NDMAP_NUMPY=require is set.
//   - [Golden] and [Variants]: tables of the .npy files under testdata, which golden.py wrote with NumPy.
//     They need no Python.
//   - [Int], [Float], [Bool], [Complex] and [Append]: the rule that gives each element of those files, so that a test
//     can say what it must read.
//   - [Slow], [AnyProcessor], [OneGoroutine], [CountsAllocations] and [Long]: which runs leave a test out, or run more.
//   - [Main] and [TempIn]: where the temporary files of tests are, and who removes them.
//
// Only tests import it, and it imports no package of this module, so that the tests of all of them can import it.
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

// Python returns the first Python that can import NumPy, and that NumPy's version. It tries $NDMAP_PYTHON, then
// python3 on the PATH, then /usr/bin/python3, which is the one that Debian's python3-numpy belongs to: a python3
// from elsewhere may come first on the PATH. The search is made once a process.
func Python() (path, version string, ok bool) {
	f := python()
	return f.path, f.version, f.path != ""
}

// Status is one line for people: which NumPy cross-checks run against, or how to have them.
func Status() string {
	if path, version, ok := Python(); ok {
		return fmt.Sprintf("NumPy %s at %s: cross-checks run", version, path)
	}
	return "no NumPy: cross-checks skipped; apt-get install python3-numpy"
}

// Need skips t where there is no NumPy. With NDMAP_NUMPY=require in the environment, it fails t instead.
func Need(t testing.TB) {
	t.Helper()
	need(t, os.Getenv("NDMAP_NUMPY"), python())
}

type found struct {
	path, version string
	err           error // why each of the candidates is none
}

var python = sync.OnceValue(func() found {
	return find([]string{os.Getenv("NDMAP_PYTHON"), "python3", "/usr/bin/python3"})
})

// find returns the first of candidates with NumPy. Empty ones are passed over.
func find(candidates []string) found {
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
		return found{path: path, version: version}
	}
	return found{err: errors.Join(errs...)}
}

func numpyVersion(path string) (string, error) {
	// The empty entry of sys.path is the working directory: a test's own folder must not stand in for NumPy.
	out, err := command(path, "-c", "import sys; sys.path.remove(''); import numpy; print(numpy.__version__)").Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
		return "", errors.New(lines[len(lines)-1])
	}
	return strings.TrimSpace(string(out)), err
}

// command is exec.Command with OpenBLAS held to one thread: it starts one for each core otherwise, in every process.
func command(path string, args ...string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1")
	return cmd
}

func need(t testing.TB, mode string, f found) {
	t.Helper()
	switch {
	case f.path != "":
	case mode == "require":
		t.Fatalf("no NumPy, and NDMAP_NUMPY=require: apt-get install python3-numpy, or set NDMAP_PYTHON\n%v", f.err)
	default:
		t.Skip("no NumPy: cross-check skipped; apt-get install python3-numpy, or set NDMAP_PYTHON")
	}
}
