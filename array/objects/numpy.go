package objects

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/descr"
	"github.com/ndmap/ndmap/internal/pylit"
	"github.com/ndmap/ndmap/internal/render"
)

// object is the dtype |O.
var object = func() dtype.DType {
	v, err := pylit.Parse("'O'", pylit.Config{})
	if err != nil {
		panic(err)
	}
	d, _, err := descr.Read.(func(pylit.Value, bool) (dtype.DType, bool, error))(v, true)
	if err != nil {
		panic(err)
	}
	return d
}()

// A dtypeNode is a dtype that BUILD may still have to complete.
type dtypeNode struct {
	code   string // kind and size: "f8"
	built  bool
	dtype  dtype.DType
	weight int // about the length of the text of the dtype
}

// maxWeight is the maximum weight of a dtype, as much as a header of version 1 can hold. A pickle could otherwise build
// a dtype of 2⁴⁰ fields in 40 steps.
const maxWeight = 64 << 10

// An ndarray is an array that BUILD may still have to fill.
type ndarray struct {
	node
	built   bool
	array   array.Array
	objects *Array // not nil for an array of objects
}

// newDType returns the result of dtype(code, align, copy).
func newDType(args []any) (any, bool) {
	if len(args) != 3 {
		return nil, false
	}
	code, ok := args[0].(string)
	return &dtypeNode{code: code}, ok && code != ""
}

// reconstruct returns the result of _reconstruct(ndarray, (0,), b'b'), an array that BUILD fills.
func reconstruct(args []any) (any, bool) {
	return &ndarray{}, len(args) == 3 && args[0] == any(ndarrayName)
}

// build applies the state of an array or a dtype to it.
func (d *decoder) build(v, state any) {
	t, ok := state.(*tuple)
	var err error
	switch v := v.(type) {
	case *dtypeNode:
		switch {
		case !ok || v.built:
			d.failf("a dtype has an invalid state")
		default:
			v.dtype, err = v.build(d, t.items)
			v.built = true
		}
	case *ndarray:
		switch {
		case !ok || v.built:
			d.failf("an array has an invalid state")
		default:
			err = d.buildArray(v, t.items)
		}
	default:
		d.failf("BUILD of something that is neither an array nor a dtype")
	}
	if err != nil {
		d.failf("%v", err)
	}
}

// build returns the dtype with the given state: version, byte order, sub-array, names, fields, item size, alignment,
// flags, and in version 4 the unit of a time. The item size is -1 if the code says it.
func (t *dtypeNode) build(d *decoder, state []any) (dtype.DType, error) {
	if len(state) < 8 || len(state) > 9 || state[0] != any(int64(len(state)-5)) {
		return dtype.DType{}, errors.New("a dtype has a state of an unknown version")
	}
	order, _ := state[1].(string)
	if order != "<" && order != ">" && order != "|" && order != "=" {
		return dtype.DType{}, errors.New("a dtype has an unknown byte order")
	}
	var of dtype.DType
	var err error
	t.weight = 8
	switch {
	case state[2] != nil:
		of, err = t.subarray(state[2])
	case state[3] != nil:
		of, err = t.structure(d, state[3], state[4], state[5])
	case t.code == "O" || t.code == "O4" || t.code == "O8":
		return object, nil
	case t.code[0] == 'M' || t.code[0] == 'm':
		if len(state) != 9 {
			return dtype.DType{}, errors.New("the dtype of a time has no unit")
		}
		var unit string
		if unit, err = timeUnit(state[8]); err == nil {
			of, err = dtype.Parse(order + t.code + unit)
		}
	case !isCode(t.code):
		err = fmt.Errorf("unknown dtype %q", clip(t.code))
	default:
		of, err = dtype.Parse(order + t.code)
	}
	if n, ok := state[5].(int64); err == nil && ok && n != -1 && n != int64(of.ItemSize()) {
		err = fmt.Errorf("dtype %s has %d bytes, and the pickle says %d", clip(of.String()), of.ItemSize(), n)
	}
	return of, err
}

// isCode reports whether s is a kind and a size, such as f8, and not a longer name, which Parse would accept, too.
func isCode(s string) bool {
	return len(s) > 1 && !slices.ContainsFunc([]byte(s[1:]), func(c byte) bool { return c < '0' || c > '9' })
}

// add adds the weight of a part of t.
func (t *dtypeNode) add(weight int) error {
	if t.weight += weight; t.weight > maxWeight {
		return errors.New("a dtype has too many fields")
	}
	return nil
}

// subarray returns the dtype of a sub-array, from a tuple of dtype and shape.
func (t *dtypeNode) subarray(x any) (dtype.DType, error) {
	pair, ok := x.(*tuple)
	if !ok || len(pair.items) != 2 {
		return dtype.DType{}, errors.New("a sub-array is not a dtype and a shape")
	}
	base, err := dtypeOf(pair.items[0])
	if err != nil {
		return dtype.DType{}, err
	}
	shape, err := shapeOf(pair.items[1])
	if err == nil {
		err = t.add(base.weight + 8*len(shape))
	}
	if err != nil {
		return dtype.DType{}, err
	}
	return dtype.SubarrayOf(base.dtype, shape...)
}

// structure returns a structured dtype, from the names of its fields, a dict of (dtype, offset) or (dtype, offset,
// title) by name, and its size.
func (t *dtypeNode) structure(d *decoder, names, fields, size any) (dtype.DType, error) {
	list, ok1 := names.(*tuple)
	byName, ok2 := fields.(*dict)
	itemsize, ok3 := size.(int64)
	if !ok1 || !ok2 || !ok3 || itemsize < 0 || itemsize > math.MaxInt32 {
		return dtype.DType{}, errors.New("a structured dtype has an invalid state")
	}
	d.spend(len(list.items))
	s := make([]dtype.Field, 0, len(list.items))
	for _, item := range list.items {
		name, ok := item.(string)
		i, found := byName.keys[string(appendSized(nil, 's', name))]
		if !ok || !found {
			return dtype.DType{}, errors.New("a field of a dtype has no definition")
		}
		def, ok := byName.pairs[i].Value.(*tuple)
		if !ok || len(def.items) != 2 && len(def.items) != 3 {
			return dtype.DType{}, fmt.Errorf("field %q of a dtype has an invalid definition", clip(name))
		}
		of, err := dtypeOf(def.items[0])
		offset, ok := def.items[1].(int64)
		if err != nil || !ok || offset < 0 || offset > math.MaxInt32 {
			return dtype.DType{}, fmt.Errorf("field %q of a dtype has an invalid definition", clip(name))
		}
		f := dtype.Field{Name: name, Type: of.dtype, Offset: int(offset)}
		if len(def.items) == 3 {
			if f.Title, ok = def.items[2].(string); !ok {
				return dtype.DType{}, fmt.Errorf("the title of field %q of a dtype is not text", clip(name))
			}
		}
		if err := t.add(8 + len(f.Name) + len(f.Title) + of.weight); err != nil {
			return dtype.DType{}, err
		}
		s = append(s, f)
	}
	return dtype.Struct(int(itemsize), s...)
}

// timeUnit returns the unit of a time as it follows the code, "[25us]". x is a tuple of metadata and (unit, number,
// denominator, events).
func timeUnit(x any) (string, error) {
	if t, ok := x.(*tuple); ok && len(t.items) == 2 {
		if u, ok := t.items[1].(*tuple); ok && len(u.items) == 4 {
			n, ok := intsOf(u.items[1:])
			unit := ""
			switch x := u.items[0].(type) {
			case string:
				unit = x
			case *blob:
				unit = string(x.data)
			}
			switch {
			case !ok || unit == "" || n[0] < 1 || n[0] > math.MaxInt32 || n[1] != 1 || n[2] != 1:
			case unit == "generic":
				return "", nil
			default:
				return fmt.Sprintf("[%d%s]", n[0], clip(unit)), nil
			}
		}
	}
	return "", errors.New("the dtype of a time has an invalid unit")
}

// dtypeOf returns x as a complete dtype.
func dtypeOf(x any) (*dtypeNode, error) {
	t, ok := x.(*dtypeNode)
	if !ok || !t.built {
		return nil, errors.New("a dtype is missing")
	}
	return t, nil
}

// elementType returns x as the dtype of an array or a scalar. It counts the work that walking through its fields takes.
func (d *decoder) elementType(x any) (dtype.DType, error) {
	t, err := dtypeOf(x)
	if err != nil {
		return dtype.DType{}, err
	}
	d.spendBytes(uint64(t.weight))
	return t.dtype, nil
}

// shapeAndType returns the shape and the dtype of an array for messages.
func shapeAndType(shape []int, t dtype.DType) string {
	return fmt.Sprintf("shape %s and dtype %s", pylit.AppendTuple(nil, shape), clip(t.String()))
}

// shapeOf returns x, a tuple of lengths, as a shape.
func shapeOf(x any) ([]int, error) {
	if t, ok := x.(*tuple); ok && len(t.items) <= index.MaxDims {
		if n, ok := intsOf(t.items); ok {
			shape := make([]int, len(n))
			for i, length := range n {
				if length < 0 || length > math.MaxInt {
					return nil, fmt.Errorf("axis %d of an array has the length %d", i, length)
				}
				shape[i] = int(length)
			}
			return shape, nil
		}
	}
	return nil, fmt.Errorf("the shape of an array is not a tuple of at most %d integers", index.MaxDims)
}

// buildArray fills v from its state: version, shape, dtype, whether it is in Fortran order, and its elements, which are
// bytes, or a list in C order for objects.
func (d *decoder) buildArray(v *ndarray, state []any) error {
	if len(state) != 5 || state[0] != any(int64(1)) {
		return errors.New("an array has a state of an unknown version")
	}
	shape, err := shapeOf(state[1])
	if err != nil {
		return err
	}
	t, err := d.elementType(state[2])
	if err != nil {
		return err
	}
	n, size, err := index.Size(shape, t.ItemSize())
	if err != nil {
		return err
	}
	order := index.C
	switch state[3] {
	case true, int64(1):
		order = index.F
	case false, int64(0):
	default:
		return errors.New("the order of an array is neither true nor false")
	}
	v.built = true
	if !t.HasObject() {
		b, ok := d.bytesOf(state[4])
		if !ok || len(b) != size {
			return fmt.Errorf("an array of %s needs %d bytes of elements", shapeAndType(shape, t), size)
		}
		v.array, err = d.fromBytes(b, t, order, shape...)
		return err
	}
	items, ok := state[4].(*list)
	if !ok || len(items.items) != n {
		return fmt.Errorf("an array of %s needs a list of %d elements", shapeAndType(shape, t), n)
	}
	if fields := t.NumField(); fields > 0 {
		for _, item := range items.items {
			if record, ok := item.(*tuple); !ok || len(record.items) != fields {
				return fmt.Errorf("an element of dtype %s is not a tuple of %d fields", clip(t.String()), fields)
			}
		}
	}
	d.spend(n)
	v.objects = &Array{DType: t, Shape: shape, Values: append([]any{}, items.items...)}
	return nil
}

// frombuffer returns the result of _frombuffer(buf, dtype, shape, order) or, in NumPy 2.3, _frombuffer(buf, dtype,
// shape, 'K', axes).
func (d *decoder) frombuffer(args []any) (any, bool) {
	if len(args) != 4 && len(args) != 5 {
		return nil, false
	}
	t, err := d.elementType(args[1])
	if err != nil {
		return err, false
	}
	shape, err := shapeOf(args[2])
	if err != nil {
		return err, false
	}
	order := index.C
	switch args[3] {
	case "F":
		order = index.F
	case "C", "K":
	default:
		return nil, false
	}
	_, size, err := index.Size(shape, t.ItemSize())
	if err != nil {
		return err, false
	}
	b, ok := d.bytesOf(args[0])
	if !ok || len(b) != size || t.HasObject() {
		return nil, false
	}
	a, err := d.fromBytes(b, t, order, shape...)
	if err != nil {
		return err, false
	}
	if len(args) == 5 && args[4] != nil {
		axes, err := shapeOf(args[4])
		if err == nil {
			a, err = a.Transpose(axes...)
		}
		if err != nil {
			return err, false
		}
	}
	return &ndarray{built: true, array: a}, true
}

// arrayValues is the number of values that an array counts in addition to itself, for its memory.
const arrayValues = 4

// fromBytes is [array.FromBytes], and counts the array.
func (d *decoder) fromBytes(b []byte, t dtype.DType, order index.Order, shape ...int) (array.Array, error) {
	d.spend(arrayValues)
	return array.FromBytes(b, t, order, shape...)
}

// scalarOf returns the result of scalar(dtype, bytes): the Go value of a bool, a number or a text, and an array of no
// dimensions for other scalars.
func (d *decoder) scalarOf(args []any) (any, bool) {
	if len(args) != 2 {
		return nil, false
	}
	t, err := d.elementType(args[0])
	if err != nil {
		return err, false
	}
	b, ok := d.bytesOf(args[1])
	if !ok || len(b) != t.ItemSize() || t.HasObject() {
		return nil, false
	}
	switch k := t.Kind(); {
	case t.IsLongDouble():
	case k == dtype.KindBool:
		return b[0] != 0, true
	case k == dtype.KindInt:
		return render.Int(t, b), true
	case k == dtype.KindUint:
		return integer(new(big.Int).SetUint64(render.Uint(t, b))), true
	case k == dtype.KindFloat:
		return render.Real(t, b), true
	case k == dtype.KindComplex:
		re, im := render.Complex(t, b)
		return complex(re, im), true
	case k == dtype.KindBytes:
		return &blob{data: render.TrimText(t, b)}, true
	case k == dtype.KindUnicode:
		return d.unicodeScalar(t, b), true
	}
	a, err := d.fromBytes(b, t, index.C)
	if err != nil {
		return err, false
	}
	return a, true
}

// unicodeScalar returns an element of dtype U as a string.
func (d *decoder) unicodeScalar(t dtype.DType, b []byte) string {
	var s []rune
	for c := range render.Points(t, b) {
		if err := render.CheckPoint(c); err != nil {
			d.failf("%v", err)
		}
		s = append(s, rune(c))
	}
	return string(s)
}
