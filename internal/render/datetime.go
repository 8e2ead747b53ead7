package render

import (
	"fmt"
	"math/big"

	"github.com/ndmap/ndmap/dtype"
)

// perSecond and perDay hold the number of units in a second or a day.
var (
	perSecond = map[dtype.Unit]int64{dtype.Millisecond: 1e3, dtype.Microsecond: 1e6, dtype.Nanosecond: 1e9,
		dtype.Picosecond: 1e12, dtype.Femtosecond: 1e15, dtype.Attosecond: 1e18}
	perDay = map[dtype.Unit]int64{dtype.Day: 1, dtype.Hour: 24, dtype.Minute: 24 * 60, dtype.Second: 24 * 60 * 60}
)

// Time returns the text of a datetime as NumPy writes it: "2020-01-01T00:00". count is its value.
func Time(d dtype.DType, count int64) string {
	n, unit := d.Unit()
	if count == dtype.NaT {
		return "NaT"
	}
	if unit == dtype.Generic {
		return fmt.Sprint(count) // NumPy returns an error
	}
	// int64 times a step of up to 2^31 - 1 units fits 2^94.
	t := new(big.Int).Mul(big.NewInt(count), big.NewInt(int64(n)))
	floor := func(by int64) (rest int64) { // divides t by by, and returns the remainder
		var r big.Int
		t.DivMod(t, big.NewInt(by), &r)
		return r.Int64()
	}
	switch unit {
	case dtype.Year:
		return year(t.Add(t, big.NewInt(1970)))
	case dtype.Month:
		month := floor(12)
		return fmt.Sprintf("%s-%02d", year(t.Add(t, big.NewInt(1970))), month+1)
	case dtype.Week:
		t.Mul(t, big.NewInt(7))
		return date(t)
	case dtype.Day:
		return date(t)
	}
	fraction := ""
	if per := perSecond[unit]; per > 0 {
		fraction = fmt.Sprintf(".%0*d", len(fmt.Sprint(per))-1, floor(per))
		unit = dtype.Second
	}
	second := floor(perDay[unit]) * (perDay[dtype.Second] / perDay[unit])
	clock := fmt.Sprintf("%02d:%02d:%02d", second/3600, second/60%60, second%60)
	switch unit {
	case dtype.Hour:
		clock = clock[:2]
	case dtype.Minute:
		clock = clock[:5]
	}
	return date(t) + "T" + clock + fraction
}

func year(y *big.Int) string { return fmt.Sprintf("%04d", y) } // may be negative: -005

// date returns the date the given number of days after 1970-01-01, in the proleptic Gregorian calendar.
func date(days *big.Int) string {
	// 400 years have 146097 days. A year starts in March here, so that a leap day is its last day.
	days = new(big.Int).Add(days, big.NewInt(719468)) // since 0000-03-01
	var r big.Int
	days.DivMod(days, big.NewInt(146097), &r)
	day := r.Int64() // within 400 years
	y := (day - day/1460 + day/36524 - day/146096) / 365
	day -= 365*y + y/4 - y/100
	month := (5*day + 2) / 153
	day -= (153*month + 2) / 5
	if month += 3; month > 12 {
		month -= 12
		y++
	}
	days.Mul(days, big.NewInt(400))
	return fmt.Sprintf("%s-%02d-%02d", year(days.Add(days, big.NewInt(y))), month, day+1)
}

var unitNames = map[dtype.Unit]string{dtype.Generic: "generic time units", dtype.Year: "years", dtype.Month: "months",
	dtype.Week: "weeks",
	dtype.Day:  "days", dtype.Hour: "hours", dtype.Minute: "minutes", dtype.Second: "seconds",
	dtype.Millisecond: "milliseconds",
	dtype.Microsecond: "microseconds", dtype.Nanosecond: "nanoseconds", dtype.Picosecond: "picoseconds",
	dtype.Femtosecond: "femtoseconds", dtype.Attosecond: "attoseconds"}

// Ticks returns the name of the units that a datetime or timedelta dtype counts: "days", "units of 25 seconds".
func Ticks(d dtype.DType) string {
	n, unit := d.Unit()
	if n == 1 {
		return unitNames[unit]
	}
	return fmt.Sprintf("units of %d %s", n, unitNames[unit])
}

// durationText returns a timedelta as NumPy's str of a scalar: "5 days".
func durationText(d dtype.DType, count int64) string {
	if count == dtype.NaT {
		return "NaT"
	}
	return Amount(d, big.NewInt(count))
}

// Amount returns a number of ticks of d in words: "5 days".
func Amount(d dtype.DType, count *big.Int) string {
	n, unit := d.Unit()
	total := count
	if unit != dtype.Generic {
		total = new(big.Int).Mul(count, big.NewInt(int64(n)))
	}
	return total.String() + " " + unitNames[unit]
}

// PerSecond returns the number of units in a second, or 0 if u is a second or longer.
func PerSecond(u dtype.Unit) int64 { return perSecond[u] }

// PerDay returns the number of units in a day, or 0 if u is longer than a day or shorter than a second.
func PerDay(u dtype.Unit) int64 { return perDay[u] }
