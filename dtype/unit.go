package dtype

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Unit is the unit of a datetime or timedelta type.
type Unit uint8

const (
	Generic Unit = iota // no unit
	Year
	Month
	Week
	Day
	Hour
	Minute
	Second
	Millisecond
	Microsecond
	Nanosecond
	Picosecond
	Femtosecond
	Attosecond
)

var unitNames = [...]string{"generic", "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"}

// String returns the unit as NumPy writes it, for example "D", "ms" or "generic".
func (u Unit) String() string {
	if int(u) < len(unitNames) {
		return unitNames[u]
	}
	return "Unit(" + strconv.Itoa(int(u)) + ")"
}

// Datetime returns the type of an int64 that counts units since 1970-01-01, NumPy's M8, in native
// byte order. One tick is count units. It panics with an error that wraps [ErrDType] if u is not a
// unit or count is not in the range 1 to 1<<31-1.
func Datetime(u Unit, count int) DType { return mustTimeType(KindDatetime, u, count) }

// Timedelta returns the type of an int64 that counts units, NumPy's m8, in native byte order. For
// the unit and the panics see [Datetime].
func Timedelta(u Unit, count int) DType { return mustTimeType(KindTimedelta, u, count) }

func mustTimeType(k Kind, u Unit, count int) DType {
	if u > Attosecond || count < 1 || count > maxSize {
		panic(errorf("invalid time unit: %d %v; want a count from 1 to %d and a unit up to Attosecond", count, u, maxSize))
	}
	return timeType(k, Native, u, count)
}

func timeType(k Kind, o ByteOrder, u Unit, count int) DType {
	if u == Generic {
		count = 1
	}
	return DType{k, o, 8, intern(composite{unit: u, count: count})}
}

// Unit returns the unit of a datetime or timedelta type, and the number of units in one tick: 25
// and Second for M8[25s]. For other kinds it returns 0 and Generic.
func (d DType) Unit() (count int, u Unit) {
	if d.kind != KindDatetime && d.kind != KindTimedelta {
		return 0, Generic
	}
	return d.composite.count, d.composite.unit
}

// parseUnit reads the text after M8 or m8: nothing, "[25s]", or "[D/24]", which is an hour.
// Microseconds may be written with the Greek letter and, outside of a header, with the micro sign,
// which NumPy does not accept.
func parseUnit(s string, header bool) (count int, u Unit, err error) {
	if s == "" {
		return 1, Generic, nil
	}
	inner, ok := strings.CutPrefix(s, "[")
	if ok {
		inner, ok = strings.CutSuffix(inner, "]")
	}
	inner, divisor, divided := strings.Cut(inner, "/")
	name := strings.TrimLeft(inner, "0123456789")
	if !ok || name == "" {
		return 0, 0, fmt.Errorf("%q is not a time unit; want one like [s] or [25ms]", clip(s))
	}
	count = 1
	if digits := inner[:len(inner)-len(name)]; digits != "" {
		if count, err = strconv.Atoi(digits); err != nil || count < 1 || count > maxSize {
			return 0, 0, fmt.Errorf("invalid count %s of time units; want 1 to %d", clip(digits), maxSize)
		}
	}
	if name == "\u03bcs" || name == "\u00b5s" && !header {
		name = "us"
	}
	i := slices.Index(unitNames[:], name)
	if i < 0 {
		return 0, 0, fmt.Errorf("unknown time unit %q; want one of Y M W D h m s ms us ns ps fs as", clip(name))
	}
	if u = Unit(i); !divided {
		return count, u, nil
	}
	n, err := strconv.Atoi(divisor)
	if err == nil && n > 0 && divisor[0] != '+' {
		if per, smaller := u.divide(n); per > 0 && count <= maxSize/per {
			return count * per, smaller, nil
		}
	}
	return 0, 0, fmt.Errorf("%q is not a whole number of a smaller time unit", clip(s))
}

// parts lists the numbers of smaller units into which NumPy divides a unit for its fractions,
// starting with the next smaller unit: a year has 12 months, 52 weeks or 365 days. A unit from
// seconds down has 1,000 of the next unit and 1,000,000 of the unit after it.
var parts = [...][]int{Year: {12, 52, 365}, Month: {4, 30, 720}, Week: {7, 168, 10080}, Day: {24, 1440, 86400},
	Hour: {60, 3600}, Minute: {60, 60000}, Attosecond: nil}

// divide returns the n-th part of u as a number of smaller units, of the largest unit that makes it
// a whole number. It returns count 0 if no unit does.
func (u Unit) divide(n int) (count int, smaller Unit) {
	switch {
	case n == 1:
		return 1, u
	case u == Generic:
		return 0, u
	}
	sizes := parts[u]
	if u >= Second {
		sizes = []int{1000, 1000000}[:min(2, int(Attosecond-u))]
	}
	for k, size := range sizes {
		if size%n == 0 {
			return size / n, u + 1 + Unit(k)
		}
	}
	return 0, u
}

// unitSuffix returns the unit as [parseUnit] reads it.
func (d DType) unitSuffix() string {
	count, u := d.Unit()
	switch {
	case u == Generic:
		return ""
	case count == 1:
		return "[" + u.String() + "]"
	}
	return "[" + strconv.Itoa(count) + u.String() + "]"
}
