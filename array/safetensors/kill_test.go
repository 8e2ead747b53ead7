package safetensors

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// init runs the process that TestKill kills.
func init() {
	var dir string
	var seed uint64
	if n, _ := fmt.Sscanf(os.Getenv("NDMAP_TEST_CHILD"), "safetensors %q %d", &dir, &seed); n == 2 {
		fmt.Println(saveAndCreate(dir, rand.New(rand.NewPCG(seed, 0))))
		os.Exit(1)
	}
}

// model returns three arrays whose elements are all n.
func model(n float64) map[string]array.Array {
	arrays := map[string]array.Array{}
	for i, length := range []int{1, 1000, 300_000} {
		s := make([]float64, length)
		for k := range s {
			s[k] = n
		}
		arrays[fmt.Sprint("w", i)] = must(array.FromSlice(s)).Array()
	}
	return arrays
}

// saveAndCreate saves models, and creates files and fills them, until the process is killed. It prints "ready" once,
// and "done" after each model and file.
func saveAndCreate(dir string, r *rand.Rand) error {
	fmt.Println("ready")
	for n := 1; ; n++ {
		sync := r.IntN(4) == 0
		if err := (SaveConfig{NoSync: !sync, Replace: true}).Save(filepath.Join(dir, "saved"), model(float64(n)),
			nil); err != nil {
			return err
		}
		list := []Tensor{{Name: "a", DType: dtype.Int8, Shape: []int{100_001}}, {Name: "b", DType: dtype.Float32,
			Shape: []int{100, 100}}}
		path := filepath.Join(dir, "created")
		pending := r.IntN(2) == 0
		cfg := SaveConfig{Replace: r.IntN(2) == 0, NoSync: !sync}
		create := cfg.Create
		if pending {
			create = cfg.CreatePending
		}
		f, err := create(path, list, map[string]string{"n": fmt.Sprint(n), "pending": fmt.Sprint(pending)})
		if errors.Is(err, fs.ErrExist) {
			if err := os.Remove(path); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		if err := fill(f, "a", int8(7)); err != nil {
			return err
		}
		if err := fill(f, "b", float32(7)); err != nil {
			return err
		}
		if pending {
			if err := f.Commit(); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
		if err := f.Close(); err != nil {
			return err
		}
		fmt.Println("done")
	}
}

func fill[T any](f *File, name string, x T) error {
	a, err := f.Array(name)
	if err != nil {
		return err
	}
	v, err := array.As[T](a)
	if err != nil {
		return err
	}
	v.Fill(x)
	return nil
}

// TestKill kills a process that saves and creates files, at random moments. After each kill the files must be complete:
// the saved file contains one model, and the created file contains all its tensors. Only some elements of the created
// file may be filled, except if it was pending: then all must be. At the end no other files may be left.
//
// NDMAP_KILLS is the number of kills; `make long-kill` does 500.
func TestKill(t *testing.T) {
	oracle.OneGoroutine(t)
	r := oracle.Rand(t, 0)
	kills := oracle.EnvInt(t, "NDMAP_KILLS", 15)
	dir := t.TempDir()
	done, files := 0, 0
	for k := 0; k < kills || files == 0 && k < 10*kills; k++ { // on a busy machine, continue with longer runs
		longest := 40 * time.Millisecond * time.Duration(1+k/kills)
		lines, err := oracle.Kill(t, fmt.Sprintf("safetensors %q %d", dir, r.Uint64()),
			time.Duration(r.Int64N(int64(longest))))
		check(t, err)
		for _, line := range lines {
			if line != "done" {
				t.Fatal(line)
			}
			done++
		}
		if f, err := Open(filepath.Join(dir, "saved"), mmap.ReadOnly); !errors.Is(err, fs.ErrNotExist) {
			check(t, err)
			files++
			n := must(array.As[float64](must(f.Array("w0")))).At(0)
			for _, name := range []string{"w0", "w1", "w2"} {
				if lo, hi := array.MinMax(must(array.As[float64](must(f.Array(name))))); lo != n || hi != n {
					t.Fatalf("%s is %v to %v, and the first element %v", name, lo, hi, n)
				}
			}
			check(t, f.Close())
		}
		if f, err := Open(filepath.Join(dir, "created"), mmap.ReadOnly); !errors.Is(err, fs.ErrNotExist) {
			check(t, err)
			if want := []string{"b", "a"}; !slices.Equal(f.Names(), want) || f.Metadata()["n"] == "" {
				t.Fatalf("%q, %q", f.Names(), f.Metadata())
			}
			for x := range must(array.As[int8](must(f.Array("a")))).Values() {
				if x != 7 && (x != 0 || f.Metadata()["pending"] == "true") {
					t.Fatal(x)
				}
			}
			check(t, f.Close())
		}
	}
	t.Logf("%d kills at least, %d times all was done, %d files", kills, done, files)
	if kills > 0 && files == 0 {
		t.Error("no process did anything")
	}
	check(t, Save(filepath.Join(dir, "saved"), model(1), nil))
	f, err := SaveConfig{Replace: true}.Create(filepath.Join(dir, "created"), nil, nil)
	check(t, err)
	check(t, f.Close())
	for _, e := range must(os.ReadDir(dir)) {
		name := e.Name()
		if unlocked := runtime.GOOS != "windows" || !strings.HasSuffix(name, ".ndmap-tmp"); unlocked && name != "saved" &&
			name != "created" {
			t.Errorf("%s was left", name)
		}
	}
}

// TestPowerLoss tests the order in which Save and Create write to the disk: they publish a file only after all its
// bytes are on stable storage, and sync the name before they return. So after a power failure path names the old file
// or the complete new one. The order in which the bytes are written does not matter, because the file has a temporary
// name until then.
func TestPowerLoss(t *testing.T) {
	path := temp(t)
	dir := filepath.Dir(path)
	arrays := map[string]array.Array{"w": must(array.New(dtype.Float64, index.C, 1000)).Array}
	list := []Tensor{{Name: "w", DType: dtype.Float64, Shape: []int{1000}}}
	for name, write := range map[string]func(SaveConfig) error{
		"Save": func(cfg SaveConfig) error { return cfg.Save(path, arrays, nil) },
		"Create": func(cfg SaveConfig) error {
			f, err := cfg.Create(path, list, nil)
			if err == nil {
				err = f.Close()
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, there := range []bool{false, true} {
				os.Remove(path)
				if there {
					check(t, Save(path, arrays, map[string]string{"old": "yes"}))
				}
				old, err := os.ReadFile(path)
				var steps []string
				stored := false // whether the whole content of the new file is synced
				observe = func(op, at string) {
					steps = append(steps, op)
					now, e := os.ReadFile(path)
					same := string(now) == string(old) && (e == nil) == (err == nil)
					switch op {
					case "write":
						stored = false
					case "sync":
						if at != filepath.Clean(dir) {
							stored = true
						}
					}
					if !same && !stored {
						t.Errorf("%s: after %v the path is another file, which is not stored", name, steps)
					}
					if same && op == "name" && !(there && slices.Index(steps, "name") < len(steps)-1) {
						t.Errorf("%s: after %v the path is what it was", name, steps)
					}
				}
				check(t, write(SaveConfig{Replace: true}))
				observe = func(string, string) {}
				steps = slices.Compact(steps)
				if want := []string{"write", "sync", "name", "sync"}; !slices.Equal(steps, want) {
					t.Errorf("%s, over a file: %v: %v, want %v", name, there, steps, want)
				}
			}
		})
	}
}
