package main

import (
	"slices"

	"github.com/ndmap/ndmap/dtype"
)

// promotedAll returns the dtype of the result of np.concatenate for arrays of these dtypes. ok is false if they have no
// common dtype. Like NumPy's result on a little-endian machine, it is little-endian and has no padding. Floats and
// complex numbers are promoted first, as in NumPy: u2, i2 and f2 become f4, while u2 and i2 become i4.
func promotedAll(all []dtype.DType) (d dtype.DType, ok bool) {
	wide := func(d dtype.DType) bool {
		return d.Kind() == dtype.KindFloat || d.Kind() == dtype.KindComplex || d.Kind() >= dtype.KindBFloat16
	}
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b dtype.DType) int {
		switch {
		case wide(a) == wide(b):
			return 0
		case wide(a):
			return -1
		}
		return 1
	})
	d, ok = canonical(sorted[0])
	for _, next := range sorted[1:] {
		if ok {
			d, ok = promoted(d, next)
		}
	}
	return d, ok
}

// canonical returns d in little-endian byte order and without padding.
func canonical(d dtype.DType) (dtype.DType, bool) {
	d, err := d.WithByteOrder(dtype.LittleEndian).Packed()
	return d, err == nil
}

// promoted returns the dtype that can hold elements of both a and b, following np.result_type. The result is canonical.
// ok is false if there is no such dtype.
func promoted(a, b dtype.DType) (d dtype.DType, ok bool) {
	d, ok = canonical(a)
	e, _ := canonical(b)
	switch x, y := a.Kind(), b.Kind(); {
	case d.Equal(e):
		return d, ok
	case a.IsNumber() && b.IsNumber():
		d, ok = promotedNumber(a, b)
	case x == dtype.KindTimedelta && promotesToTimedelta(b):
		return d, true
	case y == dtype.KindTimedelta && promotesToTimedelta(a):
		return e, true
	case x != y:
		return a, false
	case isTime(a):
		d, ok = promotedTime(a, b)
	case x == dtype.KindBytes || x == dtype.KindUnicode:
		if d = a; b.ItemSize() > a.ItemSize() {
			d = b
		}
		ok = true
	case x == dtype.KindStructured && a.NumField() == b.NumField():
		return promotedFields(a, b)
	case x == dtype.KindSubarray && slices.Equal(a.SubShape(), b.SubShape()):
		base, ok := promoted(a.Base(), b.Base())
		if !ok {
			return a, false
		}
		d, err := dtype.SubarrayOf(base, a.SubShape()...)
		return d, err == nil
	default:
		return a, false
	}
	return d.WithByteOrder(dtype.LittleEndian), ok
}

// promotesToTimedelta reports whether integers or booleans of dtype d become timedeltas when they are combined with
// timedeltas.
func promotesToTimedelta(d dtype.DType) bool {
	switch d.Kind() {
	case dtype.KindBool, dtype.KindInt:
		return true
	case dtype.KindUint:
		return d.ItemSize() < 8
	}
	return false
}

// promotedFields implements promoted for two structures whose fields have the same names.
func promotedFields(a, b dtype.DType) (dtype.DType, bool) {
	var fields []dtype.Field
	for k := range a.NumField() {
		f, g := a.FieldAt(k), b.FieldAt(k)
		var ok bool
		if f.Type, ok = promoted(f.Type, g.Type); !ok || f.Name != g.Name || f.Title != g.Title {
			return a, false
		}
		fields = append(fields, f)
	}
	d, err := dtype.Packed(fields...)
	return d, err == nil
}

// promotedNumber implements promoted for two dtypes of numbers. The result may have any byte order.
func promotedNumber(a, b dtype.DType) (dtype.DType, bool) {
	if a.IsLongDouble() || b.IsLongDouble() {
		return a, false
	}
	x, y := a.Kind(), b.Kind()
	bits := func(d dtype.DType) int { // size of the smallest float that can hold d, by NumPy's rules
		switch size := d.ItemSize(); d.Kind() {
		case dtype.KindBool:
			return 0
		case dtype.KindInt, dtype.KindUint:
			return min(16*size, 64)
		case dtype.KindComplex:
			return 4 * size
		case dtype.KindFloat:
			return 8 * size
		}
		return 32 // bfloat16 and 8-bit floats
	}
	is := func(kind dtype.Kind) bool { return x == kind || y == kind }
	isModel := x >= dtype.KindBFloat16 || y >= dtype.KindBFloat16
	switch width := max(bits(a), bits(b)); {
	case x == dtype.KindBool:
		return b, true
	case y == dtype.KindBool:
		return a, true
	case is(dtype.KindComplex) && width > 32:
		return dtype.Complex128, true
	case is(dtype.KindComplex):
		return dtype.Complex64, true
	case (is(dtype.KindFloat) || isModel) && x != y || x == dtype.KindFloat:
		return [...]dtype.DType{dtype.Float16, dtype.Float32, dtype.Float64}[width/32], true
	case x == y && a.ItemSize() >= b.ItemSize():
		return a, true
	case x == y:
		return b, true
	case x == dtype.KindUint:
		a, b = b, a
	}
	size := max(a.ItemSize(), 2*b.ItemSize()) // a is signed, b is unsigned
	if size > 8 {
		return dtype.Float64, true
	}
	return map[int]dtype.DType{2: dtype.Int16, 4: dtype.Int32, 8: dtype.Int64}[size], true
}
