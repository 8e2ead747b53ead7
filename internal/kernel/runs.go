package kernel

import "math/bits"

// runOf returns the loop for items of size bytes that are ss bytes apart, nil if there is none.
func runOf(ss, size int) runLoop {
	switch {
	case size > 16 || size&(size-1) != 0:
	case ss == size:
		return active.forward
	case ss == -size:
		return active.backward
	case ss == 2*size && size <= 8:
		return active.every2
	case ss == 4*size && size <= 4:
		return active.every4
	case ss == 8*size && size <= 2:
		return active.every8
	}
	return nil
}

// IsFast reports whether Move takes items of size bytes, ss bytes apart, to where they
// follow one another with a loop for that distance.
func IsFast(ss, size int) bool { return ss != size && runOf(ss, size) != nil }

// moveRuns does the first part of every row of Move, for groups of swap bytes that are
// items, where it is faster than going from item to item. It returns how many items of each.
func moveRuns(m, n int, dst, src Side, size, swap int) (done int) {
	if swap != 0 && swap != size || dst.Item != size || n < leastRun {
		return 0
	}
	run := runOf(src.Item, size)
	if run == nil {
		return 0
	}
	if n*size < nonTemporalBytes {
		for i := range m {
			done = moveRun(run, n, dst.At(i, 0), src.At(i, 0), size, swap, false)
		}
		return done
	}
	for i := range m {
		d, s := dst.At(i, 0), src.At(i, 0)
		head, nonTemporal := 0, false
		if gap := -int(uintptr(d.P)) & 63; gap&(size-1) == 0 { // up to a whole line
			head, nonTemporal = gap/size, true
			movePlain(1, head, d, s, size, swap)
		}
		done := head + moveRun(run, n-head, d.At(0, head), s.At(0, head), size, swap, nonTemporal)
		if done < n { // and no pointer is made to what is behind the last item
			movePlain(1, n-done, d.At(0, done), s.At(0, done), size, swap)
		}
	}
	return n
}

// moveRun moves the first of n items, and returns how many.
func moveRun(run runLoop, n int, dst, src Side, size, swap int, nonTemporal bool) (done int) {
	for step := callBytes / size; done < n; {
		if done > 0 {
			checkpoint()
		}
		k := run(Add(dst.P, done*size), Add(src.P, done*src.Item), src.Item, min(step, n-done), size, swap, nonTemporal)
		if k == 0 {
			break
		}
		done += k
	}
	return done
}

// moveBlock is movePlain, and moveGroups, for the sizes that there are loops for.
func moveBlock(m, n int, dst, src Side, size, swap int) bool {
	if size > 16 {
		return false
	}
	loop := active.items[size]
	switch {
	case swap > 0 && swap == size:
		loop = active.reversed[size]
	case swap > 0 && 2*swap == size:
		loop = active.reversedPairs[size]
	case swap > 0:
		return false
	case src.Item == 0 && src.Row == 0:
		loop = active.fills[size]
	}
	if loop == nil {
		return false
	}
	most := callBytes / 16 // items
	for j := 0; j < n; j += most {
		cols := min(most, n-j)
		for i, step := 0, rowsOf(m, cols, most); i < m; i += step {
			if i+j > 0 {
				checkpoint()
			}
			rows := min(step, m-i)
			if done := loop(rows, cols, dst.At(i, j), src.At(i, j)); done < rows {
				moveEach(rows-done, cols, dst.At(i+done, j), src.At(i+done, j), size, swap)
			}
		}
	}
	return true
}

// moveRows is Move for rows of n bytes that are packed on both sides, of groups of swap
// bytes, which do not overlap. It reports whether it moved all.
func moveRows(m, n int, dst, src Side, swap int) bool {
	if active.rows == nil || n > callBytes {
		return false
	}
	for i, step := 0, rowsOf(m, n, callBytes); i < m; {
		if i > 0 {
			checkpoint()
		}
		done := active.rows(min(step, m-i), n, dst.At(i, 0), src.At(i, 0), swap)
		if done == 0 {
			return false
		}
		i += done
	}
	return true
}

// repeat is Move for rows of n bytes that all repeat one item. It reports whether it filled all.
func repeat(m, n int, dst Side, item Pointer, size int) bool {
	if active.fillRows == nil || size > 16 || size&(size-1) != 0 {
		return false
	}
	leastLongFill := nonTemporalBytes / 4 // a long fill is slow to start
	if m*n >= nonTemporalBytes {
		leastLongFill = min(leastLongFill, 6<<10) // beyond the second cache it pays for shorter rows
	}
	switch {
	case n >= leastLongFill && size <= 8 && active.fillLong != nil:
		x := uint64(0)
		for k := 0; k < 8; k += size {
			copy(Bytes(Add(Pointer(&x), k), size), Bytes(item, size))
		}
		for i := range m {
			fillRow(n, dst.At(i, 0).P, item, size, x)
		}
		return true
	case n >= leastLongFill:
		return false
	}
	for i, step := 0, rowsOf(m, n, callBytes); i < m; {
		if i > 0 {
			checkpoint()
		}
		done := active.fillRows(min(step, m-i), n, dst.At(i, 0), item, size)
		if done == 0 {
			return false
		}
		i += done
	}
	return true
}

// fillRow fills a long row of n bytes with an item of size bytes, which x repeats.
func fillRow(n int, row, item Pointer, size int, x uint64) {
	head := -int(uintptr(row)) & 63 // a long fill is slow unless it starts on a cache line
	fill(Bytes(row, 64), Bytes(item, size))
	x = bits.RotateLeft64(x, -8*head)
	for done := head; done < n; {
		k := active.fillLong(Add(row, done), min(callBytes, n-done), x)
		checkpoint()
		if done += k; k == 0 {
			done += copy(Bytes(Add(row, done), min(8, n-done)), Bytes(Pointer(&x), 8))
		}
	}
}

// IsNonTemporal reports whether so many bytes are to be stored past the caches.
func IsNonTemporal(bytes int) bool { return bytes >= nonTemporalBytes }

// Fence orders what was stored past the caches before all that is stored later.
func Fence() {
	if active.fence != nil {
		active.fence()
	}
}

// rowsOf returns how many rows of n, of m that there are, have no more than most together: one
// at least.
func rowsOf(m, n, most int) int {
	if m*n <= most {
		return m // without a division
	}
	return max(1, most/n)
}
