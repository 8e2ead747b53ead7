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

// String returns the unit as NumPy writes it: "D", "ms", "generic".
func (u Unit) String() string {
	if int(u) < len(unitNames) {
		return unitNames[u]
	}
	return "Unit(" + strconv.Itoa(int(u)) + ")"
}

// Datetime returns the type of int64 counts of count units since 1970-01-01, M8 in
// NumPy, in native byte order. It panics if count is not in 1 to 1<<31-1.
func Datetime(u Unit, count int) DType { return ticks(KindDatetime, u, count) }

// Timedelta returns the type of int64 counts of count units, m8 in NumPy, in
// native byte order. It panics if count is not in 1 to 1<<31-1.
func Timedelta(u Unit, count int) DType { return ticks(KindTimedelta, u, count) }

func ticks(k Kind, u Unit, count int) DType {
	if u > Attosecond || count < 1 || count > maxSize {
		panic(fmt.Sprintf("dtype: %d %v is no unit of time", count, u))
	}
	return timeType(k, Native, u, count)
}

func timeType(k Kind, o ByteOrder, u Unit, count int) DType {
	if u == Generic {
		count = 1
	}
	return DType{k, o, 8, intern(composite{unit: u, count: count})}
}

// Unit returns the unit of a datetime or timedelta type and how many of them are one
// tick: 25, Second for M8[25s]. For other kinds it is 0, Generic.
func (d DType) Unit() (count int, u Unit) {
	if d.kind != KindDatetime && d.kind != KindTimedelta {
		return 0, Generic
	}
	return d.composite.count, d.composite.unit
}

// parseUnit reads what stands behind M8 and m8: nothing, or "[25s]".
func parseUnit(s string) (count int, u Unit, err error) {
	if s == "" {
		return 1, Generic, nil
	}
	inner, ok := strings.CutPrefix(s, "[")
	if ok {
		inner, ok = strings.CutSuffix(inner, "]")
	}
	name := strings.TrimLeft(inner, "0123456789")
	if !ok || name == "" {
		return 0, 0, fmt.Errorf("%q is no unit of time; want one like [s] or [25ms]", clip(s))
	}
	count = 1
	if digits := inner[:len(inner)-len(name)]; digits != "" {
		if count, err = strconv.Atoi(digits); err != nil || digits[0] == '0' || count > maxSize {
			return 0, 0, fmt.Errorf("%s units of time; want 1 to %d", clip(digits), maxSize)
		}
	}
	i := slices.Index(unitNames[:], name)
	if i < 0 {
		return 0, 0, fmt.Errorf("unknown unit of time %q; want one of Y M W D h m s ms us ns ps fs as", clip(name))
	}
	return count, Unit(i), nil
}

// unitSuffix is what [parseUnit] reads.
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
