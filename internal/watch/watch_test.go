package watch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// TestWait tests that Wait returns after a change, even a change before the call, after some time, and when ctx is
// done.
func TestWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("abc"), 0o666); err != nil {
		t.Fatal(err)
	}
	w, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { w.Close() }()
	wait := func(ctx context.Context) (time.Duration, error) {
		start := time.Now()
		err := w.Wait(ctx)
		return time.Since(start), err
	}
	most := pollInterval
	if runtime.GOOS == "linux" {
		most = notifiedWait
	}
	if took, err := wait(t.Context()); err != nil || took < most-time.Millisecond {
		t.Errorf("without a change: %v after %v, want %v", err, took, most)
	}
	for name, change := range map[string]func() error{
		"written": func() error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err == nil {
				_, err = f.WriteString("x")
				f.Close()
			}
			return err
		},
		"longer": func() error { return os.Truncate(path, 10) },
		"replaced": func() error {
			return errors.Join(os.WriteFile(path+"2", nil, 0o666), os.Rename(path+"2", path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && name == "replaced" {
				return
			}
			least := time.Hour
			for range 3 { // take the shortest time, as the machine may be busy
				if err := change(); err != nil {
					t.Fatal(err)
				}
				took, err := wait(t.Context())
				if least = min(least, took); err != nil {
					t.Fatal(err)
				}
			}
			if least > most/2+pollInterval {
				t.Errorf("%s: Wait took %v", name, least)
			}
			w.Close()
			if w, err = Open(path); err != nil { // watch the new file after "replaced"
				t.Fatal(err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Millisecond, cancel)
	for range 3 {
		if _, err := wait(ctx); err != nil && err != context.Canceled {
			t.Error(err)
		}
	}
	if took, err := wait(ctx); err != context.Canceled || took > 100*time.Millisecond {
		t.Errorf("canceled: %v after %v", err, took)
	}
	if w, err := Open(path + "3"); err == nil {
		t.Errorf("Open of a missing file returned %v", w)
	}
}
