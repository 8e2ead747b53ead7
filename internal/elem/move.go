package elem

import "github.com/ndmap/ndmap/internal/kernel"

// moveBytes moves m × n items of size bytes, with the bytes of each group of swap
// reversed if that is more than 1. Blocks of one row are one call of kernel.Move.
func moveBytes(m, n int, dst, src Side, size, swap int) {
	switch {
	case size == 0:
	case m == 1:
		kernel.Move(dst.P, dst.Item, src.P, src.Item, n, size, swap)
	case dst.Row == n*dst.Item && src.Row == n*src.Item: // one run along the rows
		kernel.Move(dst.P, dst.Item, src.P, src.Item, m*n, size, swap)
	case n == 1, dst.Item == m*dst.Row && src.Item == m*src.Row: // along the columns
		kernel.Move(dst.P, dst.Row, src.P, src.Row, m*n, size, swap)
	case dst.Item == size && src.Row == size:
		kernel.Transpose(dst.P, dst.Row, src.P, src.Item, m, n, size, swap)
	case dst.Row == size && src.Item == size:
		kernel.Transpose(dst.P, dst.Item, src.P, src.Row, n, m, size, swap)
	case dst.Item == size && src.Row == -size: // from the last row up
		d, s := dst.at(m-1, 0), src.at(m-1, 0)
		kernel.Transpose(d.P, -d.Row, s.P, s.Item, m, n, size, swap)
	case dst.Row == size && src.Item == -size:
		d, s := dst.at(0, n-1), src.at(0, n-1)
		kernel.Transpose(d.P, -d.Item, s.P, s.Row, n, m, size, swap)
	case dst.Item == size && m >= tileRows && n >= tileRows && kernel.IsFast(src.Row, size) && abs(src.Row) < abs(src.Item):
		transposePacked(m, n, dst, src, size, swap)
	case m > n && isShort(n, dst, src, size, swap):
		moveColumns(m, n, dst, src, size, swap)
	case abs(src.Row) < abs(src.Item):
		step := max(8, tileBytes/size)
		for j := 0; j < n; j += step {
			moveRows(m, min(step, n-j), dst.at(0, j), src.at(0, j), size, swap)
		}
	default:
		moveRows(m, n, dst, src, size, swap)
	}
}

// isShort reports whether rows of n items are too short for a call each.
func isShort(n int, dst, src Side, size, swap int) bool {
	if swap <= 1 && dst.Item == size && src.Item == size {
		return n*size < shortCopy
	}
	return n < shortRow
}

func moveRows(m, n int, dst, src Side, size, swap int) {
	for i := range m {
		d, s := dst.at(i, 0), src.at(i, 0)
		kernel.Move(d.P, d.Item, s.P, s.Item, n, size, swap)
	}
}

func moveColumns(m, n int, dst, src Side, size, swap int) {
	for i := 0; i < m; i += columnItems {
		moveRows(n, min(columnItems, m-i), dst.at(i, 0).turned(), src.at(i, 0).turned(), size, swap)
	}
}

// transposePacked transposes a block whose columns are not packed in src: a tile at a
// time they are packed in a buffer first, which takes less time than to go across them.
func transposePacked(m, n int, dst, src Side, size, swap int) {
	b := pool.Get().(*buffers)
	p := Pointer(&b.packed)
	const cols = 32
	rows := min(m, len(b.packed)*8/(cols*size)&^7)
	for j := 0; j < n; j += cols {
		for i := 0; i < m; i += rows {
			k, l := min(rows, m-i), min(cols, n-j)
			moveRows(l, k, Side{p, k * size, size}, src.at(i, j).turned(), size, 0)
			kernel.Transpose(dst.at(i, j).P, dst.Row, p, k*size, k, l, size, swap)
		}
	}
	pool.Put(b)
}

func abs(i int) int { return max(i, -i) }
