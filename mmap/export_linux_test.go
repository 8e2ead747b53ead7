package mmap

// SetMaxMapCount sets the file that the limit on mappings is read from, and returns the file before.
func SetMaxMapCount(path string) (before string) {
	before, maxMapCount = maxMapCount, path
	return before
}
