package tree

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/objects"
	"github.com/ndmap/ndmap/examples/view/internal/table"
)

const (
	maxText   = 1000 // bytes of a text before it is cut
	maxNested = 4    // levels of containers whose elements are in a text
)

// repr returns the start of the text that Python's repr shows for v. [objects.WriteText] would write the complete text.
func repr(v any) string {
	var w writer
	w.value(v, 0)
	s := w.String()
	if len(s) > maxText {
		s = clip(s)
	}
	switch x := v.(type) { // the text is cut
	case string:
		if len(x) > maxText {
			s += fmt.Sprintf(" (%d bytes of UTF-8)", len(x))
		}
	case []byte:
		if len(x) > maxText {
			s += fmt.Sprintf(" (%d bytes)", len(x))
		}
	}
	return s
}

// clip returns s, or its start and "…" if it is long.
func clip(s string) string {
	if len(s) <= maxText {
		return s
	}
	n := maxText
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// A writer collects the start of a text.
type writer struct{ strings.Builder }

// full reports whether further text would be cut.
func (w *writer) full() bool { return w.Len() > maxText }

// value writes v, which is nested in depth containers.
func (w *writer) value(v any, depth int) {
	switch x := v.(type) {
	case objects.List:
		w.items("[", "]", len(x), depth, func(i int) { w.value(x[i], depth+1) })
	case objects.Tuple:
		end := ")"
		if len(x) == 1 {
			end = ",)"
		}
		w.items("(", end, len(x), depth, func(i int) { w.value(x[i], depth+1) })
	case objects.Set:
		if len(x) == 0 {
			w.WriteString("set()")
			return
		}
		w.items("{", "}", len(x), depth, func(i int) { w.value(x[i], depth+1) })
	case objects.Dict:
		w.items("{", "}", len(x), depth, func(i int) {
			w.value(x[i].Key, depth+1)
			w.WriteString(": ")
			w.value(x[i].Value, depth+1)
		})
	case objects.Array:
		w.WriteString(arrayType(x.DType, x.Shape))
	case array.Array:
		if x.NDim() == 0 {
			w.WriteString(table.Text(x))
		} else {
			w.WriteString(arrayType(x.DType(), x.Shape()))
		}
	case string:
		w.scalar(clip(x))
	case []byte:
		w.scalar(x[:min(len(x), maxText)])
	default:
		w.scalar(v)
	}
}

// scalar writes a short value that is not a container, as an element of a tuple, because a text alone has no quotes.
func (w *writer) scalar(v any) {
	w.WriteString(strings.TrimSuffix(strings.TrimPrefix(objects.Tuple{v}.String(), "("), ",)"))
}

// items writes the n items of a container between begin and end.
func (w *writer) items(begin, end string, n, depth int, item func(i int)) {
	w.WriteString(begin)
	for i := 0; i < n; i++ {
		if i > 0 {
			w.WriteString(", ")
		}
		if depth >= maxNested || w.full() {
			w.WriteString("…")
			break
		}
		item(i)
	}
	w.WriteString(end)
}
