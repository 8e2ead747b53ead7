//go:build amd64 && !purego && !race

package kernel

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

// itemsOf[swap] moves items of the size, or reverses them.
var itemsOf = [2][17]func(m, n int, dst, src Side){
	{1: items1, 2: items2, 4: items4, 8: items8, 16: items16},
	{2: reversed2, 4: reversed4, 8: reversed8},
}

//go:noescape
func fills1(m, n int, dst Side, item Pointer)

//go:noescape
func fills2(m, n int, dst Side, item Pointer)

//go:noescape
func fills4(m, n int, dst Side, item Pointer)

//go:noescape
func fills8(m, n int, dst Side, item Pointer)

//go:noescape
func fills16(m, n int, dst Side, item Pointer)

// moveItemsVector is movePlain, of the sizes that it knows.
func moveItemsVector(m, n int, dst, src Side, size, swap int) bool {
	if !vectors || size > 16 {
		return false
	}
	f := itemsOf[min(swap, 1)][size]
	if f == nil {
		return false
	}
	one := src.Item == 0 && src.Row == 0 && swap == 0
	most := callBytes / 16 // items
	if n > most {
		for i := range m {
			for j := 0; j < n; j += most {
				itemsOrFill(f, 1, min(most, n-j), dst.At(i, j), src.At(i, j), size, one)
			}
		}
		return true
	}
	rows := m
	if m*n > most {
		rows = most / n
	}
	for i := 0; i < m; i += rows {
		itemsOrFill(f, min(rows, m-i), n, dst.At(i, 0), src.At(i, 0), size, one)
	}
	return true
}

// itemsOrFill calls f, or if all items are one, what stores that without reading it again.
func itemsOrFill(f func(m, n int, dst, src Side), m, n int, dst, src Side, size int, one bool) {
	switch {
	case !one:
		f(m, n, dst, src)
	case size == 1:
		fills1(m, n, dst, src.P)
	case size == 2:
		fills2(m, n, dst, src.P)
	case size == 4:
		fills4(m, n, dst, src.P)
	case size == 8:
		fills8(m, n, dst, src.P)
	default:
		fills16(m, n, dst, src.P)
	}
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
	step := m
	if m*n > callBytes {
		step = callBytes / n
	}
	for i := 0; i < m; i += step {
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
	longRow := pastBytes / 32 // more than the first cache likes
	switch {
	case n >= longRow && size <= 8:
		x := uint64(0)
		for k := 0; k < 8; k += size {
			copy(Bytes(Add(Pointer(&x), k), size), Bytes(item, size))
		}
		for i := range m {
			row := dst.At(i, 0).P
			for done := 0; done < n; done += callBytes {
				k := min(callBytes, n-done)
				stos(Add(row, done), k/8, x)
				if rest := k & 7; rest > 0 {
					copy(Bytes(Add(row, done+k-rest), rest), Bytes(Pointer(&x), rest))
				}
			}
		}
	case n >= longRow:
		return false
	default:
		rows := max(1, callBytes/n)
		for i := 0; i < m; i += rows {
			fillRows(min(rows, m-i), n, dst.At(i, 0), item, size)
		}
	}
	return true
}
