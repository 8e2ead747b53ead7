package kernel

import "math/bits"

// runLoopFor returns the loop that moves items of size bytes that are ss bytes apart, or nil if no such loop exists.
func runLoopFor(ss, size int) runLoop {
	switch {
	case size > 16 || size&(size-1) != 0:
	case ss == size:
		return active.moveForward
	case ss == -size:
		return active.moveBackward
	case ss == 2*size && size <= 8:
		return active.moveEvery2
	case ss == 4*size && size <= 4:
		return active.moveEvery4
	case ss == 8*size && size <= 2:
		return active.moveEvery8
	}
	return nil
}

// IsFast reports whether Move has a loop to move items of size bytes, ss bytes apart, to consecutive places.
func IsFast(ss, size int) bool { return ss != size && runLoopFor(ss, size) != nil }

// moveRuns implements Move for the first items of every row, if a loop for runs is faster than a loop for blocks. It
// returns the number of items that it moved in each row. Each item must be one group of swap bytes.
func moveRuns(m, n int, dst, src Side, size, swap int) (done int) {
	if swap != 0 && swap != size || dst.Item != size || n < leastRun {
		return 0
	}
	run := runLoopFor(src.Item, size)
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
		if gap := -int(uintptr(d.P)) & 63; gap&(size-1) == 0 { // move items up to the next cache line
			head, nonTemporal = gap/size, true
			movePlain(1, head, d, s, size, swap)
		}
		done := head + moveRun(run, n-head, d.At(0, head), s.At(0, head), size, swap, nonTemporal)
		if done < n { // if done is n, the pointer would be past the last item
			movePlain(1, n-done, d.At(0, done), s.At(0, done), size, swap)
		}
	}
	return n
}

// moveRun moves the first of n items with a loop, and returns the number of these items.
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

// moveBlock implements movePlain and moveGroups with a loop. It returns false if no such loop exists.
func moveBlock(m, n int, dst, src Side, size, swap int) bool {
	if size > 16 {
		return false
	}
	loop := active.moveItems[size]
	switch {
	case swap > 0 && swap == size:
		loop = active.reverseItems[size]
	case swap > 0 && 2*swap == size:
		loop = active.reverseHalves[size]
	case swap > 0:
		return false
	case src.Item == 0 && src.Row == 0:
		loop = active.fillItems[size]
	}
	if loop == nil {
		return false
	}
	most := callBytes / 16 // items
	for j := 0; j < n; j += most {
		cols := min(most, n-j)
		for i, step := 0, rowsPerCall(m, cols, most); i < m; i += step {
			if i+j > 0 {
				checkpoint()
			}
			rows := min(step, m-i)
			if done := loop(rows, cols, dst.At(i, j), src.At(i, j)); done < rows {
				movePlainGo(rows-done, cols, dst.At(i+done, j), src.At(i+done, j), size, swap)
			}
		}
	}
	return true
}

// moveRows implements Move for rows of n bytes without gaps between items, in source and destination. The rows do not
// overlap. It reports whether it moved all rows.
func moveRows(m, n int, dst, src Side, swap int) bool {
	if active.moveByteRows == nil || n > callBytes {
		return false
	}
	for i, step := 0, rowsPerCall(m, n, callBytes); i < m; {
		if i > 0 {
			checkpoint()
		}
		done := active.moveByteRows(min(step, m-i), n, dst.At(i, 0), src.At(i, 0), swap)
		if done == 0 {
			return false
		}
		i += done
	}
	return true
}

// repeatItem implements Move for rows of n bytes that repeat one item. It reports whether it filled all rows.
func repeatItem(m, n int, dst Side, item Pointer, size int) bool {
	if active.fillRows == nil || size > 16 || size&(size-1) != 0 {
		return false
	}
	leastLongFill := nonTemporalBytes / 4 // fillLong has a high fixed cost
	if m*n >= nonTemporalBytes {
		leastLongFill = min(leastLongFill, 6<<10) // profitable for shorter rows if the second cache cannot hold all
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
	for i, step := 0, rowsPerCall(m, n, callBytes); i < m; {
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

// fillRow fills a long row of n bytes with copies of an item of size bytes. x also holds copies of the item.
func fillRow(n int, row, item Pointer, size int, x uint64) {
	head := -int(uintptr(row)) & 63 // fillLong is slow unless it starts on a cache line
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

// IsNonTemporal reports whether stores of the given number of bytes should bypass the caches.
func IsNonTemporal(bytes int) bool { return bytes >= nonTemporalBytes }

// Fence orders stores that bypass the caches before all later stores.
func Fence() {
	if active.fence != nil {
		active.fence()
	}
}

// rowsPerCall returns the number of rows of n items that have up to most items together. The result is at most m, and
// at least 1.
func rowsPerCall(m, n, most int) int {
	if m*n <= most {
		return m // without a division
	}
	return max(1, most/n)
}
