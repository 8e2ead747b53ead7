package array

import (
	"os"
	"testing"
)

// disk is where temporary files are before TestMain has them in memory.
var disk = os.TempDir()

// onDisk returns a new folder on a disk, unless the system's temporary folder is none.
func onDisk(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(disk, "ndmap")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
