package main

import (
	"slices"

	"github.com/ndmap/ndmap/dtype"
)

// promotedAll is promoted of several. Floats and complex numbers come first, as for NumPy: what integers become among
// themselves needs wider ones than each of them.
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
	d, ok = sorted[0], true
	for _, next := range sorted[1:] {
		if d, ok = promoted(d, next); !ok {
			return d, false
		}
	}
	for _, a := range all {
		if a.IsNumber() && a.Order() != dtype.NotApplicable {
			return d.WithOrder(a.Order()), true
		}
	}
	return d, true
}

// promoted returns the dtype that has room for elements of two others, as NumPy's result_type, and whether there is
// one. It has the byte order of the first.
func promoted(a, b dtype.DType) (d dtype.DType, ok bool) {
	switch x, y := a.Kind(), b.Kind(); {
	case a.Equal(b):
		return a, true
	case a.IsNumber() && b.IsNumber():
		d, ok = promotedNumber(a, b)
	case x != y:
		return a, false
	case a.WithOrder(b.Order()).Equal(b):
		return a, true
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
	}
	order := a.Order()
	if order == dtype.NotApplicable {
		order = b.Order()
	}
	if order == dtype.NotApplicable {
		order = dtype.LittleEndian
	}
	return d.WithOrder(order), ok
}

// promotedFields is promoted of two structures with fields of the same names.
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

// promotedNumber is promoted of two numbers, in some byte order.
func promotedNumber(a, b dtype.DType) (dtype.DType, bool) {
	if a.IsLongDouble() || b.IsLongDouble() {
		return a, false
	}
	x, y := a.Kind(), b.Kind()
	bits := func(d dtype.DType) int { // of the least float with room for it, as NumPy has it
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
		return 32 // floats of models
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
	size := max(a.ItemSize(), 2*b.ItemSize()) // a is signed, b is not
	if size > 8 {
		return dtype.Float64, true
	}
	return map[int]dtype.DType{2: dtype.Int16, 4: dtype.Int32, 8: dtype.Int64}[size], true
}
