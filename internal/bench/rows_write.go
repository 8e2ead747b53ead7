package main

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// writes lists works that write a new file, in the page cache and on stable storage. Each first removes the file of the
// round before: replacing a file waits until the system has stored the pages that it is storing.
var writes = []struct {
	name, source string
	from, to     dtype.DType
	fromOrder    index.Order
}{
	{"Save", "c.npy", little, little, index.C},
	{"Convert, big-endian to little-endian", "big.npy", bigEnd, little, index.C},
	{"Convert, float64 to float32", "c.npy", little, dtype.Float32, index.C},
	{"Convert, F order to C order", "fortran.npy", little, little, index.F},
}

func init() {
	for _, w := range writes {
		for _, sync := range []bool{false, true} {
			rows = append(rows, func(dir string) row {
				shape := []int{n0, n1 * n2}
				if w.fromOrder == index.C {
					shape = []int{n0, n1, n2}
				}
				f := file(dir, w.source, w.from, w.fromOrder, shape...)
				name, flush, conv := w.name+", in the page cache", "", "conv=notrunc"
				if sync {
					name, flush, conv = w.name+", synced", "; f.flush(); os.fsync(f.fileno())", "conv=fsync"
				}
				python := fmt.Sprintf("pathlib.Path('saved-numpy.npy').unlink(True); f = open('saved-numpy.npy', 'wb'); "+
					"np.save(f, np.asarray(a, '%v', 'C'))%s; f.close()", w.to, flush)
				cfg := array.SaveConfig{NoSync: !sync}
				bytes := elements * w.to.ItemSize()
				return row{name: name + "; others: dd of as many bytes", bytes: bytes,
					setup: "import os, pathlib; a = np.load('" + w.source + "', mmap_mode='r')", numpy: python,
					ndmap: func() {
						os.Remove(pathIn(dir, "saved.npy"))
						check(cfg.Convert(pathIn(dir, "saved.npy"), f.Array, w.to, index.C))
					},
					peers: map[string]func(){"dd": func() {
						out := pathIn(dir, "saved-dd.npy")
						os.Remove(out)
						check(exec.Command("dd", "if="+pathIn(dir, w.source), "of="+out, "bs=1M",
							fmt.Sprintf("count=%d", bytes>>20), conv, "status=none").Run())
					}}}
			})
		}
	}
}
