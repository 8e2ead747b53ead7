package value

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"time"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/render"
)

var isoTime = regexp.MustCompile(`^(\d{4})-(\d\d)(?:-(\d\d)(?:[T ](\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d{1,18}))?)?)?)?)?$`)

// encodeTime takes NaT, a count, or a time as in ISO 8601, without a zone: 2020-01,
// 2020-01-31, 2020-01-31T12:30:00.5. A year alone would be a count.
func encodeTime(d dtype.DType, s string) ([]byte, error) {
	if s == "NaT" {
		x := int64(dtype.NaT)
		return appendUint(nil, d, uint64(x), 8), nil
	}
	x := integer(s)
	if x == nil {
		var err error
		if x, err = timeCount(d, s); err != nil {
			return nil, err
		}
	}
	if !x.IsInt64() || x.Int64() == dtype.NaT {
		return nil, fmt.Errorf("it is too far from 1970 to count in %s", render.Ticks(d))
	}
	return appendUint(nil, d, uint64(x.Int64()), 8), nil
}

// timeCount returns the number of ticks of d from 1970 to the time s.
func timeCount(d dtype.DType, s string) (*big.Int, error) {
	count, unit := d.Unit()
	m := isoTime.FindStringSubmatch(s)
	if m == nil || unit == dtype.Generic {
		return nil, errors.New("want NaT, an integer, or a time like 2020-01-31T12:30:00.5")
	}
	part := func(i, missing int) int {
		if m[i] == "" {
			return missing
		}
		n, _ := strconv.Atoi(m[i])
		return n
	}
	year, month, day := part(1, 0), part(2, 1), part(3, 1)
	hour, minute, second := part(4, 0), part(5, 0), part(6, 0)
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	if t.Month() != time.Month(month) || t.Day() != day || hour > 23 || minute > 59 || second > 59 {
		return nil, errors.New("there is no such time")
	}

	// In attoseconds, or months, and then in units.
	x, per := big.NewInt(t.Unix()), big.NewInt(1e18)
	x.Mul(x, per)
	fraction, _ := strconv.ParseInt((m[7] + "000000000000000000")[:18], 10, 64)
	x.Add(x, big.NewInt(fraction))
	switch {
	case unit == dtype.Year || unit == dtype.Month:
		if day != 1 || hour != 0 || minute != 0 || second != 0 || fraction != 0 {
			return nil, fmt.Errorf("it is not a whole number of %s from 1970", render.Ticks(d))
		}
		x, per = big.NewInt(int64(12*(year-1970)+month-1)), big.NewInt(1)
		if unit == dtype.Year {
			per.SetInt64(12)
		}
	case unit == dtype.Week:
		per.Mul(per, big.NewInt(7*24*60*60))
	case render.PerSecond(unit) > 0:
		per.Div(per, big.NewInt(render.PerSecond(unit)))
	default:
		per.Mul(per, big.NewInt(render.PerDay(dtype.Second)/render.PerDay(unit)))
	}
	per.Mul(per, big.NewInt(int64(count)))
	x, rest := x.DivMod(x, per, new(big.Int))
	if rest.Sign() != 0 {
		return nil, fmt.Errorf("it is not a whole number of %s from 1970", render.Ticks(d))
	}
	return x, nil
}
