package strided

import (
	"bytes"
	"math"
	"os"
	"path"
	"strconv"
)

// availableMemory returns the number of bytes of memory that this process may use, including the page cache. It is
// the memory that the system can provide without swapping, or the lowest limit of the control groups that contain the
// process, whichever is less.
func availableMemory() int {
	info, _ := os.ReadFile("/proc/meminfo")
	_, rest, _ := bytes.Cut(info, []byte("MemAvailable:"))
	n := math.MaxInt
	if f := bytes.Fields(rest); len(f) > 0 {
		n = min(parseSize(f[0]), n>>10) << 10 // in kB; the product may overflow an int of 32 bits
	}
	groups, _ := os.ReadFile("/proc/self/cgroup")
	for line := range bytes.Lines(groups) {
		_, rest, _ := bytes.Cut(bytes.TrimSpace(line), []byte(":"))
		controllers, group, _ := bytes.Cut(rest, []byte(":"))
		switch string(controllers) {
		case "": // version 2, 0::/a/b
			n = min(n, groupLimit("/sys/fs/cgroup", string(group), "memory.max"))
		case "memory": // version 1, 4:memory:/a/b
			n = min(n, groupLimit("/sys/fs/cgroup/memory", string(group), "memory.limit_in_bytes"))
		}
	}
	return n
}

// groupLimit returns the lowest limit of a control group and the groups that contain it. root is the directory of all
// groups, and file is the name of the file with the limit of a group.
func groupLimit(root, group, file string) int {
	limit := math.MaxInt
	for dir := path.Join("/", group); ; dir = path.Dir(dir) {
		text, _ := os.ReadFile(path.Join(root, dir, file))
		limit = min(limit, parseSize(bytes.TrimSpace(text)))
		if dir == "/" {
			return limit
		}
	}
}

// parseSize parses a number of bytes. It returns math.MaxInt for text that is not a number, such as "max".
func parseSize(text []byte) int {
	if n, err := strconv.Atoi(string(text)); err == nil && n >= 0 {
		return n
	}
	return math.MaxInt
}
