package dtype

import (
	"fmt"
	"math"
	"math/bits"
	"time"
)

// NaT is the value of a datetime or timedelta that means "not a time".
const NaT = math.MinInt64

// maxYears keeps times well within the seconds that a time.Time can count.
const maxYears = 292_000_000_000

// Time returns the time, in UTC, that the value v of a datetime type represents.
//
//	d := dtype.MustParse("<M8[25s]")
//	t, ok := d.Time(4) // 1970-01-01 00:01:40 UTC
//
// For units finer than a nanosecond the time is rounded down, toward the past, as by NumPy's
// astype("M8[ns]"). Like NumPy's, these times have no leap seconds. ok is false for [NaT], for
// types without a unit or of another kind, and for times more than 292 billion years from 1970.
// Time does not allocate.
func (d DType) Time(v int64) (t time.Time, ok bool) {
	if d.kind != KindDatetime || v == NaT || d.composite.unit == Generic {
		return time.Time{}, false
	}
	count, sec, nsec := int64(d.composite.count), int64(0), int64(0)
	switch u := d.composite.unit; u {
	case Year, Month:
		if u == Year {
			count *= 12
		}
		months, _, ok := mulDiv(v, count, 0, 1)
		if !ok || exceeds(months, 12*maxYears) {
			return time.Time{}, false
		}
		sec = monthStart(months) * secondsPerDay
	case Week, Day, Hour, Minute, Second:
		sec, _, ok = mulDiv(v, count*unitSeconds[u], 0, 1)
	default:
		var rest int64
		sec, rest, ok = mulDiv(v, count, 0, perSecond[u])
		nsec, _, _ = mulDiv(rest, 1e9, 0, perSecond[u])
	}
	if u := d.composite.unit; u >= Week && (!ok || exceeds(sec, maxYears*secondsPerYear)) {
		return time.Time{}, false
	}
	return time.Unix(sec, nsec).UTC(), true
}

// FromTime returns the value of a datetime type that represents t, rounded down, toward the past,
// to a multiple of its unit, as NumPy's astype does. It never returns [NaT].
//
// It is an error if the type has no unit or is of another kind, or if the value does not fit:
// M8[ns] covers only the years 1678 to 2262.
func (d DType) FromTime(t time.Time) (int64, error) {
	if d.kind != KindDatetime || d.composite.unit == Generic {
		return 0, errorf("dtype %v is not a datetime with a unit", d)
	}
	count, sec := int64(d.composite.count), t.Unix()
	v, ok := int64(0), false
	switch u := d.composite.unit; u {
	case Year, Month:
		if ok = !exceeds(sec, maxYears*secondsPerYear); ok {
			if u == Year {
				count *= 12
			}
			days, _, _ := mulDiv(sec, 1, 0, secondsPerDay)
			v, _, ok = mulDiv(monthOf(days), 1, 0, count)
		}
	case Week, Day, Hour, Minute, Second:
		v, _, ok = mulDiv(sec, 1, 0, count*unitSeconds[u])
	default:
		sub, _, _ := mulDiv(int64(t.Nanosecond()), perSecond[u], 0, 1e9)
		v, _, ok = mulDiv(sec, perSecond[u], sub, count)
	}
	if !ok || v == NaT {
		return 0, fmt.Errorf("dtype: %v is out of range for dtype %v", t, d)
	}
	return v, nil
}

// Duration returns the duration that the value v of a timedelta type represents.
//
// For units finer than a nanosecond the duration is rounded down, toward negative infinity, as by
// NumPy's astype("m8[ns]"). ok is false for [NaT], for types of another kind or without a unit, for
// years and months, which have no fixed length, and for a value that does not fit: a time.Duration
// covers 292 years. Duration does not allocate.
func (d DType) Duration(v int64) (dur time.Duration, ok bool) {
	if d.kind != KindTimedelta || v == NaT || d.composite.unit < Week {
		return 0, false
	}
	count, n := int64(d.composite.count), int64(0)
	if u := d.composite.unit; u <= Second {
		if n, _, ok = mulDiv(v, count*unitSeconds[u], 0, 1); ok {
			n, _, ok = mulDiv(n, 1e9, 0, 1)
		}
	} else if u <= Nanosecond {
		n, _, ok = mulDiv(v, count*(1e9/perSecond[u]), 0, 1)
	} else {
		n, _, ok = mulDiv(v, count, 0, perSecond[u]/1e9)
	}
	return time.Duration(n), ok
}

// FromDuration returns the value of a timedelta type that represents dur, rounded down, toward
// negative infinity, to a multiple of its unit, as NumPy's astype does.
//
// It is an error if the type is of another kind or has no unit of fixed length, or if the value
// does not fit: m8[as] covers only 9.2 seconds.
func (d DType) FromDuration(dur time.Duration) (int64, error) {
	if d.kind != KindTimedelta || d.composite.unit < Week {
		return 0, errorf("dtype %v is not a timedelta with a unit of fixed length", d)
	}
	count, n := int64(d.composite.count), int64(dur)
	v, ok := int64(0), false
	if u := d.composite.unit; u <= Second {
		n, _, _ = mulDiv(n, 1, 0, 1e9)
		v, _, ok = mulDiv(n, 1, 0, count*unitSeconds[u])
	} else if u <= Nanosecond {
		v, _, ok = mulDiv(n, 1, 0, count*(1e9/perSecond[u]))
	} else {
		v, _, ok = mulDiv(n, perSecond[u]/1e9, 0, count)
	}
	if !ok || v == NaT {
		return 0, fmt.Errorf("dtype: %v is out of range for dtype %v", dur, d)
	}
	return v, nil
}

const (
	secondsPerDay  = 24 * 60 * 60
	secondsPerYear = 146097 * secondsPerDay / 400 // on average
)

// unitSeconds is the length of a unit in seconds. perSecond is the number of units in a second.
var (
	unitSeconds = [...]int64{Week: 7 * secondsPerDay, Day: secondsPerDay, Hour: 60 * 60, Minute: 60, Second: 1}
	perSecond   = [...]int64{Millisecond: 1e3, Microsecond: 1e6, Nanosecond: 1e9, Picosecond: 1e12, Femtosecond: 1e15,
		Attosecond: 1e18}
)

// exceeds reports whether the absolute value of x is more than limit.
func exceeds(x, limit int64) bool { return x > limit || x < -limit }

// mulDiv returns the quotient (a*b + c) / d, rounded down, and the remainder. b and d must be
// positive, and c must not be negative. The product may have 128 bits. ok is false if the quotient
// does not fit.
func mulDiv(a, b, c, d int64) (q, rest int64, ok bool) {
	// hi and lo are the halves of a two's complement number.
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if a < 0 {
		hi -= uint64(b)
	}
	lo, carry := bits.Add64(lo, uint64(c), 0)
	hi += carry
	negative := int64(hi) < 0
	if negative {
		// ^x = -x - 1, and x/d rounded down is ^(^x/d).
		hi, lo = ^hi, ^lo
	}
	if hi >= uint64(d) {
		return 0, 0, false
	}
	u, r := bits.Div64(hi, lo, uint64(d))
	if u > math.MaxInt64 {
		return 0, 0, false
	}
	if negative {
		return ^int64(u), d - 1 - int64(r), true
	}
	return int64(u), int64(r), true
}

// monthStart returns the first day of a month. Days count from 1970-01-01 and months from January
// 1970. In the computation years start in March, so that the leap day is the last day of a year; 1
// March 2000 starts a cycle of 400 years.
func monthStart(month int64) (day int64) {
	const march2000 = 30*12 + 2
	cycle, m, _ := mulDiv(month-march2000, 1, 0, 400*12)
	y, m := m/12, m%12
	return cycle*146097 + y*365 + y/4 - y/100 + (m*153+2)/5 + 11017
}

// monthOf returns the month that contains a day. It is the inverse of monthStart.
func monthOf(day int64) int64 {
	const perCycle = 146097
	cycle, rest, _ := mulDiv(day, 1, 0, perCycle)
	// The average length leads to the month or to one of its neighbours.
	month := cycle*400*12 + rest*400*12/perCycle
	for monthStart(month) > day {
		month--
	}
	for monthStart(month+1) <= day {
		month++
	}
	return month
}
