package elem

import "github.com/ndmap/ndmap/internal/kernel"

// moveBytes moves m × n items of size bytes. It reverses each group of swap bytes if swap is more than 1.
func moveBytes(m, n int, dst, src Side, size, swap int) {
	switch {
	case size == 0:
	case dst.Row == n*dst.Item && src.Row == n*src.Item: // one run along the rows
		kernel.Move(1, m*n, dst, src, size, swap)
	case n == 1, dst.Item == m*dst.Row && src.Item == m*src.Row: // along the columns
		kernel.Move(1, m*n, dst.Turned(), src.Turned(), size, swap)
	case m == 1:
		kernel.Move(1, n, dst, src, size, swap)
	case dst.Item == size && src.Row == size:
		kernel.Transpose(dst.P, dst.Row, src.P, src.Item, m, n, size, swap)
	case dst.Row == size && src.Item == size:
		kernel.Transpose(dst.P, dst.Item, src.P, src.Row, n, m, size, swap)
	case dst.Item == size && src.Row == -size: // from the last row up
		d, s := dst.At(m-1, 0), src.At(m-1, 0)
		kernel.Transpose(d.P, -d.Row, s.P, s.Item, m, n, size, swap)
	case dst.Row == size && src.Item == -size:
		d, s := dst.At(0, n-1), src.At(0, n-1)
		kernel.Transpose(d.P, -d.Item, s.P, s.Row, n, m, size, swap)
	case m > n && n < kernel.FewColumns && !(dst.Item == size && src.Item == size), abs(src.Row) < abs(src.Item):
		kernel.MoveAcross(m, n, dst, src, size, swap)
	default:
		kernel.Move(m, n, dst, src, size, swap)
	}
}

func abs(i int) int { return max(i, -i) }
