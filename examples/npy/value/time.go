package value

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/render"
)

// encodeCount encodes a time of x ticks. A nil x is NaT.
func encodeCount(d dtype.DType, x *big.Int) ([]byte, error) {
	switch {
	case x == nil:
		x = big.NewInt(dtype.NaT)
	case x.IsInt64() && x.Int64() == dtype.NaT:
		return nil, fmt.Errorf("its count is %d, which is reserved for NaT", int64(dtype.NaT))
	case !x.IsInt64():
		return nil, fmt.Errorf("it does not fit in 64 bits as a number of %s", render.Ticks(d))
	}
	return appendUint(nil, d, uint64(x.Int64()), 8), nil
}

func isNaT(s string) bool { return strings.EqualFold(s, "NaT") }

// encodeDuration encodes a duration given as NaT, a number of ticks, or in NumPy's format, such as 75 seconds.
func encodeDuration(d dtype.DType, s string) ([]byte, error) {
	if isNaT(s) {
		return encodeCount(d, nil)
	}
	x, err := durationTicks(d, s)
	if err != nil {
		return nil, err
	}
	return encodeCount(d, x)
}

// durationTicks returns the number of ticks of d in the duration s.
func durationTicks(d dtype.DType, s string) (*big.Int, error) {
	count, _ := d.Unit()
	unit := strings.TrimPrefix(render.Amount(d, new(big.Int)), "0")
	if amount, ok := strings.CutSuffix(s, unit); ok {
		if x, ok := new(big.Int).SetString(amount, 10); ok {
			ticks, rest := x.QuoRem(x, big.NewInt(int64(count)), new(big.Int))
			if rest.Sign() != 0 {
				return nil, fmt.Errorf("it is not a whole number of %s", render.Ticks(d))
			}
			return ticks, nil
		}
	}
	if x := parseInteger(s); x != nil {
		return x, nil
	}
	return nil, fmt.Errorf("want NaT or the number of %s, an integer of 64 bits", render.Ticks(d))
}

// isoTime matches an ISO 8601 time, with years of any length and sign.
var isoTime = regexp.MustCompile(`^([+-]?\d+)(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d{1,18}))?)?)?)?)?)?$`)

// timeUnit returns the coarsest unit in which s, NaT or a time in a format of encodeTime, is a whole number. Like
// NumPy, it considers no weeks, and of the fractions of a second only milliseconds, microseconds and so on. x is the
// number of attoseconds from 1970 to the time, or nil for NaT.
func timeUnit(s string) (u dtype.Unit, x *big.Int, err error) {
	if isNaT(s) {
		return dtype.Generic, nil, nil
	}
	ticks, err := timeTicks(dtype.Datetime(dtype.Attosecond, 1), s)
	if err != nil {
		return 0, nil, err
	}
	x = ticks.Num()
	m := isoTime.FindStringSubmatch(s)
	for i, unit := range []dtype.Unit{dtype.Year, dtype.Month, dtype.Day, dtype.Hour, dtype.Minute} {
		if m[i+2] == "" { // the part after the unit
			return unit, x, nil
		}
	}
	return dtype.Second + dtype.Unit(len(m[7])+2)/3, x, nil
}

// encodeTime encodes NaT or a time without a zone in one of NumPy's formats: 2020-01-31T12:30:00.5, 2020-01-31,
// 2020-01, -001-12-31, or 2020, which is a year.
func encodeTime(d dtype.DType, s string) ([]byte, error) {
	if isNaT(s) {
		return encodeCount(d, nil)
	}
	x, err := timeTicks(d, s)
	if err != nil {
		return nil, err
	}
	if !x.IsInt() {
		return nil, fmt.Errorf("it is not a whole number of %s from 1970", render.Ticks(d))
	}
	return encodeCount(d, x.Num())
}

// Ticks returns the number of ticks of dtype d, of times or durations, in the text s, which is written as for [Parse].
// A time may lie between two ticks, and the number may exceed 64 bits. It is nil if s is NaT. The error says which
// values are accepted.
func Ticks(d dtype.DType, s string) (*big.Rat, error) {
	switch {
	case isNaT(s):
		return nil, nil
	case len(s) > mostDigits:
		return nil, fmt.Errorf("%d bytes, but the text of a time has at most %d", len(s), mostDigits)
	case d.Kind() == dtype.KindDatetime:
		return timeTicks(d, s)
	}
	x, err := durationTicks(d, s)
	if err != nil {
		return nil, err
	}
	return new(big.Rat).SetInt(x), nil
}

// timeTicks returns the number of ticks of d from 1970 to the time s. If d counts months or years, a time between two
// months counts as the middle between them.
func timeTicks(d dtype.DType, s string) (*big.Rat, error) {
	count, unit := d.Unit()
	if unit == dtype.Generic {
		return nil, errors.New("a dtype without a unit has no value except NaT")
	}
	m := isoTime.FindStringSubmatch(s)
	if m == nil {
		return nil,
			errors.New("want NaT, or a time such as 2020-01-31T12:30:00.5, or only the beginning of one, such as 2020")
	}
	part := func(i, missing int) int {
		if m[i] == "" {
			return missing
		}
		n, _ := strconv.Atoi(m[i])
		return n
	}
	year, _ := new(big.Int).SetString(m[1], 10)
	month, day := part(2, 1), part(3, 1)
	hour, minute, second := part(4, 0), part(5, 0), part(6, 0)
	// The calendar repeats every 400 years. Compute with the corresponding time in 2000 to 2399.
	cycles, within := new(big.Int).DivMod(year, big.NewInt(400), new(big.Int))
	cycles.Sub(cycles, big.NewInt(5))
	t := time.Date(2000+int(within.Int64()), time.Month(month), day, hour, minute, second, 0, time.UTC)
	if t.Month() != time.Month(month) || t.Day() != day || hour > 23 || minute > 59 || second > 59 {
		return nil, errors.New("no such date or time of day")
	}

	// Convert to attoseconds or months first, and then to units.
	x := big.NewInt(146097 * 24 * 60 * 60) // seconds in 400 years
	x.Mul(x, cycles).Add(x, big.NewInt(t.Unix()))
	per := big.NewInt(1e18)
	x.Mul(x, per)
	fraction, _ := strconv.ParseInt((m[7] + "000000000000000000")[:18], 10, 64)
	x.Add(x, big.NewInt(fraction))
	switch {
	case unit == dtype.Year || unit == dtype.Month:
		x.Sub(year, big.NewInt(1970))
		x.Mul(x, big.NewInt(12)).Add(x, big.NewInt(int64(month-1)))
		x.Lsh(x, 1)
		if day != 1 || hour != 0 || minute != 0 || second != 0 || fraction != 0 {
			x.Add(x, big.NewInt(1))
		}
		per.SetInt64(2) // x counts half months
		if unit == dtype.Year {
			per.SetInt64(2 * 12)
		}
	case unit == dtype.Week:
		per.Mul(per, big.NewInt(7*24*60*60))
	case render.PerSecond(unit) > 0:
		per.Div(per, big.NewInt(render.PerSecond(unit)))
	default:
		per.Mul(per, big.NewInt(render.PerDay(dtype.Second)/render.PerDay(unit)))
	}
	per.Mul(per, big.NewInt(int64(count)))
	return new(big.Rat).SetFrac(x, per), nil
}
