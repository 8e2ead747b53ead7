package kernel

// Transpose moves m × n items of size bytes: item j of row i from i*size + j*ss
// bytes after src to i*ds + j*size bytes after dst, reversing groups of swap bytes
// as [Move] does. So columns lie in src as rows do in dst. The two must not overlap.
func Transpose(dst Pointer, ds int, src Pointer, ss int, m, n, size, swap int) {
	if m <= 0 || n <= 0 || size == 0 {
		return
	}
	if swap <= 1 {
		swap = 0
	}
	for n*size <= shortRows && m > mostRows { // the lines of columns that are left to plain Go stay in the cache
		transpose(dst, ds, src, ss, mostRows, n, size, swap)
		dst, src, m = Add(dst, mostRows*ds), Add(src, mostRows*size), m-mostRows
	}
	transpose(dst, ds, src, ss, m, n, size, swap)
}

// transpose is Transpose for some of the rows.
func transpose(dst Pointer, ds int, src Pointer, ss int, m, n, size, swap int) {
	if !strips(dst, ds, src, ss, m, n, size, swap) {
		transposePlain(dst, ds, src, ss, m, n, size, swap)
	}
}

// stripBytes is how much of its rows a strip does before the one beside it: the
// lines that it prefetches for that one must still be there then.
const stripBytes = 4 << 10

// strips does Transpose, 8 rows at a time, and returns true, or does nothing where there are too few rows or columns.
// Where strips do not fit m and n exactly, the last ones overlap others and move some items again.
func strips(dst Pointer, ds int, src Pointer, ss int, m, n, size, swap int) bool {
	if size > 16 || do.strip[size] == nil {
		return false
	}
	columns := 32 / size // at a time
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
			if done := do.strip[size](d.P, ds, s.P, ss, length, swap); done < length {
				Move(8, length-done, d.At(0, done), s.At(0, done), size, swap)
			}
		}
		j += length
	}
	return true
}

const (
	// tileBytes is how much of a row plain Go moves before it goes on to the next row.
	// Each line of the cache that it touches in src has more items of those rows, and
	// the lines that this takes stay in the cache until they are moved too.
	tileBytes = 512
	lineBytes = 64

	// mostRows is how many rows of up to shortRows bytes are moved at a time.
	mostRows  = 256
	shortRows = 1 << 10

	// fewColumns is how many items a row has at least for plain Go to go along it.
	// Of fewer it moves columns, columnItems of each at a time.
	fewColumns  = 8
	columnItems = 128
)

func transposePlain(dst Pointer, ds int, src Pointer, ss int, m, n, size, swap int) {
	d, s := Side{dst, ds, size}, Side{src, size, ss}
	if n < fewColumns {
		for i := 0; i < m; i += columnItems {
			Move(n, min(columnItems, m-i), d.At(i, 0).Turned(), s.At(i, 0).Turned(), size, swap)
		}
		return
	}
	step := max(8, tileBytes/size)
	if near := max(ss, -ss); 0 < near && near < lineBytes {
		step *= lineBytes / near // these are no more lines
	}
	for j := 0; j < n; j += step {
		Move(m, min(step, n-j), d.At(0, j), s.At(0, j), size, swap)
	}
}
