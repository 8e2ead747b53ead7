package elem

import (
	"encoding/binary"
	"math"
	"math/big"
	"slices"

	"github.com/ndmap/ndmap/dtype"
)

// This file contains slow functions that the tests compare Codecs with. They assign one element at a time, byte by
// byte, by the rules in the documentation of array.Copy.

// slowAssign assigns the element s of dtype src to the element d of dtype dst.
func slowAssign(dst dtype.DType, d []byte, src dtype.DType, s []byte) {
	native := dst.WithByteOrder(dtype.Native)
	switch {
	case dst.Kind() == dtype.KindStructured:
		for k := range dst.NumField() {
			f, g := dst.FieldAt(k), src.FieldAt(k)
			slowAssign(f.Type, d[f.Offset:][:f.Type.ItemSize()], g.Type, s[g.Offset:][:g.Type.ItemSize()])
		}
	case dst.Kind() == dtype.KindSubarray:
		n, m := dst.Base().ItemSize(), src.Base().ItemSize()
		for k := range len(d) / max(1, n) {
			slowAssign(dst.Base(), d[k*n:][:n], src.Base(), s[k*m:][:m])
		}
	case dst.Kind() == src.Kind() && dst.IsVariable():
		for i := range d {
			d[i] = 0
			if i < len(s) {
				d[i] = s[i]
			}
		}
		if dst.ByteOrder() != src.ByteOrder() {
			for at := 0; at < min(len(d), len(s)); at += 4 {
				slices.Reverse(d[at : at+4])
			}
		}
	case native.Equal(src.WithByteOrder(dtype.Native)): // including long doubles, which are not converted
		copy(d, s)
		if dst.ByteOrder() != src.ByteOrder() {
			whole := len(d)
			if dst.Kind() == dtype.KindComplex {
				whole /= 2
			}
			for at := 0; at < len(d); at += whole {
				slices.Reverse(d[at : at+whole])
			}
		}
	default:
		slowRead(src, s).write(dst, d)
	}
}

// A slowNumber holds the exact value of a number of any type.
type slowNumber struct {
	i      *big.Int // for integers, booleans and times
	re, im float64  // for other numbers
}

// littleEndianBytes returns the bytes of a number, the least significant first.
func littleEndianBytes(d dtype.DType, b []byte) []byte {
	b = slices.Clone(b)
	if d.ByteOrder() == dtype.BigEndian {
		slices.Reverse(b)
	}
	return b
}

func slowRead(d dtype.DType, b []byte) (x slowNumber) {
	switch d.Kind() {
	case dtype.KindBool:
		x.i = big.NewInt(int64(min(b[0], 1)))
	case dtype.KindFloat:
		x.re = slowFloat(littleEndianBytes(d, b))
	case dtype.KindBFloat16:
		x.re = dtype.BF16(binary.LittleEndian.Uint16(littleEndianBytes(d, b))).Float64()
	case dtype.KindFloat8E4M3FN:
		x.re = dtype.F8E4M3FN(b[0]).Float64()
	case dtype.KindFloat8E5M2:
		x.re = dtype.F8E5M2(b[0]).Float64()
	case dtype.KindComplex:
		half := len(b) / 2
		x.re, x.im = slowFloat(littleEndianBytes(d, b[:half])), slowFloat(littleEndianBytes(d, b[half:]))
	default:
		big1 := littleEndianBytes(d, b)
		slices.Reverse(big1)
		x.i = new(big.Int).SetBytes(big1)
		if d.Kind() != dtype.KindUint && big1[0] >= 0x80 {
			x.i.Sub(x.i, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	return x
}

func slowFloat(b []byte) float64 {
	le := binary.LittleEndian
	switch len(b) {
	case 2:
		return dtype.Half(le.Uint16(b)).Float64()
	case 4:
		return float64(math.Float32frombits(le.Uint32(b)))
	}
	return math.Float64frombits(le.Uint64(b))
}

// write stores x in the element b of dtype d.
func (x slowNumber) write(d dtype.DType, b []byte) {
	le := binary.LittleEndian
	switch d.Kind() {
	case dtype.KindBool:
		b[0] = 0
		if x.i != nil && x.i.Sign() != 0 || x.i == nil && (x.re != 0 || x.im != 0) {
			b[0] = 1
		}
		return
	case dtype.KindFloat:
		x.writeFloat(b)
	case dtype.KindBFloat16:
		le.PutUint16(b, uint16(dtype.BF16From64(x.roundToOdd())))
	case dtype.KindFloat8E4M3FN:
		b[0] = uint8(dtype.F8E4M3FNFrom64(x.roundToOdd()))
	case dtype.KindFloat8E5M2:
		b[0] = uint8(dtype.F8E5M2From64(x.roundToOdd()))
	case dtype.KindComplex:
		half := len(b) / 2
		x.writeFloat(b[:half])
		slowNumber{re: x.im}.writeFloat(b[half:])
		if d.ByteOrder() == dtype.BigEndian {
			slices.Reverse(b[:half])
			slices.Reverse(b[half:])
		}
		return
	default:
		bits := uint(8 * len(b))
		i := x.i
		switch lowest := new(big.Int).Lsh(big.NewInt(-1), bits-1); {
		case i != nil:
		case math.IsNaN(x.re) && IsTime(d):
			i = lowest
		default:
			i = truncated(x.re)
			highest := new(big.Int).Not(lowest)
			if d.Kind() == dtype.KindUint {
				highest.Sub(highest, lowest)
				lowest.SetInt64(0)
			}
			if i.Cmp(lowest) < 0 {
				i = lowest
			}
			if i.Cmp(highest) > 0 {
				i = highest
			}
		}
		low := new(big.Int).And(i, big.NewInt(1<<32-1)).Uint64() // And works on two's complement
		high := new(big.Int).And(new(big.Int).Rsh(i, 32), big.NewInt(1<<32-1)).Uint64()
		copy(b, le.AppendUint64(nil, high<<32|low))
	}
	if d.ByteOrder() == dtype.BigEndian {
		slices.Reverse(b)
	}
}

// writeFloat rounds x, or its real part, once to a float of len(b) bytes.
func (x slowNumber) writeFloat(b []byte) {
	le := binary.LittleEndian
	var f32 float32
	f64 := x.re
	if x.i != nil {
		f := new(big.Float).SetInt(x.i) // exact
		f32, _ = f.Float32()
		f64, _ = f.Float64() // exact in the range of Float16
	} else {
		f32 = float32(f64)
	}
	switch len(b) {
	case 2:
		le.PutUint16(b, uint16(dtype.HalfFrom64(f64)))
	case 4:
		le.PutUint32(b, math.Float32bits(f32))
	case 8:
		le.PutUint64(b, math.Float64bits(f64))
	}
}

// roundToOdd returns a float64 that rounds to the same narrower floats as x, or its real part. If the float64 is not
// exact, its last bit is 1.
func (x slowNumber) roundToOdd() float64 {
	if x.i == nil {
		return x.re
	}
	f := new(big.Float).SetPrec(53).SetMode(big.ToZero).SetInt(x.i)
	y, _ := f.Float64()
	if f.Acc() != big.Exact {
		y = math.Float64frombits(math.Float64bits(y) | 1)
	}
	return y
}

// truncated returns f without its fraction. For NaN it returns 0, and for infinities a number out of the range of all
// integer types.
func truncated(f float64) *big.Int {
	switch {
	case math.IsNaN(f):
		return new(big.Int)
	case math.IsInf(f, 0):
		f = math.Copysign(math.MaxFloat64, f)
	}
	i, _ := big.NewFloat(f).Int(nil)
	return i
}

// An equality defines which elements count as the same.
type equality struct {
	padding bool // bytes that belong to no field must be equal, too
	bools   bool // true must be 1; otherwise any byte except 0 is true
	nans    bool // NaNs are the same only if their bits are equal
}

// same reports whether two elements of dtype d count as the same.
func (l equality) same(d dtype.DType, got, want []byte) bool {
	switch d.Kind() {
	case dtype.KindStructured:
		for k := range d.NumField() {
			f := d.FieldAt(k)
			end := f.Offset + f.Type.ItemSize()
			if !l.same(f.Type, got[f.Offset:end], want[f.Offset:end]) {
				return false
			}
		}
		if l.padding {
			used := usedBytes(d)
			for i := range got {
				if !used[i] && got[i] != want[i] {
					return false
				}
			}
		}
		return true
	case dtype.KindSubarray:
		n := d.Base().ItemSize()
		for at := 0; at < len(got); at += n {
			if !l.same(d.Base(), got[at:at+n], want[at:at+n]) {
				return false
			}
		}
		return true
	case dtype.KindBool:
		return got[0] == want[0] || !l.bools && got[0] != 0 && want[0] != 0
	case dtype.KindFloat, dtype.KindComplex, dtype.KindBFloat16, dtype.KindFloat8E4M3FN, dtype.KindFloat8E5M2:
		if d.IsLongDouble() || l.nans {
			break
		}
		g, w := slowRead(d, got), slowRead(d, want)
		sameFloat := func(x, y float64) bool {
			return x != x && y != y || math.Float64bits(x) == math.Float64bits(y)
		}
		return sameFloat(g.re, w.re) && sameFloat(g.im, w.im)
	}
	return slices.Equal(got, want)
}

// usedBytes reports which bytes of an element belong to fields.
func usedBytes(d dtype.DType) []bool {
	used := make([]bool, d.ItemSize())
	switch d.Kind() {
	case dtype.KindStructured:
		for k := range d.NumField() {
			f := d.FieldAt(k)
			for i, u := range usedBytes(f.Type) {
				used[f.Offset+i] = used[f.Offset+i] || u
			}
		}
	case dtype.KindSubarray:
		if n := d.Base().ItemSize(); n > 0 {
			one := usedBytes(d.Base())
			for i := range used {
				used[i] = one[i%n]
			}
		}
	default:
		for i := range used {
			used[i] = true
		}
	}
	return used
}
