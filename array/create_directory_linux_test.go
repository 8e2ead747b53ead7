package array

import (
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ndmap/ndmap/index"
)

// TestSaveSyncsDirectory tests that Save returns the error if the system cannot store the name of the new file.
func TestSaveSyncsDirectory(t *testing.T) {
	path := filepath.Join(diskFolder(t), "t.npy")
	err := runWithFailingCall(t, "name", unix.SYS_FSYNC, unix.EIO, func() error {
		return Save(path, sequence("<f8",
			index.C, 0, 3))
	})
	if !errors.Is(err, unix.EIO) {
		t.Errorf("Save = %v, want %v: the directory was not synced", err, unix.EIO)
	}
}
