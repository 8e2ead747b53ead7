//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// TestAbandoned tests that New removes the files of dead processes, but no file of a living process, and nothing that
// is not a regular file.
func TestAbandoned(t *testing.T) {
	for _, named := range []bool{false, true} {
		t.Run(fmt.Sprint("named ", named), func(t *testing.T) {
			simulate(t, true, true, true)
			path := filepath.Join(t.TempDir(), "f")
			var alive []*File
			for k := range 12 { // each uses another temporary name
				f := newFile(t, path)
				if want := fmt.Sprintf("%s/.f.%d.ndmap-tmp", filepath.Dir(path), k); f.Temp != want {
					t.Fatalf("temporary name %s, want %s", f.Temp, want)
				}
				alive = append(alive, f)
			}
			for k, f := range alive {
				if k != 3 && k != 11 {
					f.File.Close() // as if the process died
				}
			}
			link := filepath.Dir(path) + "/.f.5.ndmap-tmp"
			if err := errors.Join(os.Remove(link), os.Symlink("elsewhere", link)); err != nil {
				t.Fatal(err)
			}
			other := filepath.Dir(path) + "/.g.1.ndmap-tmp" // a temporary name of another path
			if err := os.WriteFile(other, nil, 0o666); err != nil {
				t.Fatal(err)
			}
			Unnamed = !named
			newFile(t, path).Remove()
			var got []string
			entries, err := os.ReadDir(filepath.Dir(path))
			for _, e := range entries {
				got = append(got, e.Name())
			}
			want := []string{".f.11.ndmap-tmp", ".f.3.ndmap-tmp", ".f.5.ndmap-tmp", ".g.1.ndmap-tmp"}
			if !slices.Equal(got, want) || err != nil {
				t.Errorf("files %q, %v, want %q", got, err, want)
			}
			for _, f := range []*File{alive[3], alive[11]} {
				if err := f.checkTemp(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestAbandonedRace tests that goroutines can concurrently make files for one path and replace each other's files: no
// file is removed as abandoned while it is being made, and no temporary file is left.
func TestAbandonedRace(t *testing.T) {
	for _, named := range []bool{false, true} {
		simulate(t, named, true, true)
		path := filepath.Join(t.TempDir(), "f")
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 20 {
					f, err := New(path, true)
					if err == nil {
						f.NoSync = true
						_, err = f.Commit()
						f.Close()
					}
					if err != nil {
						t.Errorf("named %v: %v", named, err)
					}
				}
			})
		}
		wg.Wait()
		if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
			t.Errorf("named %v: files %v, %v", named, entries, err)
		}
	}
}
