package main

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// next maps a unit of time to the number of next smaller units in it, such as Week to 7. Years and months have no fixed
// number of days; NumPy counts 1 for them when it looks for a common unit.
var next = [...]uint64{dtype.Year: 1, dtype.Month: 1, dtype.Week: 7, dtype.Day: 24, dtype.Hour: 60, dtype.Minute: 60,
	dtype.Second: 1000, dtype.Millisecond: 1000, dtype.Microsecond: 1000, dtype.Nanosecond: 1000, dtype.Picosecond: 1000,
	dtype.Femtosecond: 1000}

// perUnit returns the number of units small in one unit large. Like NumPy, it refuses 1<<56 and more.
func perUnit(large, small dtype.Unit) (n uint64, ok bool) {
	if large == dtype.Year && small == dtype.Month {
		return 12, true
	}
	n = 1
	for ; large < small; large++ {
		n *= next[large] // at most 1<<56 times 1000
		if n >= 1<<56 {
			return 0, false
		}
	}
	return n, true
}

// promotedTime returns the datetime or timedelta type whose unit divides the units of a and b, as NumPy does.
func promotedTime(a, b dtype.DType) (dtype.DType, bool) {
	n, u := a.Unit()
	m, v := b.Unit()
	switch {
	case u == dtype.Generic:
		return b, true
	case v == dtype.Generic:
		return a, true
	case u > v: // the smaller unit
		u, v, n, m = v, u, m, n
	}
	if a.Kind() == dtype.KindTimedelta && u <= dtype.Month && v > dtype.Month {
		return a, false // a month has no fixed number of days
	}
	factor, ok := perUnit(u, v)
	high, x := bits.Mul64(uint64(n), factor)
	if !ok || high > 0 {
		return a, false
	}
	y := uint64(m)
	for y > 0 {
		x, y = y, x%y
	}
	if a.Kind() == dtype.KindDatetime {
		return dtype.Datetime(v, int(x)), true // x divides m
	}
	return dtype.Timedelta(v, int(x)), true
}

// changesUnit reports whether converting elements from dtype from to dtype to changes the unit of times.
func changesUnit(to, from dtype.DType) bool {
	switch {
	case to.Kind() != from.Kind():
	case to.Kind() == dtype.KindSubarray:
		return changesUnit(to.Base(), from.Base())
	case to.Kind() == dtype.KindStructured:
		for k := range min(to.NumField(), from.NumField()) {
			if changesUnit(to.FieldAt(k).Type, from.FieldAt(k).Type) {
				return true
			}
		}
	case isTime(to):
		n, u := to.Unit()
		m, v := from.Unit()
		return v != dtype.Generic && (n != m || u != v)
	}
	return false
}

// assign copies the elements of src to dst. Unlike array.Copy, it also converts the units of times. The dtype of dst
// must come from promotedTime.
func assign(dst, src array.Array) error {
	to, from := dst.DType(), src.DType()
	if !changesUnit(to, from) {
		return array.Copy(dst, src)
	}
	if to.Kind() == dtype.KindStructured {
		for k := range to.NumField() {
			d, err := dst.Field(to.FieldAt(k).Name)
			if err != nil {
				return err
			}
			s, err := src.Field(from.FieldAt(k).Name)
			if err == nil {
				err = assign(d, s)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	counts := dtype.Int64.WithByteOrder(to.ByteOrder())
	d, err := dst.Reinterpret(counts)
	if err != nil {
		return err
	}
	s, err := src.Reinterpret(dtype.Int64.WithByteOrder(from.ByteOrder()))
	if err == nil {
		err = array.Copy(d, s)
	}
	if err != nil {
		return err
	}
	v, err := array.Cast[int64](d)
	if err != nil {
		return err
	}
	for block := range v.Update(index.K) {
		for i, x := range block {
			y, ok := inUnit(x, to, from)
			if !ok {
				return fmt.Errorf("time %d of dtype %v is out of range for the common dtype %v", x, from, to)
			}
			block[i] = y
		}
	}
	return nil
}

// inUnit returns the time x of dtype from in the unit of dtype to, rounded down, or false if it does not fit.
func inUnit(x int64, to, from dtype.DType) (y int64, ok bool) {
	n, u := from.Unit()
	per, v := to.Unit()
	m := int64(per)
	if x == dtype.NaT {
		return x, true
	}
	if u <= dtype.Month && v > dtype.Month {
		factor, _ := perUnit(u, dtype.Month)
		months, ok := multiplyTime(x, uint64(n)*factor)
		if !ok || months < -1<<40 || months > 1<<40 {
			return 0, false
		}
		x, n, u = daysBefore(months), 1, dtype.Day
	}
	if v == dtype.Week && u == dtype.Day {
		m, v = 7*m, dtype.Day
	}
	factor, ok := perUnit(u, v)
	if !ok || factor > math.MaxUint64/uint64(n) {
		return 0, false
	}
	factor *= uint64(n)
	if factor%uint64(m) == 0 {
		factor, m = factor/uint64(m), 1
	}
	y, ok = multiplyTime(x, factor)
	high := y / m
	if y%m < 0 {
		high--
	}
	return high, ok
}

// multiplyTime returns x times n, or false if the product is out of range for a time.
func multiplyTime(x int64, n uint64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(max(x, -x)), n)
	if hi > 0 || lo > math.MaxInt64 {
		return 0, false
	}
	if x < 0 {
		return -int64(lo), true
	}
	return int64(lo), true
}

// daysBefore returns the number of days from 1970-01-01 to the first day of a month in the Gregorian calendar. Month 0
// is January 1970.
func daysBefore(month int64) int64 {
	// Years begin in March, so that the leap day is at the end of one: month 0 is March of the year 0.
	const years, cycle = 400, 146097 // the calendar repeats after 400 years, which have 146,097 days
	m := month + 1970*12 - 2
	era := m / (12 * years)
	if m%(12*years) < 0 {
		era--
	}
	m -= era * 12 * years
	y := m / 12
	const epoch = 719468 // days from 0000-03-01 to 1970-01-01
	return era*cycle + 365*y + y/4 - y/100 + (153*(m%12)+2)/5 - epoch
}

// concatenate is like array.Concatenate, but also converts the units of times.
func concatenate(dst array.Array, axis int, arrays []array.Array) error {
	changes := false
	for _, a := range arrays {
		changes = changes || changesUnit(dst.DType(), a.DType())
	}
	if !changes {
		return array.Concatenate(dst, axis, arrays...)
	}
	dst, err := dst.MoveAxis(axis, 0)
	if err != nil {
		return err
	}
	start := 0
	for _, a := range arrays {
		end := start + a.Len(axis)
		part, err := dst.Select(index.Range(start, end))
		if err != nil {
			return err
		}
		if a, err = a.MoveAxis(axis, 0); err == nil {
			err = assign(part, a)
		}
		if err != nil {
			return err
		}
		start = end
	}
	return nil
}
