// Command bench runs the same operations alternately in ndmap, in NumPy, and in Go libraries that read .npy files, and
// prints a table. It is a separate module, so that ndmap does not depend on these libraries.
//
//	cd internal/bench && go run . [-n 5] [-rows Sum] [-cold 8]
//	cd internal/bench && go run . -random 200 [-seed 1] [-rows '^sum']
//	cd internal/bench && go run . -loop 400
//	cd internal/bench && go run . -tune 100 [-seed 1] [-rows 'without|elem']
//	cd internal/bench && go run . 'copy i1 F 2,3,256,8 to u2 C'
//
// Times are medians. The files, about 5 GB, are in a temporary folder, which bench removes.
//
// A work is an operation on arrays, described by a text: see [parse]. With -random, bench draws random works, for which
// the code has not been tuned. With arguments, it times the works that they describe. With -cold it sums a file of the
// given number of GB that is not in memory, alternating with dd. With -tune it measures changes to the source: see
// tune.
package main

import (
	"bufio"
	"cmp"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/mmap"
)

//go:embed driver.py
var script string

// A row describes a row of the table: an operation and its implementations.
type row struct {
	name  string
	bytes int               // the number of bytes that the operation reads
	setup string            // Python code to run once before numpy
	numpy string            // the operation in Python
	ndmap func()            // the operation in ndmap
	peers map[string]func() // other implementations, by name
}

func main() {
	log.SetFlags(0)
	n := flag.Int("n", 5, "number of `rounds`; times are medians of the rounds")
	only := flag.String("rows", "", "run only rows, and draw only works, that match the `regexp`")
	gb := flag.Int("cold", 0, "only sum a file of this many `GB` that is not in memory")
	works := flag.Int("random", -1, "time the fixed works and this many random `works` in ndmap and NumPy")
	svg := flag.String("svg", "", "write a plot of the works of -random to a `file`")
	seed := flag.Uint64("seed", 0, "`seed` of the random works; 0 draws a new seed and prints it")
	sum := flag.String("sum", "", "sum a `file`; -cold runs this in a process")
	mib := flag.Int("tight", 0,
		"measure reads of a file that is not in memory, with this many `MiB` of memory; with -random, by random works")
	loopMB := flag.Int("loop", 0,
		"only reduce a file of this many `MB` that is in memory, in turns with a loop in C that reads it")
	work := flag.String("do", "", "do a `work` on files in the folder -dir; -tight runs this in a process")
	folder := flag.String("dir", "", "the `folder` of -do")
	times := flag.Int("times", -1, "print the times of this many random `works`, and as many reductions, without NumPy")
	tuned := flag.Int("tune", -1,
		"print the gain of each loop and each tuning constant for this many random `works`; -rows selects changes")
	flag.Parse()
	if *times >= 0 {
		printTimes(*times, *seed, flag.Args())
		return
	}
	if *work != "" {
		must(0, runColdWork(*work, *folder))
		return
	}
	if *sum != "" {
		f := must(array.Open(*sum, mmap.ReadOnly))
		fmt.Println(array.Sum[float64](must(array.As[float64](f.Array))))
		return
	}
	match := regexp.MustCompile(*only)
	isRandom, temp := *works >= 0 || flag.NArg() > 0, ""
	if (isRandom || *loopMB > 0) && *mib == 0 && isDir(shm) {
		temp = shm
	}
	dir, err := os.MkdirTemp(temp, "ndmap-bench")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if *loopMB > 0 {
		must(0, runLoop(dir, *loopMB, *n))
		return
	}
	if *tuned >= 0 {
		if err := tune(dir, *tuned, cmp.Or(*seed, 1), *n, match); err != nil {
			log.Print(err)
		}
		return
	}
	if *mib > 0 {
		if isRandom {
			err = runColdRandom(dir, *mib, *works, *seed, flag.Args())
		} else {
			err = runTight(dir, cmp.Or(float64(*gb), 0.8), *mib, match)
		}
		if err != nil {
			log.Print(err)
		}
		return
	}
	if *gb > 0 {
		runCold(dir, *gb, *n)
		return
	}
	py, version, err := startNumPy(dir)
	if err != nil {
		log.Print(err)
		return
	}
	machine := fmt.Sprintf("%s, %d cores, %s, NumPy %s", cpu(), runtime.NumCPU(), runtime.Version(), version)
	fmt.Printf("%s, medians of %d rounds\n\n", machine, *n)
	if isRandom {
		if err := runRandom(dir, py, *works, *seed, *n, match, flag.Args(), *svg, machine); err != nil {
			os.RemoveAll(dir)
			log.Fatal(err)
		}
		return
	}
	fmt.Printf("| work | ndmap | NumPy | ratio | others |\n|---|---|---|---|---|\n")
	for _, make := range rows {
		r := make(dir)
		if !match.MatchString(r.name) {
			continue
		}
		settle()
		measure(r, py, *n)
		runtime.GC()
	}
}

// measure times the implementations of a row alternately, and prints the line of the table.
func measure(r row, py *numpy, n int) {
	work := map[string]func(times int) float64{"ndmap": func(times int) float64 { return averageTime(times, r.ndmap) }}
	if r.numpy != "" {
		py.run(1, r.setup, "")
		work["numpy"] = func(times int) float64 { return py.run(times, "", r.numpy) }
	}
	for name, peer := range r.peers {
		work[name] = func(times int) float64 { return averageTime(times, peer) }
	}
	seconds := timeAlternately(work, n)
	py.run(1, "a = b = o = None", "")
	ours := seconds["ndmap"]
	line := fmt.Sprintf("| %s | %s |", r.name, formatTime(ours, r.bytes))
	if t := seconds["numpy"]; t > 0 {
		line += fmt.Sprintf(" %s | %.2f × |", formatTime(t, r.bytes), t/ours)
	} else {
		line += " | |"
	}
	for _, name := range slices.Sorted(maps.Keys(r.peers)) {
		t := seconds[name]
		line += fmt.Sprintf(" %s %s, %.2f ×", name, formatTime(t, r.bytes), t/ours)
	}
	fmt.Println(line + " |")
}

// timeAlternately times several implementations alternately, in n rounds after one or two runs to warm up, and
// returns the median time of each in seconds. It repeats an implementation that takes less than leastTime within a
// measurement to fill that time.
func timeAlternately(work map[string]func(times int) float64, n int) map[string]float64 {
	names := slices.Sorted(maps.Keys(work))
	times, seconds := map[string]int{}, map[string][]float64{}
	for _, name := range names {
		times[name] = max(1, int(leastTime/work[name](1)))
		if times[name] > 1 { // the first run is often slow
			times[name] = max(1, int(leastTime/work[name](times[name])))
		}
	}
	for range n {
		for _, name := range names {
			seconds[name] = append(seconds[name], work[name](times[name]))
		}
	}
	medians := map[string]float64{}
	for name, t := range seconds {
		medians[name] = median(t)
	}
	return medians
}

// leastTime is the minimum time of a measurement in seconds, because the first run after a pause is slow.
const leastTime = 15e-3

// averageTime calls f the given number of times, and returns the average time in seconds.
func averageTime(times int, f func()) float64 {
	start := time.Now()
	for range times {
		f()
	}
	return time.Since(start).Seconds() / float64(times)
}

func median(t []float64) float64 {
	t = slices.Sorted(slices.Values(t))
	return t[len(t)/2]
}

// formatTime formats a time, and the throughput if bytes is not 0.
func formatTime(seconds float64, bytes int) string {
	s := fmt.Sprintf("%.3g ms", seconds*1e3)
	if seconds < 1e-3 {
		s = fmt.Sprintf("%.3g µs", seconds*1e6)
	}
	if bytes > 0 {
		s += fmt.Sprintf(" (%.1f GB/s)", float64(bytes)/seconds/1e9)
	}
	return s
}

// A numpy is a Python process with NumPy that runs driver.py.
type numpy struct {
	in  io.Writer
	out *bufio.Scanner
}

// startNumPy starts a Python process in the folder dir, and returns it and the version of NumPy.
func startNumPy(dir string) (*numpy, string, error) {
	for _, python := range []string{os.Getenv("NDMAP_PYTHON"), "python3", "/usr/bin/python3"} {
		if python == "" {
			continue
		}
		version, err := exec.Command(python, "-c", "import numpy; print(numpy.__version__)").Output()
		if err != nil {
			continue
		}
		cmd := exec.Command(python, "-c", script)
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			return nil, "", err
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return nil, "", err
		}
		return &numpy{in, bufio.NewScanner(out)}, strings.TrimSpace(string(version)), cmd.Start()
	}
	return nil, "", fmt.Errorf("bench: no python3 with NumPy; apt-get install python3-numpy")
}

// run executes setup once and work the given number of times, and returns the average time of work in seconds.
func (p *numpy) run(times int, setup, work string) float64 {
	fmt.Fprintf(p.in, "%d\t%s\t%s\n", times, setup, work)
	if !p.out.Scan() {
		log.Fatalf("bench: NumPy ended at %q, %q", setup, work)
	}
	seconds, err := strconv.ParseFloat(p.out.Text(), 64)
	if err != nil {
		log.Fatal(err)
	}
	return seconds
}

// cpu returns the name of the processor.
func cpu() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	if m := regexp.MustCompile(`model name\s*: (.*)`).FindSubmatch(info); m != nil {
		return string(m[1])
	}
	return runtime.GOARCH
}

// shm is the folder for files in memory on Linux.
const shm = "/dev/shm"

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func pathIn(dir, name string) string { return filepath.Join(dir, name) }
