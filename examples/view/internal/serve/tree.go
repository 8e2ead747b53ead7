package serve

import (
	"fmt"
	"math"

	"github.com/ndmap/ndmap/examples/view/internal/tree"
)

// tree responds with children of a Python object.
func (r *request) tree() (answer, error) {
	path, err := r.integers("path", tree.MaxDepth-1, "want at most %d")
	if err != nil {
		return nil, err
	}
	from, err := r.optionalInteger("from", 0, math.MaxInt, 0)
	if err != nil {
		return nil, err
	}
	count, err := r.optionalInteger("count", 0, tree.MaxCount, tree.MaxCount)
	if err != nil {
		return nil, err
	}
	a, err := r.s.set.Array(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	l, _, err := a.UseObjects()
	if err != nil {
		return nil, err
	}
	defer l.Close()
	if l.Objects == nil {
		return nil, fmt.Errorf("elements of dtype %.100v have no tree: want Python objects", l.DType())
	}
	return tree.Children(*l.Objects, path, from, count)
}
