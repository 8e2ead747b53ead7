package source

import (
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// secret is the value of the elements outside the folder. An archive outside the folder has the member "secret".
const secret = 42

// TestExchanged tests that nothing outside a folder is shown or listed while entries of the folder are rapidly replaced
// by links that lead out of it. The replaced entry is a file, an archive, a folder with a file in it, or the target of
// a link. NDMAP_ATTACK sets the seconds per case; the default is a quarter of a second.
func TestExchanged(t *testing.T) {
	while := time.Duration(oracle.EnvInt(t, "NDMAP_ATTACK", 0)) * time.Second
	if while == 0 {
		while = time.Second / 4
	}
	outside, dir := inMemory(t), inMemory(t)
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip("no symbolic links: ", err)
	}
	write(t, outside, secret)
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, 1)
	write(t, filepath.Join(dir, "sub"), 1)
	err := errors.Join(os.Remove(filepath.Join(dir, "link")), os.Symlink("a.npy", filepath.Join(dir, "b.npy")))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, exchanged, member string }{
		{"a.npy", "a.npy", ""},
		{"c.npz", "c.npz", "x"},
		{filepath.Join("sub", "a.npy"), "sub", ""},
		{"b.npy", "a.npy", ""},
	} {
		s, err := New(Config{Recursive: true, Inflate: 1 << 20}, dir)
		if err != nil {
			t.Fatal(err)
		}
		s.Tree()
		a, err := s.Array(idOf(filepath.Join(dir, tt.name), tt.member))
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(outside, tt.exchanged)
		if tt.exchanged == "sub" {
			to = outside
		}
		var done atomic.Bool
		ended := make(chan int)
		go func() {
			n := 0
			for ; !done.Load(); n++ {
				if err := exchange(filepath.Join(dir, tt.exchanged), to, tt.exchanged == "sub"); err != nil {
					t.Error(err)
					break
				}
			}
			ended <- n
		}()
		opened, refused, leaked, listed := 0, 0, 0, 0
		for end := time.Now().Add(while); time.Now().Before(end); {
			switch x, err := first(s, a); {
			case err != nil:
				refused++
			case x == secret:
				leaked++
			default:
				opened++
			}
			if (opened+refused)%8 == 0 {
				s.Tree()
				if _, err := s.Array(idOf(filepath.Join(dir, "c.npz"), "secret")); err == nil {
					listed++
				}
			}
		}
		done.Store(true)
		exchanges := <-ended
		t.Logf("%s: %d exchanges of %s; opened %d times, refused %d times", tt.name, exchanges, tt.exchanged, opened, refused)
		if leaked > 0 || listed > 0 {
			t.Errorf("%s: an element from outside was shown %d times of %d, a name listed %d times",
				tt.name, leaked, opened+leaked+refused, listed)
		}
		if opened == 0 || exchanges < 2 {
			t.Errorf("%s: opened %d times, exchanged %d times", tt.name, opened, exchanges)
		}
		if x, err := first(s, a); err != nil || x != 1 {
			t.Errorf("%s: in the end %v, %v", tt.name, x, err)
		}
	}
}

// inMemory returns a temporary folder in memory if possible, because renames are faster there.
func inMemory(t *testing.T) string {
	if dir, err := oracle.TempIn(t, "/dev/shm"); err == nil {
		return dir
	}
	return t.TempDir()
}

// write writes an array and an archive of elements x to a folder.
func write(t *testing.T, dir string, x int32) {
	t.Helper()
	v, err := array.FromSlice([]int32{x, x, x})
	if err != nil {
		t.Fatal(err)
	}
	members := map[string]array.Array{"x": v.Array()}
	if x == secret {
		members["secret"] = v.Array()
	}
	err = errors.Join(array.Save(filepath.Join(dir, "a.npy"), v.Array()), npz.Save(filepath.Join(dir, "c.npz"), members))
	if err != nil {
		t.Fatal(err)
	}
}

// exchange replaces path by a symbolic link to the path to, and then restores it. If path is a file, some file exists
// at path at all times. If path is a folder, it is missing for a moment.
func exchange(path, to string, isFolder bool) error {
	other, kept := path+".other", path+".kept"
	err := os.Symlink(to, other)
	if isFolder {
		if err == nil {
			err = os.Rename(path, kept)
		}
		if err == nil {
			err = os.Rename(other, path)
		}
		if err == nil {
			err = os.Rename(path, other)
		}
		if err == nil {
			err = os.Rename(kept, path)
		}
		return errors.Join(err, os.Remove(other))
	}
	if err == nil {
		err = os.Link(path, kept)
	}
	if err == nil {
		err = os.Rename(other, path)
	}
	if err == nil {
		err = os.Rename(kept, path)
	}
	return err
}

// first opens an array and returns its first element.
func first(s *Set, a *Array) (int32, error) {
	g, err := s.load(a)
	if err != nil {
		return 0, err
	}
	defer g.drop()
	defer g.release()
	v, err := array.As[int32](g.array)
	if err != nil {
		return 0, err
	}
	return v.At(0), nil
}
