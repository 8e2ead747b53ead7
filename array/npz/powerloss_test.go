package npz

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestPowerLossAppend simulates a power failure after every step of Append. The simulated disk contains any subset of
// the sectors that were not synced, and path names the old or the new file if the rename was not synced. The archive
// must then be the old or the new one. NDMAP_CASES=10 runs 500 cases.
func TestPowerLossAppend(t *testing.T) {
	oracle.OneGoroutine(t)
	r := oracle.Rand(t, 48)
	defer func() { observe = func(string, string) {} }()
	crashes, new := 0, 0
	for range oracle.Cases(t, 50) {
		dir := t.TempDir()
		path := filepath.Join(dir, "a.npz")
		cfg := SaveConfig{Compress: r.IntN(2) == 0, NoSync: true}
		check(t, cfg.Save(path, map[string]array.Array{"a": numbers(r.IntN(1000)), "b": numbers(r.IntN(10))}))
		old := must(os.ReadFile(path))
		var stored []byte             // synced content of the new file
		mayOld, mayNew := true, false // whether path may be the old or the new archive after a crash
		w := must(Append(path))
		w.Compress = cfg.Compress
		now := func() []byte {
			if b, err := io.ReadAll(io.NewSectionReader(w.file, 0, 1<<40)); err == nil {
				return b
			}
			return must(os.ReadFile(path)) // the temporary file is closed and renamed
		}
		var images [][]byte // possible contents of path after a crash
		crash := func() {
			for range 5 {
				crashes++
				if mayNew && !(mayOld && r.IntN(2) == 0) {
					images = append(images, tornContent(r, stored, now()))
				} else {
					images = append(images, old)
				}
			}
		}
		observe = func(op, name string) { stored = now(); crash() }
		w.file.Observe = func(op, name string) {
			switch op {
			case "name":
				mayNew = true
			case "sync":
				mayOld = false
			}
			crash()
		}
		crash()
		for _, name := range []string{"x", "y"}[:1+r.IntN(2)] {
			check(t, w.Add(name, numbers(r.IntN(3000))))
			crash()
		}
		check(t, w.Close())
		complete := must(os.ReadFile(path))
		for _, image := range images {
			switch {
			case bytes.Equal(image, complete):
				new++
			case !bytes.Equal(image, old):
				t.Fatalf("path has %d bytes, want the old archive of %d bytes or the new one of %d", len(image), len(old),
					len(complete))
			}
		}
		if last := images[len(images)-1]; !bytes.Equal(last, complete) {
			t.Fatal("after Close the archive is the old one")
		}
	}
	t.Logf("%d crashes, %d of them left the new archive", crashes, new)
	if new == 0 || new == crashes {
		t.Error("want crashes that leave the old archive and crashes that leave the new one")
	}
}

// tornContent returns a possible content of a file after a power failure. Each sector has its synced content or the
// content that was written after the last sync.
func tornContent(r *rand.Rand, stored, now []byte) []byte {
	if stored == nil {
		stored = []byte{}
	}
	image := slices.Clone(now)
	if r.IntN(2) == 0 {
		image = image[:len(stored)]
	}
	for at := 0; at < len(image); at += 512 {
		if r.IntN(2) == 0 {
			end := min(at+512, len(image))
			clear(image[at:end])
			if at < len(stored) {
				copy(image[at:end], stored[at:])
			}
		}
	}
	return image
}
