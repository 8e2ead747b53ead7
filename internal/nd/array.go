package nd

import "github.com/ndmap/ndmap/internal/strided"

// An Array is a plain array: all its elements lie in one memory. A [View] yields one or several Arrays, and the
// functions that work on memory take Arrays.
type Array struct {
	strided.Piece
	Store *Storage
	Read  Access
}
