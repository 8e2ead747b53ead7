package strided

import (
	"bytes"
	"math"
	"os"
	"path"
	"strconv"
)

// memory returns how many bytes of memory this process may take: what the system can give without taking it from
// others, and no more than the limit of the control group that it is in, or of one of those around it. Pages of files
// count, those of this process among them.
func memory() int {
	info, _ := os.ReadFile("/proc/meminfo")
	_, rest, _ := bytes.Cut(info, []byte("MemAvailable:"))
	n := math.MaxInt
	if f := bytes.Fields(rest); len(f) > 0 {
		n = min(number(f[0], n), n>>10) << 10 // kB; where int has 32 bits it may be more than that
	}
	groups, _ := os.ReadFile("/proc/self/cgroup")
	for line := range bytes.Lines(groups) { // 4:memory:/a/b of version 1, 0::/a/b of version 2
		f := bytes.SplitN(bytes.TrimSpace(line), []byte(":"), 3)
		if len(f) != 3 {
			continue
		}
		root, file := "/sys/fs/cgroup", "memory.max"
		switch string(f[1]) {
		case "":
		case "memory":
			root, file = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		for dir := path.Join("/", string(f[2])); ; dir = path.Dir(dir) {
			limit, _ := os.ReadFile(path.Join(root, dir, file))
			n = min(n, number(bytes.TrimSpace(limit), math.MaxInt))
			if dir == "/" {
				break
			}
		}
	}
	return n
}

// number returns the number that text is, or another where it is none.
func number(text []byte, otherwise int) int {
	if n, err := strconv.Atoi(string(text)); err == nil && n >= 0 {
		return n
	}
	return otherwise
}
