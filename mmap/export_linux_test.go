package mmap

// SetMaxMapCount sets the path of the file that contains the limit on mappings, and returns the previous path.
func SetMaxMapCount(path string) (before string) {
	before, maxMapCount = maxMapCount, path
	return before
}
