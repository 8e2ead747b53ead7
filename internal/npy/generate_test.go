package npy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// A spec describes a dtype to NumPy (build in testdata/judge.py) and to package dtype: a code, a sub-array or a
// structured type.
type spec struct {
	Code    string `json:",omitempty"`
	Base    *spec  `json:",omitempty"`
	Shape   []int  `json:",omitempty"`
	Fields  []field
	Size    int
	Aligned bool // NumPy chooses the offsets and the size
}

type field struct {
	Name, Title string
	Type        *spec
	Offset      int
}

// dtype returns the dtype of s, made without a header. ok is false if only NumPy knows the offsets.
func (s *spec) dtype() (d dtype.DType, ok bool, err error) {
	switch {
	case s.Code != "":
		d, err = dtype.Parse(s.Code)
		return d, true, err
	case s.Base != nil:
		d, ok, err = s.Base.dtype()
		if err == nil && ok {
			d, err = dtype.SubarrayOf(d, s.Shape...)
		}
		return d, ok, err
	case s.Aligned:
		return d, false, nil
	}
	var fields []dtype.Field
	for _, f := range s.Fields {
		d, ok, err := f.Type.dtype()
		if err != nil || !ok {
			return d, ok, err
		}
		fields = append(fields, dtype.Field{Name: f.Name, Title: f.Title, Type: d, Offset: f.Offset})
	}
	d, err = dtype.Struct(s.Size, fields...)
	return d, true, err
}

// size returns the number of bytes of s in a structure. For aligned types the result is too large.
func (s *spec) size() int {
	if s.Base != nil {
		n := s.Base.size()
		for _, dim := range s.Shape {
			n *= dim
		}
		return n
	}
	if s.Aligned {
		n := 0
		for _, f := range s.Fields {
			n += f.Type.size() + 16
		}
		return n + 16
	}
	if s.Code == "" {
		return s.Size
	}
	d, err := dtype.Parse(s.Code)
	if err != nil {
		panic(err)
	}
	return d.ItemSize()
}

// hasAligned reports whether s contains aligned types, whose sizes are unknown here.
func (s *spec) hasAligned() bool {
	if s == nil {
		return false
	}
	has := s.Aligned || s.Base.hasAligned()
	for _, f := range s.Fields {
		has = has || f.Type.hasAligned()
	}
	return has
}

// An arraySpec describes an array that NumPy writes.
type arraySpec struct {
	Type    *spec
	Shape   []int
	Fortran bool
	Sparse  bool // too large to be allocated: NumPy writes only the header
}

func (a arraySpec) order() index.Order {
	if a.Fortran {
		return index.F
	}
	return index.C
}

// A maker makes random specs.
type maker struct{ *rand.Rand }

func pick[T any](r *rand.Rand, s ...T) T { return s[r.IntN(len(s))] }

func (m maker) array() arraySpec {
	a := arraySpec{Type: m.spec(4), Fortran: m.IntN(2) == 0, Shape: []int{}}
	if m.IntN(4) == 0 {
		a.Sparse = true
		left := 1 << (strconv.IntSize * 5 / 8) / (a.Type.size() + 1)
		for range m.IntN(6) {
			n := 1 + m.IntN(max(left, 1))>>m.IntN(strconv.IntSize*5/8)
			left /= n
			a.Shape = append(a.Shape, n)
		}
		return a
	}
	left := 1 << 16 / (a.Type.size() + 1)
	for range m.IntN(6) {
		n := m.IntN(min(left, 7) + 1)
		if m.IntN(100) == 0 {
			n = m.IntN(left + 1)
		}
		left /= max(n, 1)
		a.Shape = append(a.Shape, n)
	}
	if m.IntN(50) == 0 {
		for len(a.Shape) < 32 {
			a.Shape = append(a.Shape, 1)
		}
	}
	return a
}

func (m maker) code() string {
	order := pick(m.Rand, "<", ">")
	switch m.IntN(10) {
	case 0:
		return pick(m.Rand, "|b1", "|i1", "|u1")
	case 1, 2:
		return order + pick(m.Rand, "i2", "i4", "i8", "u2", "u4", "u8")
	case 3, 4:
		return order + pick(m.Rand, "f2", "f4", "f8", "c8", "c16")
	case 5:
		return pick(m.Rand, "<", "<", "<", ">") + pick(m.Rand, "f16", "c32", "f8")
	case 6:
		return "|" + pick(m.Rand, "S", "V") + fmt.Sprint(m.length())
	case 7:
		return order + "U" + fmt.Sprint(m.length())
	case 8:
		return order + pick(m.Rand, "M8", "m8")
	}
	s := order + pick(m.Rand, "M8[", "m8[")
	if m.IntN(2) == 0 {
		s += fmt.Sprint(2 + m.IntN(1<<m.IntN(30)))
	}
	return s + dtype.Unit(1+m.IntN(int(dtype.Attosecond))).String() + "]"
}

func (m maker) length() int {
	if m.IntN(20) == 0 {
		return m.IntN(1000)
	}
	return m.IntN(12)
}

// spec returns a random type. Structured types nest at most depth deep.
func (m maker) spec(depth int) *spec {
	if depth == 0 || m.IntN(3) == 0 {
		return &spec{Code: m.code()}
	}
	s := &spec{Aligned: m.IntN(8) == 0}
	n := m.IntN(5)
	switch m.IntN(200) {
	case 0:
		n = m.IntN(501) // makes headers long
	case 1, 2, 3:
		n = m.IntN(40)
	}
	if n > 10 {
		depth = 1
	}
	names, long := map[string]bool{}, ""
	alphabet := pick(m.Rand, plain, plain, latin1Names, anyNames)
	if n > 200 {
		long = strings.Repeat("long name ", m.IntN(50)) // may need version 2
	}
	name := func() string {
		for {
			if s := m.name(alphabet) + long; !names[s] {
				names[s] = true
				return s
			}
		}
	}
	for range n {
		f := field{Name: name(), Type: m.spec(depth - 1), Offset: s.Size}
		if m.IntN(8) == 0 {
			if f.Title = name(); f.Title == "" {
				f.Title = "?"
				names["?"] = true
			}
		}
		for m.IntN(5) == 0 && (f.Type.size() > 0 || f.Type.Code == "" && f.Type.Base == nil) && !f.Type.mayBeEmpty() {
			shape := make([]int, 1+m.IntN(3))
			for i := range shape {
				shape[i] = 1 + m.IntN(3)
				if m.IntN(20) == 0 {
					shape[i] = 0
				}
			}
			f.Type = &spec{Base: f.Type, Shape: shape}
		}
		if f.Name == "" && f.Title == "" && (f.Type.Base != nil || strings.Contains(f.Type.Code, "V")) {
			f.Name = "not padding"
			if names[f.Name] {
				continue
			}
			names[f.Name] = true
		}
		if m.IntN(6) == 0 {
			f.Offset += m.IntN(20)
		}
		s.Size = f.Offset + f.Type.size()
		s.Fields = append(s.Fields, f)
	}
	if m.IntN(6) == 0 {
		s.Size += m.IntN(20)
	}
	for _, f := range s.Fields {
		if f.Type.hasAligned() {
			s.Aligned = true
		}
	}
	return s
}

// mayBeEmpty reports whether s may be a sub-array of 0 bytes. NumPy makes no sub-arrays of such types.
func (s *spec) mayBeEmpty() bool {
	return s.Base != nil && (s.size() == 0 || s.hasAligned())
}

// The characters of names: letters, characters of Latin-1, and characters that are special to repr and the encodings.
var (
	plain       = strings.Split("abcdefghijklmnopqrstuvwxyzABCXYZ0123456789_", "")
	latin1Names = append(slices.Clone(plain[:10]), "é", "ß", "ÿ", "\u0080", "\u00a0", "\u00ad", "'", `"`, `\`, "\n", "\r",
		"\t", "\x00", "\x1f", "\x7f", " ", "#", "(", "]", "{", ",", "L", "10L", `\x41`)
	anyNames = append(slices.Clone(latin1Names), "整", "形", "ж", "😀", "\u0301", "\u2028", "\u200b", "\ue000",
		"\U0010ffff", "\u0378")
)

func (m maker) name(alphabet []string) string {
	if m.IntN(30) == 0 {
		return ""
	}
	n := 1 + m.IntN(6)
	if m.IntN(100) == 0 {
		n = m.IntN(300)
	}
	var b strings.Builder
	for range n {
		b.WriteString(pick(m.Rand, alphabet...))
	}
	return b.String()
}
