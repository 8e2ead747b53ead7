package dtype

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/ndmap/ndmap/internal/pylit"
)

// A Field is one named part of a structured type.
type Field struct {
	Name   string
	Title  string // a second name, which NumPy allows; usually empty
	Type   DType  // of kind KindSubarray for a block of values
	Offset int    // in bytes from the start of the element
}

// Struct returns the structured type of fields at the offsets given, with itemsize
// bytes an element. A negative itemsize means: no bytes after the field that
// ends last. Names must be UTF-8 and different from each other and from the
// titles; else there is an error, as for more than 1<<31-1 bytes. Fields may overlap, but such
// a type cannot be written to a header.
//
//	dtype.Struct(-1, dtype.Field{Name: "x", Type: dtype.Float32},
//		dtype.Field{Name: "tag", Type: dtype.Bytes(8), Offset: 4})
func Struct(itemsize int, fields ...Field) (DType, error) {
	names := make(names, len(fields))
	end := 0
	for _, f := range fields {
		if f.Type.kind == KindInvalid {
			return DType{}, fmt.Errorf("dtype: field %q has no type", f.Name)
		}
		if err := names.add(f); err != nil {
			return DType{}, fmt.Errorf("dtype: %w", err)
		}
		if f.Offset < 0 || f.Offset > maxSize-int(f.Type.size) {
			return DType{}, fmt.Errorf("dtype: field %q at offset %d does not fit an element of at most %d bytes", f.Name,
				f.Offset, maxSize)
		}
		end = max(end, f.Offset+int(f.Type.size))
	}
	if itemsize < 0 {
		itemsize = end
	}
	if itemsize < end || itemsize > maxSize {
		return DType{}, fmt.Errorf("dtype: fields end at byte %d of an element of %d bytes; want at most %d", end, itemsize,
			maxSize)
	}
	return DType{kind: KindStructured, size: int32(itemsize), composite: intern(composite{fields: slices.Clone(fields)})},
		nil
}

// names are the names and titles of the fields of a type.
type names map[string]bool

// add adds those of f. The error is without prefix.
func (n names) add(f Field) error {
	switch {
	case !utf8.ValidString(f.Name) || !utf8.ValidString(f.Title):
		return fmt.Errorf("the name or title of field %q is not UTF-8", f.Name)
	case n[f.Name]:
		return fmt.Errorf("the name of field %q is that of another field, or its title", f.Name)
	case f.Title != "" && (n[f.Title] || f.Title == f.Name):
		return fmt.Errorf("the title %q of field %q is the name of a field, or the title of another", f.Title, f.Name)
	}
	n[f.Name] = true
	if f.Title != "" {
		n[f.Title] = true
	}
	return nil
}

// Packed returns the structured type of fields one after the other without padding,
// in the order given. The Offset of each is set, whatever it was. The errors are those of
// [Struct].
func Packed(fields ...Field) (DType, error) {
	fields = slices.Clone(fields)
	end := 0
	for i := range fields {
		fields[i].Offset = end
		if end > maxSize-int(fields[i].Type.size) {
			break // Struct says that it does not fit
		}
		end += int(fields[i].Type.size)
	}
	return Struct(-1, fields...)
}

// Packed returns d with its fields one after the other without padding, in their order, as
// NumPy has them where align is not True; so are those of nested structures. Other types
// are returned as they are. It allocates for structured types and sub-arrays.
func (d DType) Packed() (DType, error) { return d.relaid(false) }

// Aligned returns d with its fields in their order, each at the next multiple of its alignment,
// and as many bytes as are a multiple of the largest one, as NumPy has it with align=True
// on 64-bit machines; so are those of nested structures. That is where a Go struct of such
// fields has them, so that its elements can be used in place. Numbers are aligned to their
// size, complex ones to that of their parts, U to 4 bytes, other text and booleans to 1.
// Other types are returned as they are. The error is that of [Struct], for more than
// 1<<31-1 bytes. It allocates for structured types and sub-arrays.
func (d DType) Aligned() (DType, error) { return d.relaid(true) }

func (d DType) relaid(align bool) (DType, error) {
	switch d.kind {
	case KindSubarray:
		base, err := d.composite.base.relaid(align)
		if err != nil {
			return DType{}, err
		}
		return SubarrayOf(base, d.composite.shape...)
	case KindStructured:
		fields := slices.Clone(d.composite.fields)
		end, most := int64(0), 1
		for k := range fields {
			f := &fields[k]
			var err error
			if f.Type, err = f.Type.relaid(align); err != nil {
				return DType{}, err
			}
			if align {
				a := f.Type.alignment()
				end, most = roundUp(end, a), max(most, a)
			}
			if end > maxSize-int64(f.Type.size) {
				return DType{}, fmt.Errorf("dtype: field %q at offset %d does not fit an element of at most %d bytes", f.Name, end,
					maxSize)
			}
			f.Offset = int(end)
			end += int64(f.Type.size)
		}
		if end = roundUp(end, most); end > maxSize {
			return DType{}, fmt.Errorf("dtype: an aligned element has %d bytes; want at most %d", end, maxSize)
		}
		return Struct(int(end), fields...)
	}
	return d, nil
}

// roundUp returns the next multiple of a power of two.
func roundUp(n int64, power int) int64 { return (n + int64(power) - 1) &^ (int64(power) - 1) }

// alignment is that of d in C on 64-bit machines.
func (d DType) alignment() int {
	switch d.kind {
	case KindBytes, KindVoid:
		return 1
	case KindUnicode:
		return 4
	case KindComplex:
		return int(d.size) / 2
	case KindSubarray:
		return d.composite.base.alignment()
	case KindStructured:
		a := 1
		for _, f := range d.composite.fields {
			a = max(a, f.Type.alignment())
		}
		return a
	}
	return int(d.size)
}

// NumField returns the number of fields of a structured type, and 0 for others.
func (d DType) NumField() int {
	if d.kind != KindStructured {
		return 0
	}
	return len(d.composite.fields)
}

// FieldAt returns field i of a structured type, counted from 0. It panics if there is none.
func (d DType) FieldAt(i int) Field { return d.composite.fields[i] }

// Fields iterates over the fields of a structured type in the order of the
// header. Padding is no field.
func (d DType) Fields() iter.Seq[Field] {
	return func(yield func(Field) bool) {
		for i := range d.NumField() {
			if !yield(d.composite.fields[i]) {
				return
			}
		}
	}
}

// Field returns the field of a structured type with that name or title. ok is false
// where there is none. It looks at one field after the other.
func (d DType) Field(name string) (f Field, ok bool) {
	for i := range d.NumField() {
		if f := d.composite.fields[i]; f.Name == name || name != "" && f.Title == name {
			return f, true
		}
	}
	return Field{}, false
}

// SubarrayOf returns the type of a block of base with that shape, in C order, as a
// field may have it. For an empty shape it returns base itself. The error is for a block of
// more than 1<<31-1 bytes, and for types of 0 bytes that are not structured, of which NumPy
// makes no blocks.
func SubarrayOf(base DType, shape ...int) (DType, error) {
	if err := canBeBase(base); err != nil {
		return DType{}, fmt.Errorf("dtype: %w", err)
	}
	if len(shape) == 0 {
		return base, nil
	}
	if len(shape) > maxSubDims {
		return DType{}, fmt.Errorf("dtype: a sub-array of %d dimensions; want at most %d", len(shape), maxSubDims)
	}
	n := int64(1)
	for _, dim := range shape {
		if dim < 0 {
			return DType{}, fmt.Errorf("dtype: sub-array dimension %d is negative", dim)
		}
		if int64(dim) > maxSize || n > math.MaxInt64/int64(max(dim, 1)) {
			return DType{}, errTooLarge(shape)
		}
		n *= int64(dim)
	}
	if n > maxSize || n*int64(base.size) > maxSize {
		return DType{}, errTooLarge(shape)
	}
	return DType{kind: KindSubarray, size: int32(n * int64(base.size)), composite: intern(composite{base: base,
		shape: slices.Clone(shape)})}, nil
}

// maxSubDims is NPY_MAXDIMS of the NumPy versions that write such files.
const maxSubDims = 32

func errTooLarge(shape []int) error {
	return fmt.Errorf("dtype: a sub-array of shape %s has more than %d bytes", pylit.AppendTuple(nil, shape), maxSize)
}

// canBeBase refuses what no sub-array can be made of. The error is without
// prefix.
func canBeBase(base DType) error {
	if base.kind == KindInvalid {
		return fmt.Errorf("a sub-array of no type")
	}
	if base.size == 0 && base.kind != KindStructured {
		// NumPy takes what follows such a type for its size, not for a shape.
		return fmt.Errorf("a sub-array of %v, which has 0 bytes", base)
	}
	return nil
}

// Base returns the type of one value of a [KindSubarray], and d itself for other kinds.
func (d DType) Base() DType {
	if d.kind != KindSubarray {
		return d
	}
	return d.composite.base
}

// SubShape returns the shape of a [KindSubarray], and nil for other kinds. It allocates.
func (d DType) SubShape() []int {
	if d.kind != KindSubarray {
		return nil
	}
	return slices.Clone(d.composite.shape)
}
