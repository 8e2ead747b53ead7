package mmap

// Resident returns how many of the n bytes from byte off are in memory, so that touching them
// does not wait for a disk. It counts whole pages, up to n bytes. The answer may be out of
// date by the time it is read. It allocates one byte a page, for a single page none.
//
// The error, a *[fs.PathError], is for a range that is not within the mapping, or wraps
// [errors.ErrUnsupported] where the system does not tell, as all but Linux. Linux tells only
// a process that may write to the file; others are told that all is resident (mincore(2)). On
// a closed Map the error wraps [fs.ErrClosed].
func (m *Map) Resident(off, n int) (int, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	mem, err := m.pages(off, n)
	bytes := 0
	if err == nil && len(mem) > 0 {
		bytes, err = resident(mem)
	}
	if err != nil {
		return 0, m.failed("resident", err)
	}
	return min(bytes, n), nil
}
