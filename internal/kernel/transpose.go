package kernel

// Transpose moves m × n items of size bytes. It moves item j of row i from src + i*size + j*ss to dst + i*ds + j*size:
// the columns of src and the rows of dst are consecutive. It reverses groups of swap bytes like [Move]. Source and
// destination must not overlap.
func Transpose(dst Pointer, ds int, src Pointer, ss int, m, n, size, swap int) {
	if m <= 0 || n <= 0 || size == 0 {
		return
	}
	if swap <= 1 {
		swap = 0
	}
	if !transposeStrips(dst, ds, src, ss, m, n, size, swap) {
		MoveAcross(m, n, Side{dst, ds, size}, Side{src, size, ss}, size, swap)
	}
}

// transposeStrips implements Transpose by strips of 8 rows. It returns false, and does nothing, if the block has too
// few rows or columns, or if no loop exists. If m or n is not a multiple of a strip, the last strips overlap previous
// ones and move some items again.
func transposeStrips(dst Pointer, ds int, src Pointer, ss int, m, n, size, swap int) bool {
	if size > 16 || active.transposeStrip[size] == nil {
		return false
	}
	columns := 32 / size // the number of columns that the loop moves at a time
	if size == 1 {
		columns = 8
	}
	if m < 8 || n < columns {
		return false
	}
	cols := n &^ (columns - 1)
	step := min(stripBytes, callBytes) / size
	for j := 0; j < n; {
		length := min(step, cols-j)
		if length == 0 {
			j, length = n-columns, columns
		}
		for i := 0; i < m; i += 8 {
			if i&127 == 120 {
				checkpoint()
			}
			i := min(i, m-8)
			d, s := Side{Add(dst, i*ds+j*size), ds, size}, Side{Add(src, i*size+j*ss), size, ss}
			if done := active.transposeStrip[size](d.P, ds, s.P, ss, length, swap); done < length {
				Move(8, length-done, d.At(0, done), s.At(0, done), size, swap)
			}
		}
		j += length
	}
	return true
}

// MoveAcross is like [Move] for blocks with few columns, or whose rows are closer to each other in src than its items.
// It moves some columns, or some items of all rows, at a time.
func MoveAcross(m, n int, d, s Side, size, swap int) {
	if m > n && n < FewColumns {
		for i := 0; i < m; i += ColumnItems {
			Move(n, min(ColumnItems, m-i), d.At(i, 0).Turned(), s.At(i, 0).Turned(), size, swap)
		}
		return
	}
	step := max(8, portableRowBytes/size)
	if near := max(s.Item, -s.Item); 0 < near && near < LineBytes {
		step *= LineBytes / near // these items share their lines
	}
	for j := 0; j < n; j += step {
		Move(m, min(step, n-j), d.At(0, j), s.At(0, j), size, swap)
	}
}
