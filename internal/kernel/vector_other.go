//go:build !amd64 || purego || race

package kernel

const hasVectors = false

func moveVector(m, n int, dst, src Side, size, swap int) (done int) { return 0 }

func transposeVector(dst Pointer, ds int, src Pointer, ss int, m, n, size, swap int) bool {
	return false
}

func convertVector(dst Pointer, to Num, src Pointer, from Num, n int, past bool) (done int) { return 0 }

func sumRowsVector[T Real](out []float64, p Pointer, stride, n, swap int) bool { return false }

func moveItemsVector(m, n int, dst, src Side, size, swap int) bool { return false }

func rowsVector(m, n int, dst, src Side, swap int) bool { return false }

func minMaxVector[T Real](e *extremes, p Pointer, rows, swap int) { panic("kernel: no vectors") }

// Fence does nothing: nothing is stored past the caches.
func Fence() {}

func fillVector(m, n int, dst Side, item Pointer, size int) bool { return false }

// HasItems reports whether ConvertItems converts numbers of type from to type to.
func HasItems(to, from Num) bool { return false }

func convertItemsVector(m, n int, dst Side, to Num, src Side, from Num, reversed Reversed) (rows int) {
	return 0
}

func addColumnsVector[T Integer, A int32 | int64](sum []A, p Pointer, stride, m, swap int) (done int) {
	return 0
}

func addRowsVector[T Float](hi, lo []float64, p Pointer, stride, swap int) (done int) { return 0 }

func extremesVector[T Real](x []T, p Pointer, stride, m, swap int, greatest bool) bool {
	return false
}

func subtractedVector(sum, lo, from []float64, p Pointer, stride, m, swap int) (done int) { return 0 }

func sumWideVector[T Real](s []T, swap int) (total int64, done int) { return 0, 0 }

func addWideRows[T Integer](sum []int64, p Pointer, stride, n, swap int) (done int) { return 0 }

func nonzeroVector[T Real](s []T) (count, done int) { return 0, 0 }

// HasPairs reports whether ConvertPairs converts numbers of type from to type to.
func HasPairs(to, from Num) bool { return false }

// ConvertPairs does nothing.
func ConvertPairs(dst Pointer, to Num, src Pointer, from Num, n int, past bool) (done int) { return 0 }

// Behind returns 0: see columns_amd64.go.
func Behind[T Real](best, s []T, swap int, least bool, ahead int) int { return 0 }

func subtractedRowVector(sum, lo *[rowColumns]float64, from float64, p Pointer, m, swap int, squares bool) bool {
	return false
}

func indexVector[T Real](s []T, bits T) int { return 0 }

func sumSquaresVector[T int16 | uint16](s []T) (sum int64, squares uint64, done int) {
	return 0, 0, 0
}
