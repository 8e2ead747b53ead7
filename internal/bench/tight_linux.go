package main

import (
	"cmp"
	"context"
	"fmt"
	"hash/crc32"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// A group is a control group for processes. Its memory limit includes the page cache. A nil group has no limit.
type group struct{ dir, procs string }

// newGroup creates a group with a memory limit in bytes. It needs root privileges.
func newGroup(limit int) (*group, error) {
	name := "ndmap-bench-" + strconv.Itoa(os.Getpid())
	g := &group{dir: filepath.Join("/sys/fs/cgroup/memory", name)}
	file := "memory.limit_in_bytes"
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil { // version 2
		g.dir, file = filepath.Join("/sys/fs/cgroup", name), "memory.max"
	}
	g.procs = filepath.Join(g.dir, "cgroup.procs")
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(g.dir, file), strconv.AppendInt(nil, int64(limit), 10), 0); err != nil {
		os.Remove(g.dir)
		return nil, err
	}
	return g, nil
}

// free removes the group.
func (g *group) free() {
	if g != nil {
		os.Remove(g.dir)
	}
}

// command returns a command that runs in g, or without a group if g is nil.
func (g *group) command(ctx context.Context, args ...string) *exec.Cmd {
	if g != nil {
		args = append([]string{"sh", "-c", `echo $$ >"$0" && exec "$@"`, g.procs}, args...)
	}
	return exec.CommandContext(ctx, args[0], args[1:]...)
}

// A usage describes the resources that a process used.
type usage struct {
	seconds float64
	read    int    // bytes read from disks
	own     int    // the maximum of its anonymous memory in bytes
	ended   bool   // whether it was killed after maxSeconds
	out     string // its output
}

// maxSeconds is the maximum time of a command in seconds. It is longer for large files; NumPy is not measured with
// them.
var maxSeconds = 60

// measure runs a command in the group. It returns an error if the command fails, but not if it was killed after
// maxSeconds.
func (g *group) measure(args ...string) (u usage, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(maxSeconds)*time.Second)
	defer cancel()
	cmd := g.command(ctx, args...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return u, err
	}
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		for {
			u.own = max(u.own, anonymousMemory(cmd.Process.Pid))
			select {
			case <-done:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	err = cmd.Wait()
	u.seconds = time.Since(start).Seconds()
	close(done)
	<-watched
	u.read = int(cmd.ProcessState.SysUsage().(*syscall.Rusage).Inblock) * 512
	u.out = strings.TrimSpace(out.String())
	if u.ended = ctx.Err() != nil; u.ended {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, errs.String())
	}
	return u, err
}

var rssAnon = regexp.MustCompile(`RssAnon:\s*(\d+) kB`)

// anonymousMemory returns the anonymous memory of a process in bytes.
func anonymousMemory(pid int) int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if m := rssAnon.FindSubmatch(status); m != nil {
		kb, _ := strconv.Atoi(string(m[1]))
		return kb << 10
	}
	return 0
}

// A coldWork is a command of npy on a file that is not in memory.
type coldWork struct {
	shape string                // key of a shape in tight; with F for order F
	args  string                // arguments of npy; IN denotes the file, and NEW a new file
	needs func(shape []int) int // returns the number of bytes that the command must read
	numpy string                // the same operation on a in Python; the result o is written to NEW
}

var coldWorks = []coldWork{
	{"W", "reduce -op mean -axis 0 IN NEW", wholeFile, "o = a.mean(0)"},
	{"W", "convert -select :,1000:2000 IN NEW", strips(1000), "o = a[:, 1000:2000]"},
	{"W", "reduce -op mean -axis 0 -select :,1000:2000 IN NEW", strips(1000), "o = a[:, 1000:2000].mean(0)"},
	{"W", "print -select :,5 IN", strips(1), "print(a[:, 5])"},
	{"W", "convert -select ::64 IN NEW", func(s []int) int { return (s[0] + 63) / 64 * s[1] * 8 }, "o = a[::64]"},
	{"W", "convert -order F IN NEW", wholeFile, "o = np.asfortranarray(a)"},
	{"F", "convert -order C IN NEW", wholeFile, "o = np.ascontiguousarray(a)"},
	{"T", "convert -order F IN NEW", wholeFile, ""},
	{"TF", "convert -order C IN NEW", wholeFile, ""},
	{"S", "convert -order F IN NEW", wholeFile, ""},
	{"SF", "convert -order C IN NEW", wholeFile, ""},
	{"4", "convert -order F IN NEW", wholeFile, ""},
	{"4", "convert -order F -dtype >f4 IN NEW", wholeFile, ""},
}

// wholeFile returns the number of bytes of float64 in a file.
func wholeFile(shape []int) int {
	n := 8
	for _, l := range shape {
		n *= l
	}
	return n
}

// strips returns a function that returns the number of bytes in the pages of n float64 in each row.
func strips(n int) func(shape []int) int {
	return func(shape []int) int { return shape[0] * (n*8 + 2*4095) / 4096 * 4096 }
}

// runTight runs the commands in coldWorks on a file of gb GB that is not in memory, in processes with a limit of mib
// MiB. It prints the number of bytes that they read from the disk, next to the numbers for dd and NumPy.
func runTight(dir string, gb float64, mib int, match *regexp.Regexp) error {
	g, err := newGroup(mib << 20)
	if err != nil {
		return fmt.Errorf("bench: memory limit: %w", err)
	}
	defer g.free()
	tool := pathIn(dir, "npy")
	if out, err := exec.Command("go", "build", "-o", tool,
		"github.com/ndmap/ndmap/examples/npy").CombinedOutput(); err != nil {
		return fmt.Errorf("bench: npy: %w: %s", err, out)
	}
	maxSeconds = max(maxSeconds, int(60*gb))
	n := int(gb * 125e6)
	side := isqrt(n)
	shapes := map[string][]int{
		"W": {1000, n / 1000}, "T": {n / 8, 8}, "S": {side, side}, "4": {200, 300, 40, n / 2_400_000},
	}
	fmt.Printf("%s, float64, %.3g GB that are not in memory, in a process with %d MiB; own is anonymous memory\n\n", cpu(),
		gb, mib)
	fmt.Printf("| work | needs | reads | time | own | dd | NumPy |\n|---|---|---|---|---|---|---|\n")
	created := ""
	for _, w := range coldWorks {
		key, order := strings.TrimSuffix(w.shape, "F"), index.C
		if key != w.shape || w.shape == "F" {
			order = index.F
		}
		shape := shapes[cmp.Or(key, "W")]
		path, fresh := pathIn(dir, "in.npy"), pathIn(dir, "out.npy")
		if !match.MatchString(w.shape + " " + w.args) {
			continue
		}
		if created != w.shape {
			os.Remove(path)
			createCounts(path, order, shape)
			created = w.shape
		}
		clear := func() {
			os.Remove(fresh)
			unix.Sync()
			dropCache(path)
		}
		args := strings.Fields(w.args)
		for k, a := range args {
			args[k] = strings.NewReplacer("IN", path, "NEW", fresh).Replace(a)
		}
		clear()
		u, err := g.measure(append([]string{tool}, args...)...)
		if err != nil {
			return err
		}
		writes := 0
		if info, err := os.Stat(fresh); err == nil {
			writes = int(info.Size())
		}
		clear()
		dd, err := g.measure("dd", "if="+path, "of="+fresh, "bs=4M", "conv=fsync", "count="+strconv.Itoa((max(w.needs(shape),
			writes)+1<<22-1)>>22))
		if err != nil {
			return err
		}
		py := ""
		if w.numpy != "" && gb < 2 {
			clear()
			save := ""
			if strings.Contains(w.args, "NEW") {
				save = fmt.Sprintf("; m = np.lib.format.open_memmap('%s', 'w+', 'f8', o.shape, np.isfortran(o)); m[...] = o; m.flush()", fresh)
			}
			p, err := g.measure(python(), "-c", fmt.Sprintf("import numpy as np; a = np.load('%s', mmap_mode='r'); %s%s", path,
				w.numpy, save))
			if py = formatTime(p.seconds, 0) + ", " + megabytes(p.read); err != nil {
				py = "ended by the system"
			} else if p.ended {
				py = fmt.Sprintf("ended after %d s, %s", maxSeconds, megabytes(p.read))
			}
		}
		seconds := formatTime(u.seconds, 0)
		if u.ended {
			seconds = fmt.Sprintf("ended after %d s", maxSeconds)
		}
		name := strings.NewReplacer(" IN NEW", "", " IN", "").Replace(w.args)
		fmt.Printf("| (%s) %s, `%s` | %s | %s | %s | %s | %s | %s |\n", joinInts(shape), order, name,
			megabytes(w.needs(shape)), megabytes(u.read), seconds, megabytes(u.own), formatTime(dd.seconds, 0), py)
	}
	return nil
}

// python returns the path of a Python that can import NumPy.
func python() string {
	for _, p := range []string{os.Getenv("NDMAP_PYTHON"), "python3"} {
		if p != "" && exec.Command(p, "-c", "import numpy").Run() == nil {
			return p
		}
	}
	return "/usr/bin/python3"
}

func isqrt(n int) int {
	r := 1
	for r*r <= n {
		r++
	}
	return r - 1
}

func megabytes(n int) string { return fmt.Sprintf("%.4g MB", float64(n)/1e6) }

// createCounts creates a file of float64: 0, 1, 2, … in the order of the file.
func createCounts(path string, order index.Order, shape []int) {
	f := must(array.Create(path, little, order, shape...))
	defer f.Close()
	x := 0.0
	a := f.Array
	if order == index.F {
		a = a.T()
	}
	for b := range must(array.As[float64](a)).Update(index.C) {
		for i := range b {
			b[i] = x
			x++
		}
	}
}

// A coldResult holds the measurements of a random cold work.
type coldResult struct {
	text         string
	needs, reads int
	seconds, own float64
}

// excess returns the ratio of the bytes read to the bytes needed. It subtracts 16 MB that a disk may read ahead with
// the first page.
func (d coldResult) excess() float64 {
	return (float64(d.reads) - 16e6) / float64(max(d.needs, 1<<20))
}

// runColdRandom runs random works on files that are not in memory, in processes with a limit of mib MiB. It compares
// the number of bytes that they read with the size of the pages of their elements, and their results with the results
// for files in memory.
func runColdRandom(dir string, mib, works int, seed uint64, named []string) error {
	g, err := newGroup(mib << 20)
	if err != nil {
		return fmt.Errorf("bench: memory limit: %w", err)
	}
	defer g.free()
	if seed == 0 {
		seed = uint64(rand.Uint32())
	}
	r := rand.New(rand.NewPCG(seed, 0))
	texts := named
	if len(named) == 0 {
		texts = slices.Clone(knownCold)
	}
	for len(named) == 0 && len(texts) < len(knownCold)+works {
		if text := drawCold(r); must(parseCold(text)).resultBytes() < mib<<20/4 {
			texts = append(texts, text)
		}
	}
	fmt.Printf("%d works of -seed %d with %d MiB\n\n", len(texts), seed, mib)
	base := pathIn(dir, "base")
	fillBase(base)
	self := must(os.Executable())
	var all []coldResult
	for _, text := range texts {
		w := must(parseCold(text))
		needs := w.neededBytes()
		needs *= w.parts(mib, needs)
		var sums [2]string
		d := coldResult{text: text, needs: needs}
		for round, where := range []*group{g, nil} {
			if round == 0 {
				dropCache(base)
			}
			u, err := where.measure(self, "-do", text, "-dir", dir)
			if err == nil && u.ended {
				err = fmt.Errorf("%s: ended after %d s, %s read", text, maxSeconds, megabytes(u.read))
			}
			if err != nil {
				log.Print(err)
			}
			if sums[round] = u.out; round == 0 {
				d.reads, d.seconds, d.own = u.read, u.seconds, float64(u.own)
			}
			if fresh := pathIn(dir, "fresh.npy"); isFile(fresh) {
				sums[round] += fmt.Sprintf(" %x", checksum(fresh))
				os.Remove(fresh)
			}
			if w.writes() {
				sums[round] += fmt.Sprintf(" %x", checksum(base))
				fillBase(base)
			}
		}
		if sums[0] != sums[1] || sums[0] == "" {
			log.Printf("%s: %q on the disk, %q in memory", text, sums[0], sums[1])
		}
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b coldResult) int { return cmp.Compare(b.excess(), a.excess()) })
	fmt.Printf("| work | needs | reads | beyond 16 MB | time | own |\n|---|---|---|---|---|---|\n")
	bad := 0
	for k, d := range all {
		if d.excess() > 1.5 {
			bad++
		}
		if k < 10 || d.excess() > 1.5 {
			fmt.Printf("| %s | %s | %s | %.2f × | %s | %s |\n", d.text, megabytes(d.needs), megabytes(d.reads), d.excess(),
				formatTime(d.seconds, 0), megabytes(int(d.own)))
		}
	}
	slices.SortFunc(all, func(a, b coldResult) int { return cmp.Compare(b.seconds, a.seconds) })
	fmt.Printf("\n| slowest | needs | reads | time | own |\n|---|---|---|---|---|\n")
	for _, d := range all[:min(10, len(all))] {
		fmt.Printf("| %s | %s | %s | %s | %s |\n", d.text, megabytes(d.needs), megabytes(d.reads), formatTime(d.seconds, 0),
			megabytes(int(d.own)))
	}
	fmt.Printf("\n%d of %d read more than 16 MB plus 1.5 times the pages that they need\n", bad, len(all))
	return nil
}

const baseBytes = 256<<20 + 4096

// fillBase creates a file of random bytes, which do not represent NaN in any dtype.
func fillBase(path string) {
	f := must(os.Create(path))
	defer f.Close()
	r := rand.NewChaCha8([32]byte{1})
	b := make([]byte, 1<<20)
	for n := 0; n < baseBytes; n += len(b) {
		r.Read(b)
		for k := range b {
			b[k] &= 0x3f
		}
		must(f.Write(b[:min(len(b), baseBytes-n)]))
	}
	must(0, f.Sync())
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func checksum(path string) uint32 {
	m := must(mmap.Open(path, mmap.ReadOnly))
	defer m.Close()
	return crc32.ChecksumIEEE(m.Bytes())
}
