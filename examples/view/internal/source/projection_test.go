package source

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// openArray returns a Set with a limit for projections, and an array of it with elements 0, 1, 2, … of type int16.
func openArray(t *testing.T, limit int64, order index.Order, shape ...int) (*Set, *Array) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.npy")
	f, err := array.New(dtype.Int16, order, shape...)
	if err != nil {
		t.Fatal(err)
	}
	v, err := array.As[int16](f.Array)
	if err != nil {
		t.Fatal(err)
	}
	i := int16(0)
	for block := range v.Update(index.C) {
		for k := range block {
			block[k] = i
			i++
		}
	}
	if err := array.Save(path, f.Array); err != nil {
		t.Fatal(err)
	}
	s, err := New(Config{Projected: limit}, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	s.Tree()
	a, err := s.Array(idOf(path, ""))
	if err != nil {
		t.Fatal(err)
	}
	return s, a
}

// project computes a projection of a.
func project(t *testing.T, a *Array, p Projection, progress func(float64) error) (string, error) {
	t.Helper()
	l, err := a.Use()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	q, err := a.Project(l, l.Array, p)
	if err != nil {
		return "", err
	}
	return q.Compute(t.Context(), progress)
}

func ignore(float64) error { return nil }

// TestProjectionLimit tests that the least recently used projections are removed to make room for others, by size and
// by number, that projections in use are not, and that one above the limit is an error.
func TestProjectionLimit(t *testing.T) {
	upTo := func(to int) Projection { return Projection{Op: array.OpMax, Along: []Along{{0, 0, to}}} }
	for _, tt := range []struct {
		name  string
		limit int64
		most  int
	}{
		{"size", 3*2*5 + 1, 3}, // a projection has 5 elements of int16
		{"number", 0, maxProjections},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, a := openArray(t, tt.limit, index.C, 40, 5)
			var ids []string
			add := func() (string, error) { return project(t, a, upTo(len(ids)+1), ignore) }
			for range tt.most {
				id, err := add()
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, id)
			}
			if !s.has(ids[0]) || !s.has(ids[1]) { // now ids[2] is the least recently used one
				t.Fatal("a projection is removed before the limit")
			}
			for range 2 {
				id, err := add()
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, id)
			}
			removed := slices.DeleteFunc(slices.Clone(ids), s.has)
			want := []string{ids[2], ids[3%tt.most]}
			slices.Sort(removed)
			if slices.Sort(want); !slices.Equal(removed, want) {
				t.Errorf("removed %v, want %v of %v", removed, want, ids)
			}
			if want := int64(tt.most) * 10; s.projected != want || s.projections != tt.most {
				t.Errorf("%d bytes in %d projections, want %d in %d", s.projected, s.projections, want, tt.most)
			}
			used, err := s.arrays[ids[len(ids)-1]].Use()
			if err != nil {
				t.Fatal(err)
			}
			for range tt.most {
				id, err := add()
				if err == nil {
					ids = append(ids, id)
				}
			}
			if _, err := used.Clone(index.C); err != nil {
				t.Errorf("a projection in use: %v", err)
			}
			used.Close()
		})
	}
	t.Run("too large", func(t *testing.T) {
		_, a := openArray(t, 9, index.C, 40, 5)
		_, err := project(t, a, upTo(40), ignore)
		const want = "the projection would have shape [1 5] and dtype <i2: want at most 9 bytes; project another axis, too, or show the index"
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	})
	t.Run("in use", func(t *testing.T) {
		s, a := openArray(t, 10, index.C, 40, 5)
		id, err := project(t, a, upTo(1), ignore)
		if err != nil {
			t.Fatal(err)
		}
		l, err := s.arrays[id].Use()
		if err != nil {
			t.Fatal(err)
		}
		const want = "the space for projections is in use, and another 10 bytes are needed; try again"
		if _, err := project(t, a, upTo(2), ignore); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		l.Close()
		if _, err := project(t, a, upTo(2), ignore); err != nil {
			t.Error(err)
		}
	})
}

// TestProjectionStops tests that an error of progress ends the computation, that the projection then does not exist,
// and that its space can be used again.
func TestProjectionStops(t *testing.T) {
	s, a := openArray(t, 10, index.C, 40, 5)
	p := Projection{Op: array.OpMean, Along: []Along{{1, 0, 5}, {0, 0, 40}}}
	stop := errors.New("stop")
	if id, err := project(t, a, p, func(float64) error { return stop }); !errors.Is(err, stop) || id == "" || s.has(id) {
		t.Errorf("id %q, error %v, want %v and no projection", id, err, stop)
	}
	if s.projected != 0 || s.projections != 0 {
		t.Errorf("%d bytes in %d projections after an error", s.projected, s.projections)
	}
	id, err := project(t, a, p, ignore)
	if err != nil || !s.has(id) {
		t.Errorf("id %q, error %v", id, err)
	}
}

// TestProjectionParts computes projections with more results than a part, in both orders and along each axis. The
// progress must grow to 1.
func TestProjectionParts(t *testing.T) {
	shape := []int{3, 2, 600, 500}
	for _, order := range []index.Order{index.C, index.F} {
		s, a := openArray(t, 0, order, shape...)
		for axis := range shape {
			t.Run(fmt.Sprintf("%v along %d", order, axis), func(t *testing.T) {
				last := 0.0
				id, err := project(t, a, Projection{Op: array.OpSum, Along: []Along{{axis, 1, 2}}}, func(x float64) error {
					if x < last {
						t.Errorf("progress %v after %v", x, last)
					}
					last = x
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if last != 1 {
					t.Errorf("progress %v at the end, want 1", last)
				}
				l, err := s.arrays[id].Use()
				if err != nil {
					t.Fatal(err)
				}
				defer l.Close()
				from, err := a.Use()
				if err != nil {
					t.Fatal(err)
				}
				defer from.Close()
				sel := slices.Repeat([]index.Selector{index.Colon}, len(shape))
				sel[axis] = index.Range(1, 2)
				want, err := from.Select(sel...)
				if err != nil {
					t.Fatal(err)
				}
				if same, err := array.Equal(l.Array, want); err != nil || !same {
					t.Errorf("the sum of one index differs from its elements: %v", err)
				}
			})
		}
	}
}

// TestProjectionDescribed tests that the description of a projection has the names of all axes, values only for axes
// that are not projected, and labels only for elements of the array.
func TestProjectionDescribed(t *testing.T) {
	s, a := openArray(t, 0, index.C, 2, 3)
	const description = `{"unit": "K", "labels": {"1": "one"}, "axes": [{"name": "t", "unit": "s", "values": [5, 6]},
		{"name": "x", "values": {"start": 1, "step": 2}}]}`
	if err := os.WriteFile(a.Path+".json", []byte(description), 0o600); err != nil {
		t.Fatal(err)
	}
	for op, labels := range map[array.Op]int{array.OpMax: 1, array.OpMin: 1, array.OpMean: 0, array.OpSum: 0,
		array.OpStd: 0} {
		id, err := project(t, a, Projection{Op: op, Along: []Along{{0, 0, 2}}}, ignore)
		if err != nil {
			t.Fatal(err)
		}
		d, err := s.arrays[id].Describe([]int{1, 3})
		if err != nil {
			t.Fatal(err)
		}
		if d.Unit != "K" || len(d.Labels) != labels || len(d.Axes) != 2 || d.Axes[0].Name != "t" || d.Axes[0].Unit != "s" ||
			d.Axes[0].Texts != nil || d.Axes[1].Step != 2 {
			t.Errorf("%v: %+v", op, d)
		}
		of, p := s.arrays[id].Projected()
		if of != a || p.Op != op {
			t.Errorf("%v: projected of %v by %v", op, of, p.Op)
		}
	}
}
