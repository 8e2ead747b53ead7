package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

//go:embed loop_c.txt
var loopSource string

// runLoop times reductions of a file of mb MB that is in memory, alternating with a loop in C that adds the words of
// the file in one thread per processor. The loop shows the speed of the memory, which limits the reductions.
func runLoop(dir string, mb, rounds int) error {
	source, program, data := pathIn(dir, "loop.c"), pathIn(dir, "loop"), pathIn(dir, "loop.npy")
	if err := os.WriteFile(source, []byte(loopSource), 0o666); err != nil {
		return err
	}
	if out, err := exec.Command("cc", "-O3", "-march=native", "-pthread", "-o", program,
		source).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	rows := mb << 20 / 8192
	f := must(array.Create(data, dtype.Float64, index.C, rows, 1024))
	numbers := must(must(array.As[float64](f.Array)).Data())
	for i := range numbers {
		numbers[i] = float64(i % 100)
	}
	must(0, f.Close())
	f = must(array.Open(data, mmap.ReadOnly))
	defer f.Close()

	cmd := exec.Command(program, data, strconv.Itoa(runtime.GOMAXPROCS(0)))
	to := must(cmd.StdinPipe())
	from := bufio.NewScanner(must(cmd.StdoutPipe()))
	must(0, cmd.Start())
	c := func(times int) (seconds float64) {
		for range times {
			must(io.WriteString(to, "\n"))
			from.Scan()
			var s float64
			var sum uint64
			must(fmt.Sscan(from.Text(), &s, &sum))
			seconds += s
		}
		return seconds / float64(times)
	}
	fmt.Printf("| %d MB | ndmap | C, %d threads | C ÷ ndmap |\n|---|---|---|---|\n", mb, runtime.GOMAXPROCS(0))
	for _, code := range []string{"<f8", "<f4", "<i8", "<i2", "|u1"} {
		a := must(f.Reinterpret(must(dtype.Parse(code))))
		for _, r := range []array.Reduction{{Op: array.OpSum}, {Op: array.OpMean}, {Op: array.OpMax},
			{Op: array.OpSum, Axes: []int{0}}, {Op: array.OpSum, Axes: []int{1}}} {
			reduce, result := newReduction(r, a)
			t := timeAlternately(map[string]func(int) float64{"c": c, "ndmap": func(times int) float64 {
				return averageTime(times, func() { reduce() })
			}}, rounds)
			result.Close()
			fmt.Printf("| %s | %s | %s | %.2f |\n", reductionName(r, code), formatTime(t["ndmap"], f.NBytes()),
				formatTime(t["c"], f.NBytes()),
				t["c"]/t["ndmap"])
		}
	}
	must(0, to.Close())
	return cmd.Wait()
}

// reductionName returns the name of a reduction in the table.
func reductionName(r array.Reduction, code string) string {
	if r.Axes == nil {
		return fmt.Sprintf("%v %s", r.Op, code)
	}
	return fmt.Sprintf("%v %s, axis %d", r.Op, code, r.Axes[0])
}
