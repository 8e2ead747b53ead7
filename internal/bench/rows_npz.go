package main

import (
	"log"
	"math"
	"math/rand/v2"
	"runtime"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

func init() { rows = append(rows, npzRows...) }

var npzRows = []func(dir string) row{
	func(dir string) row {
		f := file(dir, "t.npy", dtype.Float32.WithByteOrder(dtype.LittleEndian), index.C, 1<<20, 256)
		save(npz.SaveConfig{}, pathIn(dir, "t.npz"), map[string]array.Array{"a": f.Array, "b": f.Index(0)})
		return row{name: "npz: open and sum one stored member of 1 GiB; others: the same .npy", bytes: f.NBytes(),
			setup: "a = None", numpy: "np.load('t.npz')['a'].sum()",
			ndmap: func() { readNPZ(pathIn(dir, "t.npz"), "a") },
			peers: map[string]func(){"npy": func() {
				f := must(array.Open(pathIn(dir, "t.npy"), mmap.ReadOnly))
				sink = array.Sum[float64](must(array.As[float32](f.Array)))
				f.Close()
			}}}
	},
	func(dir string) row {
		n := createCompressed(dir)
		return row{name: "npz: read one compressed member of 8 MiB, one core", bytes: n / 8, setup: "a = None",
			numpy: "np.load('z.npz')['m0']",
			ndmap: func() {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
				a := must(npz.Open(pathIn(dir, "z.npz"), mmap.ReadOnly))
				must(a.Array("m0"))
				a.Close()
			}}
	},
	func(dir string) row {
		n := createCompressed(dir)
		return row{name: "npz: read 8 compressed members of 8 MiB", bytes: n, setup: "a = None",
			numpy: "[v for v in np.load('z.npz').values()]",
			ndmap: func() {
				a := must(npz.Open(pathIn(dir, "z.npz"), mmap.ReadOnly))
				must(a.Arrays(a.Names()...))
				a.Close()
			}}
	},
	func(dir string) row {
		n := createCompressed(dir)
		a := must(npz.Open(pathIn(dir, "z.npz"), mmap.ReadOnly))
		arrays := map[string]array.Array{}
		for _, name := range a.Names() {
			arrays[name] = must(a.Array(name))
		}
		return row{name: "npz: write 8 compressed members of 8 MiB", bytes: n, setup: "a = dict(np.load('z.npz'))",
			numpy: "np.savez_compressed('zn.npz', **a)",
			ndmap: func() { save(npz.SaveConfig{Compress: true, NoSync: true}, pathIn(dir, "zg.npz"), arrays) }}
	},
}

// save calls cfg.Save, replacing an existing file, and ends the program after an error.
func save(cfg npz.SaveConfig, path string, arrays map[string]array.Array) {
	cfg.Replace = true
	if err := cfg.Save(path, arrays); err != nil {
		log.Fatal(err)
	}
}

// readNPZ opens an archive and sums a member.
func readNPZ(path, name string) {
	a := must(npz.Open(path, mmap.ReadOnly))
	sink = array.Sum[float64](must(array.As[float32](must(a.Array(name)))))
	a.Close()
}

// createCompressed creates z.npz with typical arrays: noise, waves, counts and walks. It returns the size of the
// arrays in
// bytes.
func createCompressed(dir string) int {
	r := rand.New(rand.NewPCG(1, 2))
	arrays := map[string]array.Array{}
	const n = 1 << 20
	for k, name := range []string{"m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7"} {
		s, walk := make([]float64, n), 0.0
		for i := range s {
			walk += r.NormFloat64()
			s[i] = [...]float64{math.Round(r.NormFloat64()*100) / 100, math.Sin(float64(i) / 1000), float64(r.IntN(1000)),
				walk}[k%4]
		}
		arrays[name] = must(array.FromSlice(s)).Array()
	}
	save(npz.SaveConfig{Compress: true, NoSync: true}, pathIn(dir, "z.npz"), arrays)
	return 8 * 8 * n
}
