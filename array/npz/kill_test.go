package npz

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// init runs the process that TestKill kills.
func init() {
	var path string
	var seed uint64
	if n, _ := fmt.Sscanf(os.Getenv("NDMAP_TEST_CHILD"), "npz %q %d", &path, &seed); n == 2 {
		fmt.Println(editAndSync(path, rand.New(rand.NewPCG(seed, 0))))
		os.Exit(1)
	}
}

// editAndSync edits members of an archive and syncs them until the process is killed. Sometimes it closes the archive
// and opens it again. It prints "ready" once, and "synced" after each Sync and Close.
func editAndSync(path string, r *rand.Rand) error {
	fmt.Println("ready")
	for {
		a, err := Open(path, mmap.ReadWrite)
		if err != nil {
			return err
		}
		names := a.Names()
		for range 1 + r.IntN(4) {
			for range r.IntN(4) {
				x, err := a.Array(names[r.IntN(len(names))])
				if err != nil {
					return err
				}
				v, err := array.As[float64](x)
				if err != nil {
					return err
				}
				for range r.IntN(100) {
					v.SetAt(r.Float64(), r.IntN(v.Len(0)))
				}
			}
			if err := a.Sync(); err != nil {
				return err
			}
			fmt.Println("synced")
		}
		if err := a.Close(); err != nil {
			return err
		}
		fmt.Println("synced")
	}
}

// TestKill kills a process that edits the members of archives and syncs them, at random moments. After each kill, Open
// must accept the archive, Verify must find the members whose CRC is stale, Repair must update their CRC, and NumPy
// must read the archive.
//
// NDMAP_KILLS is the number of kills; `make long-kill` does 500.
func TestKill(t *testing.T) {
	oracle.OneGoroutine(t)
	r := oracle.Rand(t, 0)
	kills := oracle.EnvInt(t, "NDMAP_KILLS", 15)
	var python *oracle.Proc
	if _, _, ok := oracle.Python(); ok || os.Getenv("NDMAP_NUMPY") == "require" {
		python = oracle.Start(t)
		check(t, python.Run("import zipfile", nil, nil))
	}
	dirs := []string{t.TempDir()}
	// In memory a sync takes no time, so more kills fall between the writes of the CRCs.
	if dir, err := oracle.TempIn(t, "/dev/shm"); err == nil {
		dirs = append(dirs, dir)
	}
	stale, synced := 0, 0
	for k := range kills {
		path := fmt.Sprintf("%s/%d.npz", dirs[k%len(dirs)], k/4)
		if _, err := os.Stat(path); err != nil {
			if k/4%4 == 3 {
				saveWithDescriptors(t, path, "a", "b", "c")
			} else {
				cfg := SaveConfig{Format: []Format{Aligned, Savez, OldSavez}[k/4%3], NoSync: true}
				check(t, cfg.Save(path, map[string]array.Array{"a": numbers(10), "b": numbers(1000), "c": numbers(100_000),
					"d": numbers(1)}))
			}
		}
		lines, err := oracle.Kill(t, fmt.Sprintf("npz %q %d", path, r.Uint64()),
			time.Duration(r.Int64N(int64(15*time.Millisecond))))
		check(t, err)
		for _, line := range lines {
			if line != "synced" {
				t.Fatal(line)
			}
			synced++
		}
		stale += checkArchive(t, path, python)
	}
	t.Logf("%d kills, %d syncs; %d members were stale", kills, synced, stale)
	if kills > 0 && synced == 0 {
		t.Error("no process did anything")
	}
	if python == nil {
		t.Skip("no NumPy: archives were not read there")
	}
}

// checkArchive tests Verify and Repair on the archive at path, and returns the number of members whose CRC was stale.
func checkArchive(t *testing.T, path string, python *oracle.Proc) (stale int) {
	t.Helper()
	a, err := Open(path, mmap.ReadWrite)
	check(t, err)
	b := a.Map().Bytes()
	var want []string
	for i := range a.members {
		m := &a.members[i]
		crc := crc32.ChecksumIEEE(b[m.Data : m.Data+m.Compressed])
		whole := true
		for _, at := range m.CRCAt {
			whole = whole && (at == 0 || readCRC(b, at) == crc)
		}
		if !whole {
			want = append(want, m.Name)
		}
		if err := a.Verify(m.Name); (err == nil) != whole {
			t.Fatalf("%s: the CRC is right: %v; Verify: %v", m.Name, whole, err)
		}
	}
	names, err := a.Repair()
	if err != nil || !slices.Equal(names, want) {
		t.Fatalf("Repair: %v, %v, want %v", names, err, want)
	}
	for _, name := range a.Names() {
		check(t, a.Verify(name))
	}
	check(t, a.Close())
	if python != nil {
		check(t, python.Run("with np.load(x) as z: assert z.zip.testzip() is None; [z[n] for n in z.files]", path, nil))
	}
	return len(names)
}
