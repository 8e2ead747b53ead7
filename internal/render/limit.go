package render

import (
	"fmt"
	"math"

	"github.com/ndmap/ndmap/dtype"
)

// elementLimit is the maximum weight of an element that is written completely. Longer elements are truncated.
const elementLimit = 1 << 14

// totalLimit is the maximum weight of all elements shown of an array, each counted up to its limit. For an array that
// exceeds it, formatting fails. Only arrays with many short axes exceed it, because long axes are summarized.
const totalLimit = 1 << 26

// Weight estimates the length of the text of an array in characters: its number of bytes, plus 1 for each list,
// structure, and value without bytes. It returns math.MaxInt if the sum overflows. Values of 0 bytes count, too,
// because an array may have any number of them.
func Weight(d dtype.DType, shape ...int) int {
	each := 1
	switch d.Kind() {
	case dtype.KindStructured:
		for f := range d.Fields() {
			each = saturatingSum(each, Weight(f.Type))
		}
	case dtype.KindSubarray:
		each = Weight(d.Base(), d.SubShape()...)
	default:
		each = max(each, d.ItemSize())
	}
	lists, n := 0, 1
	for _, length := range shape {
		lists = saturatingSum(lists, n)
		n = saturatingProduct(n, length)
	}
	return saturatingSum(lists, saturatingProduct(n, each))
}

func saturatingSum(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

func saturatingProduct(a, b int) int {
	if b > 0 && a > math.MaxInt/b {
		return math.MaxInt
	}
	return a * b
}

// truncate returns b, an element of text or bytes, and "". If b is longer than limit, it returns the start of b and a
// text to write after it.
func truncate(d dtype.DType, b []byte, limit int) (begin []byte, dots string) {
	if len(b) <= limit {
		return b, ""
	}
	return b[:limit/4*4], fmt.Sprintf("… (%d bytes)", d.ItemSize())
}
