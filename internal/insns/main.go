// Command insns counts the arm64 instructions per item in the operations of TestInsns (internal/kernel), in plain Go
// and with NEON loops. It reads the log of qemu-aarch64, which lists each executed instruction, and ignores NOPs. It
// fails if a NEON loop was not executed, or takes more than half of the instructions of plain Go.
//
//	go run ./internal/insns
package main

import (
	"bufio"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	kernel = "github.com/ndmap/ndmap/internal/kernel"
	items  = 2048 // number of items that the second run of an operation in TestInsns has more than the first
)

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatal("insns: ", err)
	}
}

// A function is a function of the program that qemu runs.
type function struct {
	name       string
	start, end uint64
	executed   int // number of executed instructions
}

func run() (err error) {
	qemu, err := exec.LookPath("qemu-aarch64-static")
	if err != nil {
		return fmt.Errorf("%w: apt-get install qemu-user-static", err)
	}
	dir, err := os.MkdirTemp("", "insns")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "kernel.test")
	build := exec.Command("go", "test", "-c", "-vet=off", "-o", program, kernel)
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	functions, mark, err := readFunctions(program)
	if err != nil {
		return err
	}

	noop, err := noops(program)
	if err != nil {
		return err
	}

	logs, writer, err := os.Pipe()
	if err != nil {
		return err
	}
	var filters []string // address ranges; adjacent functions share one
	for i, f := range functions {
		if i > 0 && functions[i-1].end == f.start {
			last := filters[len(filters)-1]
			filters[len(filters)-1] = last[:strings.Index(last, "..")] + fmt.Sprintf("..0x%x", f.end-1)
			continue
		}
		filters = append(filters, fmt.Sprintf("0x%x..0x%x", f.start, f.end-1))
	}
	cmd := exec.Command(qemu, "-singlestep", "-d", "nochain,exec", "-dfilter", strings.Join(filters, ","), "-D",
		"/dev/fd/3",
		program, "-test.run", "^TestInsns$")
	cmd.Env = append(os.Environ(), "NDMAP_INSNS=1", "GOMAXPROCS=1", "GOGC=off",
		"GODEBUG=asyncpreemptoff=1") // preemption would restart instructions, which are then logged twice
	cmd.ExtraFiles = []*os.File{writer}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return err
	}
	writer.Close()
	counts, err := count(logs, functions, noop, mark)
	if waitErr := cmd.Wait(); err == nil && waitErr != nil {
		err = fmt.Errorf("%w\n%s", waitErr, out.Bytes())
	}
	if err != nil {
		return err
	}
	return report(out.String(), counts, functions)
}

// readFunctions returns the functions of package kernel in a program and the functions of the runtime that move memory,
// sorted by address. mark is the address of the function mark, which TestInsns calls between its measurements.
func readFunctions(program string) (functions []function, mark uint64, err error) {
	out, err := exec.Command("go", "tool", "nm", "-size", "-sort", "address", program).Output()
	if err != nil {
		return nil, 0, err
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 4 || f[2] != "T" && f[2] != "t" {
			continue
		}
		start, err1 := strconv.ParseUint(f[0], 16, 64)
		size, err2 := strconv.ParseUint(f[1], 10, 64)
		if err1 != nil || err2 != nil {
			return nil, 0, fmt.Errorf("nm: %q", line)
		}
		name := f[3]
		switch {
		case name == kernel+".mark":
			mark = start
		case !strings.HasPrefix(name, kernel+".") && name != "runtime.memmove" && name != "runtime.memclrNoHeapPointers":
			continue
		}
		functions = append(functions, function{name: strings.TrimPrefix(name, kernel+"."), start: start, end: start + size})
	}
	if mark == 0 {
		return nil, 0, fmt.Errorf("no function mark in %s", program)
	}
	return functions, mark, nil
}

var executed = regexp.MustCompile(`\[[0-9a-f]+/([0-9a-f]+)/`)

// noops returns the addresses of the NOPs in a program. The compiler inserts them at inlined calls.
func noops(program string) (map[uint64]bool, error) {
	file, err := elf.Open(program)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text := file.Section(".text")
	code, err := text.Data()
	if err != nil {
		return nil, err
	}
	found := map[uint64]bool{}
	for i := 0; i+4 <= len(code); i += 4 {
		if binary.LittleEndian.Uint32(code[i:]) == 0xD503201F {
			found[text.Addr+uint64(i)] = true
		}
	}
	return found, nil
}

// count returns the number of executed instructions between successive marks, without the addresses in noop. It also
// counts the instructions of each function.
func count(r io.Reader, functions []function, noop map[uint64]bool, mark uint64) (counts []int, err error) {
	lines, n := bufio.NewScanner(r), 0
	last, before := 0, uint64(0)
	for lines.Scan() {
		m := executed.FindSubmatch(lines.Bytes())
		if m == nil {
			continue
		}
		pc, err := strconv.ParseUint(string(m[1]), 16, 64)
		if err != nil {
			return nil, err
		}
		if pc == before { // qemu was interrupted, and logs the instruction again
			continue
		}
		before = pc
		if pc == mark {
			counts = append(counts, n)
			n = 0
		}
		if !noop[pc] {
			n++
		}
		if f := functions[last]; pc < f.start || f.end <= pc {
			k, _ := slices.BinarySearchFunc(functions, pc, func(f function, pc uint64) int {
				switch {
				case f.end <= pc:
					return -1
				case pc < f.start:
					return 1
				}
				return 0
			})
			if k == len(functions) {
				continue
			}
			last = k
		}
		functions[last].executed++
	}
	return counts, lines.Err()
}

// report prints the counts of the operations that are named in out.
func report(out string, counts []int, functions []function) error {
	var failed []string
	k := 0
	fmt.Printf("%-44s %8s %8s %8s\n", "arm64 instructions per item", "plain Go", "NEON", "ratio")
	for line := range strings.Lines(out) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "work: ")
		if !ok {
			continue
		}
		var each [2]float64
		for way := range 2 {
			if k+3 >= len(counts) {
				return fmt.Errorf("the program ran only %d marks; want 4 for each loop", len(counts))
			}
			each[way] = float64(counts[k+3]-counts[k+1]) / items // the second run less the first
			k += 4
		}
		switch ratio := each[1] / each[0]; {
		case ratio > 0.99 && ratio < 1.01:
			fmt.Printf("%-44s %8.2f\n", name, each[0])
		default:
			fmt.Printf("%-44s %8.2f %8.2f %8.2f\n", name, each[0], each[1], ratio)
			if ratio > 0.5 {
				failed = append(failed, fmt.Sprintf("%s: NEON takes more than half of plain Go", name))
			}
		}
	}
	if k != len(counts) {
		return fmt.Errorf("the program ran %d marks; want %d", len(counts), k)
	}
	stubs, err := os.ReadFile("internal/kernel/stubs_arm64.go")
	if err != nil {
		return err
	}
	for _, m := range regexp.MustCompile(`(?m)^func (\w+)\(\w`).FindAllSubmatch(stubs, -1) {
		loop := string(m[1]) + ".abi0"
		if !slices.ContainsFunc(functions, func(f function) bool { return f.name == loop && f.executed > 0 }) {
			failed = append(failed, fmt.Sprintf("loop %s was not executed", m[1]))
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("\n%s", strings.Join(failed, "\n"))
	}
	return nil
}
