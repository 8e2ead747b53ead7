package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
)

// coldLimit is the memory limit in bytes of a sum of a file that is not in memory. It includes the page cache.
const coldLimit = 512 << 20

// runCold sums a file of gb GB that is not in memory, alternating with dd, which reads the file. The sum runs in a
// separate process, with a memory limit if this process may set one.
func runCold(dir string, gb, rounds int) {
	path := pathIn(dir, "cold.npy")
	f := must(array.Create(path, little, index.C, gb, 125_000_000))
	x := 0.0
	for b := range must(array.As[float64](f.Array)).Update(index.C) {
		for i := range b {
			b[i] = x
			x++
		}
	}
	f.Close()

	limit := fmt.Sprintf("under a limit of %d MiB", coldLimit>>20)
	group, err := newGroup(coldLimit)
	if err != nil {
		limit = fmt.Sprintf("without a limit of memory: %v", err)
	}
	defer group.free()
	var sums, reads []float64
	rss := 0
	for range rounds {
		dropCache(path)
		reads = append(reads, averageTime(1, func() {
			must(exec.Command("dd", "if="+path, "of=/dev/null",
				"bs=4M").CombinedOutput())
		}))
		dropCache(path)
		sums = append(sums, averageTime(1, func() {
			cmd := group.command(context.Background(), must(os.Executable()), "-sum", path)
			cmd.Stderr = os.Stderr
			must(cmd.Output())
			rss = max(rss, int(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)>>10)
		}))
	}
	ours, dd := median(sums), median(reads)
	fmt.Printf("cold Sum of %d GB: %s, dd: %s, ratio %.2f ×; resident at most %d MiB, %s\n",
		gb, formatTime(ours, gb*1e9), formatTime(dd, gb*1e9), dd/ours, rss, limit)
}

// dropCache evicts the pages of a file from the page cache.
func dropCache(path string) {
	f := must(os.Open(path))
	defer f.Close()
	must(0, f.Sync())
	must(0, unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED))
}

// settle waits until all files are written to disk, so that Linux does not write them during a measurement.
func settle() { unix.Sync() }
