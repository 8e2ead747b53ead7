package render

import (
	"fmt"
	"math"

	"github.com/ndmap/ndmap/dtype"
)

// elementLimit is the weight of an element of which all is written; of others only the beginning is.
const elementLimit = 1 << 14

// totalLimit is the weight of the elements that are shown of an array, each up to its limit. More
// are an error: they are those of many short axes, of which none is summarized.
const totalLimit = 1 << 26

// Weight returns how much there is to write of an array of that shape: its bytes, and one for each
// list, structure and value without bytes, or math.MaxInt if there are more. Where no elements of
// an array have bytes, there may be any number of them.
func Weight(d dtype.DType, shape ...int) int {
	each := 1
	switch d.Kind() {
	case dtype.KindStructured:
		for f := range d.Fields() {
			each = sum(each, Weight(f.Type))
		}
	case dtype.KindSubarray:
		each = Weight(d.Base(), d.SubShape()...)
	default:
		each = max(each, d.ItemSize())
	}
	lists, n := 0, 1
	for _, length := range shape {
		lists = sum(lists, n)
		n = product(n, length)
	}
	return sum(lists, product(n, each))
}

func sum(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

func product(a, b int) int {
	if b > 0 && a > math.MaxInt/b {
		return math.MaxInt
	}
	return a * b
}

// cut returns the beginning of an element of text or bytes whose weight is over the limit, and what
// follows its text.
func cut(d dtype.DType, b []byte, limit int) (begin []byte, dots string) {
	if len(b) <= limit {
		return b, ""
	}
	return b[:limit/4*4], fmt.Sprintf("… (%d bytes)", d.ItemSize())
}
