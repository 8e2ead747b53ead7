package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ndmap/ndmap/internal/oracle"
)

// daskPackages are the Debian packages that TestDask imports.
const daskPackages = "python3-dask python3-distributed python3-zarr python3-xarray python3-fsspec python3-aiohttp python3-requests"

// TestDask runs testdata/dask_refs.py, which reads references with Dask, zarr, fsspec and xarray. Because it takes
// long, only make test-dask runs it, with NDMAP_DASK=run, and .ci/run, with NDMAP_DASK=require, where missing packages
// are a failure. NDMAP_DASK=bench prints the figures of DASK.md instead. NDMAP_DASK_SETS is the number of random sets
// of files, 60 by default; make test-dask SETS=4000 is the long form.
func TestDask(t *testing.T) {
	mode := os.Getenv("NDMAP_DASK")
	if mode == "" {
		t.Skip("make test-dask runs it")
	}
	oracle.Need(t)
	python, _, _ := oracle.Python()
	const imports = "import dask.array, distributed, zarr, xarray, fsspec, aiohttp, requests"
	if out, err := exec.Command(python, "-c", imports).CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		msg := python + ": " + lines[len(lines)-1] + "; apt-get install " + daskPackages
		if mode == "require" {
			t.Fatal(msg)
		}
		t.Skip(msg)
	}
	script, err := filepath.Abs("testdata/dask_refs.py")
	check(t, err)
	self, err := os.Executable()
	check(t, err)
	t.Chdir(t.TempDir())
	check(t, os.Mkdir("bin", 0o777))
	check(t, os.Symlink(self, "bin/npy"))
	bin, err := filepath.Abs("bin")
	check(t, err)

	sets := oracle.EnvInt(t, "NDMAP_DASK_SETS", 60)
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute+time.Duration(sets)*time.Second/2)
	defer cancel()
	args := []string{script}
	if mode == "bench" {
		args = append(args, "bench")
	}
	cmd := exec.CommandContext(ctx, python, args...)
	cmd.Env = append(os.Environ(), asTool+"=1", "PATH="+bin+":"+os.Getenv("PATH"), "PYTHONDONTWRITEBYTECODE=1",
		"OPENBLAS_NUM_THREADS=1",
		fmt.Sprint("NDMAP_DASK_SETS=", sets), fmt.Sprint("NDMAP_SEED=", oracle.Seed(t)))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that its workers can be killed, too
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second // a running worker may keep standard error open
	r, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	check(t, cmd.Start())
	defer cmd.Cancel()
	done := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		w.Close()
		done <- err
	}()
	cases, read := -1, -1
	total := regexp.MustCompile(`^(\d+) cases and (\d+) random sets equal to NumPy`)
	for lines := bufio.NewReader(r); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			break
		}
		t.Log(strings.TrimSuffix(line, "\n"))
		if m := total.FindStringSubmatch(line); m != nil {
			cases, err = strconv.Atoi(m[1])
			check(t, err)
			read, err = strconv.Atoi(m[2])
			check(t, err)
		}
	}
	if err := <-done; err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		t.Fatal(err)
	}
	if mode != "bench" && (cases < 60 || read != sets) {
		t.Errorf("%d cases and %d random sets; want 60 or more, and %d", cases, read, sets)
	}
}
