package oracle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMain(m *testing.M) { Main(m) }

// TestTempIn tests that TempIn creates a folder in base, and that the folder is removed when its test ends.
func TestTempIn(t *testing.T) {
	base := t.TempDir()
	if run, err := runFolder(base); run == "" && err == nil {
		t.Skip("without flock, TempIn is t.TempDir")
	}
	var dir string
	t.Run("test", func(t *testing.T) {
		var err error
		if dir, err = TempIn(t, base); err != nil {
			t.Fatal(err)
		}
		if other, err := TempIn(t, base); err != nil || other == dir {
			t.Errorf("the second folder is %s, %v; the first is %s", other, err, dir)
		}
		if !strings.HasPrefix(dir, base+string(filepath.Separator)) {
			t.Errorf("%s is not in %s", dir, base)
		}
	})
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is left: %v", err)
	}
	if _, err := TempIn(t, base+"/missing"); err == nil {
		t.Error("TempIn in a missing folder: want an error")
	}
}
