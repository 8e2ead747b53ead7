//go:build amd64 && !purego && !race

package kernel

import "math/bits"

//go:noescape
func items1(m, n int, dst, src Side)

//go:noescape
func items2(m, n int, dst, src Side)

//go:noescape
func items4(m, n int, dst, src Side)

//go:noescape
func items8(m, n int, dst, src Side)

//go:noescape
func items16(m, n int, dst, src Side)

//go:noescape
func reversed2(m, n int, dst, src Side)

//go:noescape
func reversed4(m, n int, dst, src Side)

//go:noescape
func reversed8(m, n int, dst, src Side)

//go:noescape
func reversedPairs8(m, n int, dst, src Side)

//go:noescape
func reversedPairs16(m, n int, dst, src Side)

//go:noescape
func fills1(m, n int, dst, src Side)

//go:noescape
func fills2(m, n int, dst, src Side)

//go:noescape
func fills4(m, n int, dst, src Side)

//go:noescape
func fills8(m, n int, dst, src Side)

//go:noescape
func fills16(m, n int, dst, src Side)

// What moves items of each size, reverses their bytes or those of either half, and stores
// one again and again.
var (
	itemsOf    = [17]func(m, n int, dst, src Side){1: items1, 2: items2, 4: items4, 8: items8, 16: items16}
	reversedOf = [17]func(m, n int, dst, src Side){2: reversed2, 4: reversed4, 8: reversed8}
	pairsOf    = [17]func(m, n int, dst, src Side){8: reversedPairs8, 16: reversedPairs16}
	fillsOf    = [17]func(m, n int, dst, src Side){1: fills1, 2: fills2, 4: fills4, 8: fills8, 16: fills16}
)

// moveItemsVector is movePlain, and moveGroups, of the sizes that it knows.
func moveItemsVector(m, n int, dst, src Side, size, swap int) bool {
	if !vectors || size > 16 {
		return false
	}
	f := itemsOf[size]
	switch {
	case swap > 0 && swap == size:
		f = reversedOf[size]
	case swap > 0 && 2*swap == size:
		f = pairsOf[size]
	case swap > 0:
		return false
	case src.Item == 0 && src.Row == 0:
		f = fillsOf[size]
	}
	if f == nil {
		return false
	}
	most := callBytes / 16 // items
	for j := 0; j < n; j += most {
		cols := min(most, n-j)
		for i, rows := 0, rowsOf(m, cols, most); i < m; i += rows {
			if i+j > 0 {
				checkpoint()
			}
			f(min(rows, m-i), cols, dst.At(i, j), src.At(i, j))
		}
	}
	return true
}

// rowsOf returns how many rows of n, of m that there are, have no more than most together: one
// at least.
func rowsOf(m, n, most int) int {
	if m*n <= most {
		return m // without a division
	}
	return max(1, most/n)
}

//go:noescape
func fence()

// Fence orders what was stored past the caches before all that is stored later.
func Fence() {
	if vectors {
		fence()
	}
}

//go:noescape
func rows(m, n int, dst, src Side, mask *[16]byte)

// rowsVector is Move for rows of n bytes that are packed on both sides, of groups of swap
// bytes, which do not overlap.
func rowsVector(m, n int, dst, src Side, swap int) bool {
	if !vectors || n < 16 || n > callBytes {
		return false
	}
	for i, step := 0, rowsOf(m, n, callBytes); i < m; i += step {
		if i > 0 {
			checkpoint()
		}
		rows(min(step, m-i), n, dst.At(i, 0), src.At(i, 0), &masks[swap])
	}
	return true
}

//go:noescape
func fillRows(m, n int, dst Side, item Pointer, size int)

//go:noescape
func stos(dst Pointer, n int, x uint64)

// fillVector is Move for rows of n bytes that all repeat one item.
func fillVector(m, n int, dst Side, item Pointer, size int) bool {
	if !vectors || n < 32 || size > 16 || size&(size-1) != 0 {
		return false
	}
	longRow := pastBytes / 4 // REP STOS is slow to start
	if m*n >= pastBytes {
		longRow = min(longRow, 6<<10) // beyond the second cache it pays for shorter rows
	}
	switch {
	case n >= longRow && size <= 8:
		x := uint64(0)
		for k := 0; k < 8; k += size {
			copy(Bytes(Add(Pointer(&x), k), size), Bytes(item, size))
		}
		for i := range m {
			row := dst.At(i, 0).P
			fillRows(1, 64, Side{P: row}, item, size)
			head := -int(uintptr(row)) & 63 // REP STOS is slow unless it starts on a cache line
			x := bits.RotateLeft64(x, -8*head)
			for done := head; done < n; done += callBytes {
				k := min(callBytes, n-done)
				stos(Add(row, done), k/8, x)
				checkpoint()
				if rest := k & 7; rest > 0 {
					copy(Bytes(Add(row, done+k-rest), rest), Bytes(Pointer(&x), rest))
				}
			}
		}
	case n >= longRow:
		return false
	default:
		for i, step := 0, rowsOf(m, n, callBytes); i < m; i += step {
			if i > 0 {
				checkpoint()
			}
			fillRows(min(step, m-i), n, dst.At(i, 0), item, size)
		}
	}
	return true
}

//go:noescape
func convertItems(m, n int, dst, src Side, pair, swap int) (left int)

// pairOf returns which loop converts numbers of one type to another. Of integers, it is that
// to signed ones where that writes the same bytes.
func pairOf(to, from Num) int {
	switch {
	case to == Bool && U8 <= from && from <= U64:
		from -= U8 - I8
	case U8 <= to && to <= U64 && from <= U64:
		to -= U8 - I8
	}
	return int(from)*int(nums) + int(to)
}

// HasItems reports whether ConvertItems converts numbers of type from to type to.
func HasItems(to, from Num) bool {
	return vectors && convertItems(0, 0, Side{}, Side{}, pairOf(to, from), 0) == 0
}

// convertItemsVector does a part of ConvertItems.
func convertItemsVector(m, n int, dst Side, to Num, src Side, from Num, reversed Reversed) (rows int) {
	if !vectors {
		return 0
	}
	pair, most := pairOf(to, from), callBytes/16 // items
	for rows < m {
		step := min(rowsOf(m, n, most), m-rows)
		for j := 0; j < n; j += most {
			if rows+j > 0 {
				checkpoint()
			}
			left := convertItems(step, min(most, n-j), dst.At(rows, j), src.At(rows, j), pair, int(reversed))
			if left < 0 {
				return 0
			}
			if left > 0 {
				return rows + step - left
			}
		}
		rows += step
	}
	return m
}
