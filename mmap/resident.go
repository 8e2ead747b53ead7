package mmap

// Resident returns the number of bytes, of the n bytes starting at byte off, that are in memory, so
// that touching them does not wait for a disk.
//
// It counts whole pages, up to n bytes. The result may be out of date when Resident returns. Linux
// answers only a process that may write to the file; it tells other processes that all bytes are
// resident (mincore(2)).
//
// The error is a *[fs.PathError]. It is an error if the range is not within the mapping. The error
// wraps [errors.ErrUnsupported] on systems other than Linux, and [fs.ErrClosed] if m is closed.
// Resident allocates one byte per page, and nothing for a single page.
func (m *Map) Resident(off, n int) (int, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	mem, err := m.pages(off, n)
	bytes := 0
	if err == nil && len(mem) > 0 {
		bytes, err = resident(mem)
	}
	if err != nil {
		return 0, m.pathError("resident", err)
	}
	return min(bytes, n), nil
}
