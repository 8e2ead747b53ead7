package main

import (
	"os"
	"strings"
)

// peakMemory is the most memory that this program had at any time, mapped pages
// included, as Linux says it.
func peakMemory() string {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "not known on this system"
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	line, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(line)
}
