//go:build unix

package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/index"
)

// TestFewDescriptors opens more idle connections to an npyview than it may have descriptors. Further requests must
// still be answered.
func TestFewDescriptors(t *testing.T) {
	path := save(t, filepath.Join(t.TempDir(), "a.npy"), "<f4", index.C, fillRamp, 3)
	for _, limit := range []int{256, 512, 1024} {
		t.Run(strconv.Itoa(limit), func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("sh", "-c", `ulimit -n "$1" && exec "$0" "$2"`, os.Args[0], strconv.Itoa(limit), path)
			cmd.Env = append(os.Environ(), "NDMAP_TEST_CHILD=npyview")
			var stderr strings.Builder
			cmd.Stderr = &stderr
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				cmd.Process.Kill()
				cmd.Wait()
				if stderr.Len() > 0 {
					t.Errorf("npyview says %.500s", &stderr)
				}
			})
			s := newSession(t, stdin, stdout).enter()
			url := s.base + "/api/array/" + s.id("a.npy")
			halfOpen(t, strings.TrimPrefix(s.base, "http://"), limit+50)
			for range 3 {
				client := s.newClient()
				client.Timeout = 10 * time.Second
				start := time.Now()
				a, err := client.Get(url)
				if err != nil {
					t.Fatal(err)
				}
				a.Body.Close()
				t.Logf("%s after %v", a.Status, time.Since(start).Round(time.Millisecond))
				if a.StatusCode != http.StatusOK {
					t.Error(a.Status)
				}
			}
		})
	}
}
