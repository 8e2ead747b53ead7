package elem

import "github.com/ndmap/ndmap/internal/kernel"

const (
	// shortRow is how many items a row has at least for calls of the kernel to go
	// along it, if the columns are longer.
	shortRow = 8

	// columnItems is how much of each column is moved before the next columns, when
	// calls go along columns: what the next ones share with it is still in the cache.
	columnItems = 512

	// tileBytes is how much of a row is moved before the next row, when the source
	// lies across the rows: the lines that this takes stay in the cache until the
	// other rows are moved too.
	tileBytes = 512
)

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
	case n < shortRow && m > n:
		moveColumns(m, n, dst, src, size, swap)
	case abs(src.Row) < abs(src.Item):
		step := max(shortRow, tileBytes/size)
		for j := 0; j < n; j += step {
			moveRows(m, min(step, n-j), dst.at(0, j), src.at(0, j), size, swap)
		}
	default:
		moveRows(m, n, dst, src, size, swap)
	}
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

func abs(i int) int { return max(i, -i) }
