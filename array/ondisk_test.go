package array

import (
	"os"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// disk is where temporary files are unless init has them in memory.
var disk = os.TempDir()

// onDisk returns a new folder on a disk, unless the system's temporary folder is none.
func onDisk(t *testing.T) string {
	t.Helper()
	dir, err := oracle.TempIn(t, disk)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
