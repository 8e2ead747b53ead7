package main

import (
	"bytes"
	"log"
	"math/rand/v2"
	"os"
	"runtime"

	"github.com/kshedden/gonpy"
	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
	"github.com/sbinet/npyio"
	"gonum.org/v1/gonum/floats"
)

// sink keeps results alive.
//
//lint:ignore U1000 it is only written
var sink float64

func must[T any](x T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return x
}

const (
	n0, n1, n2 = 1000, 1000, 100
	elements   = n0 * n1 * n2
)

// file opens the file called name for writing. If the file does not exist, file creates it, with rows that count from 0
// to 99 repeatedly.
func file(dir, name string, d dtype.DType, order index.Order, shape ...int) *array.File {
	path := pathIn(dir, name)
	if f, err := array.Open(path, mmap.ReadWrite); err == nil {
		return f
	}
	f := must(array.Create(path, d, order, shape...))
	row := must(array.FromSlice(make([]float64, shape[len(shape)-1])))
	for i := range row.Len(0) {
		row.SetAt(float64(i%100), i)
	}
	check(array.Copy(f.Array, row.Array()))
	return f
}

// float64s is like file, and returns a view of float64 elements.
func float64s(dir, name string, d dtype.DType, order index.Order, shape ...int) array.View[float64] {
	return must(array.As[float64](file(dir, name, d, order, shape...).Array))
}

var (
	little = dtype.Float64.WithByteOrder(dtype.LittleEndian)
	bigEnd = dtype.Float64.WithByteOrder(dtype.BigEndian)
)

// sumSlice adds the elements of s in a plain loop.
func sumSlice(s []float64) (sum float64) {
	for _, x := range s {
		sum += x
	}
	return sum
}

// normals is the number of elements of r.npy.
const normals = elements / 4

// openNormal opens r.npy, which contains normally distributed numbers. If the file does not exist, openNormal creates
// it.
func openNormal(dir string) array.View[float64] {
	_, err := os.Stat(pathIn(dir, "r.npy"))
	v := float64s(dir, "r.npy", little, index.C, normals)
	if err != nil {
		r := rand.New(rand.NewPCG(1, 2))
		for b := range v.Update(index.C) {
			for i := range b {
				b[i] = r.NormFloat64()
			}
		}
	}
	return v
}

func sumOf(block []float64) (float64, error) { return floats.Sum(block), nil }

func plus(a, b float64) float64 { return a + b }

func twicePlusOne(dst, src []float64) error {
	for i, x := range src {
		dst[i] = x*2 + 1
	}
	return nil
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

var rows = []func(dir string) row{
	func(dir string) row {
		s := must(float64s(dir, "c.npy", little, index.C, n0, n1, n2).Data())
		d := make([]float64, len(s))
		return row{name: "copy(), the limit of copies by one core", bytes: 8 * elements, ndmap: func() { copy(d, s) }}
	},
	func(dir string) row {
		f := must(array.New(dtype.Float64, index.C, elements))
		f.Map().Advise(0, f.Map().Len(), mmap.HugePage)
		v := must(array.As[float64](f.Array))
		return row{name: "Fill, the limit of writing", bytes: 8 * elements, setup: "o = np.empty(100000000)",
			numpy: "o.fill(1)", ndmap: func() { v.Fill(1) }}
	},
	func(dir string) row {
		v := float64s(dir, "c.npy", little, index.C, n0, n1, n2)
		s := must(v.Data())
		return row{name: "range v.Values(), sum in user code; others: the plain slice loop", bytes: 8 * elements,
			ndmap: func() {
				sum := 0.0
				for x := range v.Values() {
					sum += x
				}
				sink = sum
			},
			peers: map[string]func(){"slice": func() { sink = sumSlice(s) }}}
	},
	func(dir string) row {
		v := float64s(dir, "c.npy", little, index.C, n0, n1, n2)
		return row{name: "Sum, one goroutine; others: bytes.IndexByte of what is not there, the limit of reading",
			bytes: 8 * elements,
			ndmap: func() {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
				sink = array.Sum[float64](v)
			},
			peers: map[string]func(){"read": func() {
				for b := range must(array.As[byte](must(v.Array().Reinterpret(dtype.Uint8)))).Blocks(index.C) {
					sink += float64(bytes.IndexByte(b, 0xab))
				}
			}}}
	},
	func(dir string) row {
		v := float64s(dir, "c.npy", little, index.C, n0, n1, n2)
		return row{name: "Sum", bytes: 8 * elements, setup: "a = np.load('c.npy', mmap_mode='r')", numpy: "a.sum()",
			ndmap: func() { sink = array.Sum[float64](v) }}
	},
	func(dir string) row {
		v := float64s(dir, "c.npy", little, index.C, n0, n1, n2)
		return row{name: "Reduce, of gonum's floats.Sum; others: Sum", bytes: 8 * elements,
			ndmap: func() { sink = must(array.Reduce(v, sumOf, plus)) },
			peers: map[string]func(){"Sum": func() { sink = array.Sum[float64](v) }}}
	},
	func(dir string) row {
		v := float64s(dir, "c.npy", little, index.C, n0, n1, n2)
		f := must(array.New(dtype.Float64, index.C, v.Shape()...))
		f.Map().Advise(0, f.Map().Len(), mmap.HugePage)
		o := must(array.As[float64](f.Array))
		return row{name: "Map, x*2 + 1 in user code", bytes: 8 * elements,
			setup: "a = np.load('c.npy', mmap_mode='r'); o = np.empty(a.shape)",
			numpy: "np.multiply(a, 2, out=o); np.add(o, 1, out=o)",
			ndmap: func() { check(array.Map(o, v, twicePlusOne)) }}
	},
	func(dir string) row {
		v := float64s(dir, "f.npy", little, index.F, n0, n1, n2)
		f := must(array.New(dtype.Float64, index.C, v.Shape()...))
		f.Map().Advise(0, f.Map().Len(), mmap.HugePage)
		o := must(array.As[float64](f.Array))
		return row{name: "Map, x*2 + 1 in user code, F order → C order", bytes: 8 * elements,
			setup: "a = np.load('f.npy', mmap_mode='r'); o = np.empty(a.shape)",
			numpy: "np.multiply(a, 2, out=o); np.add(o, 1, out=o)",
			ndmap: func() { check(array.Map(o, v, twicePlusOne)) }}
	},
	func(dir string) row {
		v := openNormal(dir)
		return row{name: "Quantile 0.5, random numbers", bytes: 8 * normals,
			setup: "a = np.load('r.npy', mmap_mode='r')", numpy: "np.quantile(a, 0.5)",
			ndmap: func() { sink = must(array.Quantile(v, 0.5))[0] }}
	},
	func(dir string) row {
		v := openNormal(dir)
		qs := []float64{0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99}
		return row{name: "Quantile of seven, random numbers", bytes: 8 * normals,
			setup: "a = np.load('r.npy', mmap_mode='r')", numpy: "np.quantile(a, [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99])",
			ndmap: func() { sink = must(array.Quantile(v, qs...))[0] }}
	},
	func(dir string) row {
		v := openNormal(dir)
		return row{name: "ArgSort, random numbers", bytes: 8 * normals,
			setup: "a = np.load('r.npy', mmap_mode='r')", numpy: "np.argsort(a, kind='stable')",
			ndmap: func() { sink = float64(must(array.ArgSort(v.Array()))[0]) }}
	},
	func(dir string) row {
		v := openNormal(dir)
		return row{name: "TopK of ten, random numbers", bytes: 8 * normals,
			setup: "a = np.load('r.npy', mmap_mode='r')", numpy: "np.argpartition(a, -10)[-10:]",
			ndmap: func() { sink = float64(must(array.TopK(v.Array(), 10, false))[0]) }}
	},
	func(dir string) row {
		v := openNormal(dir)
		edges := make([]float64, 257)
		for i := range edges {
			edges[i] = -4 + 8*float64(i)/256
		}
		return row{name: "Histogram, 256 bins, random numbers", bytes: 8 * normals,
			setup: "a = np.load('r.npy', mmap_mode='r'); e = np.linspace(-4, 4, 257)", numpy: "np.histogram(a, bins=e)",
			ndmap: func() { sink = float64(must(array.Histogram(v, edges))[0]) }}
	},
	func(dir string) row {
		v := float64s(dir, "big.npy", bigEnd, index.C, n0, n1, n2)
		return row{name: "Sum, big-endian", bytes: 8 * elements, setup: "a = np.load('big.npy', mmap_mode='r')",
			numpy: "a.sum()", ndmap: func() { sink = array.Sum[float64](v) }}
	},
	func(dir string) row {
		v := float64s(dir, "big.npy", bigEnd, index.C, n0, n1, n2)
		return copyRow("copy big-endian → native", v.Array(), dtype.Float64, "a = np.load('big.npy', mmap_mode='r')")
	},
	func(dir string) row {
		v := float64s(dir, "big.npy", bigEnd, index.C, n0, n1, n2).Index(0)
		v = must(v.Select(index.Range(0, 655)))
		return copyRow("copy big-endian → native, in cache (512 KiB)", v.Array(), dtype.Float64,
			"a = np.load('big.npy', mmap_mode='r')[0, :655]")
	},
	func(dir string) row {
		v := float64s(dir, "f.npy", little, index.F, n0, n1, n2)
		return copyRow("F order → C order", v.Array(), dtype.Float64, "a = np.load('f.npy', mmap_mode='r')")
	},
	func(dir string) row {
		v := float64s(dir, "m.npy", little, index.C, 2000, 2000)
		return copyRow("transpose-copy, 2000 × 2000", v.T().Array(), dtype.Float64, "a = np.load('m.npy', mmap_mode='r').T")
	},
	func(dir string) row {
		v := must(float64s(dir, "c.npy", little, index.C, n0, n1, n2).Reshape(10000, 10000))
		v = must(v.Select(index.Colon, index.From(0).Every(2)))
		return copyRow("[:, ::2] → contiguous", v.Array(), dtype.Float64,
			"a = np.load('c.npy', mmap_mode='r').reshape(10000, 10000)[:, ::2]")
	},
	func(dir string) row {
		v := float64s(dir, "c.npy", little, index.C, n0, n1, n2)
		return copyRow("float64 → float32", v.Array(), dtype.Float32, "a = np.load('c.npy', mmap_mode='r')")
	},
	func(dir string) row {
		f := file(dir, "i2.npy", dtype.Int16.WithByteOrder(dtype.LittleEndian), index.C, n0, n1, n2)
		return copyRow("int16 → float32", f.Array, dtype.Float32, "a = np.load('i2.npy', mmap_mode='r')")
	},
	func(dir string) row {
		f := file(dir, "u1.npy", dtype.Uint8, index.C, n0, n1, n2)
		return copyRow("uint8 → float32", f.Array, dtype.Float32, "a = np.load('u1.npy', mmap_mode='r')")
	},
	func(dir string) row {
		v := must(array.As[float32](file(dir, "t.npy", dtype.Float32.WithByteOrder(dtype.LittleEndian), index.C, 1<<20,
			256).Array))
		rows := make([]int, 100_000)
		r := rand.New(rand.NewPCG(1, 2))
		for k := range rows {
			rows[k] = r.IntN(v.Len(0))
		}
		array.Save(pathIn(dir, "i.npy"), must(array.FromSlice(rows)).Array())
		var buf []float32
		return row{name: "AppendRows, 100,000 random rows of 256 float32 from 1 GiB, into a reused buffer",
			bytes: 100_000 * 256 * 4,
			setup: "a = np.load('t.npy', mmap_mode='r'); b = np.load('i.npy'); o = np.empty((100000, 256), 'f4')",
			numpy: "np.take(a, b, axis=0, out=o)",
			ndmap: func() { buf = must(v.AppendRows(buf[:0], rows)) }}
	},
	func(dir string) row {
		v := float64s(dir, "c.npy", little, index.C, n0, n1, n2)
		return row{name: "Save, synced", bytes: 8 * elements,
			setup: "import os; a = np.load('c.npy', mmap_mode='r')",
			numpy: "f = open('saved-numpy.npy', 'wb'); np.save(f, a); f.flush(); os.fsync(f.fileno()); f.close()",
			ndmap: func() {
				if err := array.Save(pathIn(dir, "saved.npy"), v.Array()); err != nil {
					log.Fatal(err)
				}
			}}
	},
	func(dir string) row {
		file(dir, "m.npy", little, index.C, 2000, 2000).Close()
		path := pathIn(dir, "m.npy")
		return row{name: "Open, As, Close", setup: "a = None", numpy: "np.load('m.npy', mmap_mode='r')", ndmap: func() {
			f := must(array.Open(path, mmap.ReadOnly))
			must(array.As[float64](f.Array))
			f.Close()
		}}
	},
	func(dir string) row {
		v := float64s(dir, "c.npy", little, index.C, n0, n1, n2)
		s := must(v.Data())
		return row{name: "v.At(i, j, k), sum in user code; others: the plain slice loop", bytes: 8 * elements,
			ndmap: func() {
				sum := 0.0
				for i := range n0 {
					for j := range n1 {
						for k := range n2 {
							sum += v.At(i, j, k)
						}
					}
				}
				sink = sum
			},
			peers: map[string]func(){"slice": func() { sink = sumSlice(s) }}}
	},
	func(dir string) row {
		m := must(must(float64s(dir, "c.npy", little, index.C, n0, n1, n2).Reshape(n0, -1)).Matrix())
		s := must(float64s(dir, "c.npy", little, index.C, n0, n1, n2).Data())
		return row{name: "Matrix.At(i, j), sum in user code; others: the plain slice loop", bytes: 8 * elements,
			ndmap: func() {
				sum := 0.0
				for i := range n0 {
					for j := range n1 * n2 {
						sum += m.At(i, j)
					}
				}
				sink = sum
			},
			peers: map[string]func(){"slice": func() { sink = sumSlice(s) }}}
	},
	func(dir string) row {
		// This file is small, because npyio takes a minute for 800 MB.
		file(dir, "s.npy", little, index.C, n0, n1).Close()
		path := pathIn(dir, "s.npy")
		return row{name: "open and sum a file of 8 MB", bytes: 8 * n0 * n1, setup: "a = None",
			numpy: "np.load('s.npy', mmap_mode='r').sum()",
			ndmap: func() {
				f := must(array.Open(path, mmap.ReadOnly))
				sink = array.Sum[float64](must(array.As[float64](f.Array)))
				f.Close()
			},
			peers: map[string]func(){
				"gonpy": func() { sink = sumSlice(must(must(gonpy.NewFileReader(path)).GetFloat64())) },
				"npyio": func() {
					f := must(os.Open(path))
					var s []float64
					if err := npyio.Read(f, &s); err != nil {
						log.Fatal(err)
					}
					f.Close()
					sink = sumSlice(s)
				},
			}}
	},
}

// copyRow returns the row of a copy of a to existing memory with dtype d. setup sets the Python variable a to the same
// array.
func copyRow(name string, a array.Array, d dtype.DType, setup string) row {
	o := must(array.New(d, index.C, a.Shape()...))
	o.Map().Advise(0, o.Map().Len(), mmap.HugePage) // like np.empty
	return row{name: name, bytes: a.NBytes(),
		setup: setup + "; o = np.empty(a.shape, '" + d.String() + "')",
		numpy: "np.copyto(o, a, casting='unsafe')",
		ndmap: func() {
			if err := array.Copy(o.Array, a); err != nil {
				log.Fatal(err)
			}
		}}
}
