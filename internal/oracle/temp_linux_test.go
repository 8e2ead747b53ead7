package oracle

import (
	"os"
	"slices"
	"syscall"
	"testing"
)

// TestSweepMounts tests that sweep detaches the mounts of a killed test before it removes the test's run, and that the
// mounted files remain.
func TestSweepMounts(t *testing.T) {
	outside := t.TempDir()
	if err := syscall.Mount("ndmap-test", outside, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("mount: %v: needs the right to mount", err)
	}
	t.Cleanup(func() { syscall.Unmount(outside, syscall.MNT_DETACH) })
	must(t, os.WriteFile(outside+"/kept", nil, 0o600))

	base := t.TempDir()
	dir, kill := otherRun(t, base)
	must(t, os.MkdirAll(dir+"/a/b", 0o700))
	for range 2 { // two mounts at one mount point
		must(t, syscall.Mount(outside, dir+"/a/b", "", syscall.MS_BIND, ""))
	}
	t.Cleanup(func() { syscall.Unmount(dir+"/a/b", syscall.MNT_DETACH) })
	if got := names(t, dir+"/a/b"); !slices.Equal(got, []string{"kept"}) {
		t.Fatalf("mounted: %q", got)
	}
	kill()
	sweepOwnFolder(t, base)
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the run is left: %v", err)
	}
	if got := names(t, outside); !slices.Equal(got, []string{"kept"}) {
		t.Errorf("the mounted file system has %q, want kept", got)
	}
}
