package value

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ndmap/ndmap/dtype"
)

// kinds is a set of kinds of values.
type kinds uint8

const (
	boolean kinds = 1 << iota
	signed
	unsigned
	float
	instant
	all = 1<<iota - 1
)

// A Column describes the texts in one column of a table, to choose its dtype. The zero value is a column without texts.
type Column struct {
	not      kinds      // kinds that some value does not have
	inexact  bool       // some integer is not exact as a float64
	fraction bool       // some value is a float, such as 1.5 or nan, and not an integer
	unit     dtype.Unit // the coarsest unit that represents all values as times
	earliest moment     // the least value as a time
	latest   moment     // the greatest value as a time
	length   int        // maximum number of code points in a text
	values   bool       // some text is a value
	missing  bool       // some text marks a missing value
}

// Add adds the text of a value.
func (c *Column) Add(s string) {
	c.length, c.values = max(c.length, utf8.RuneCountInString(s)), true
	s = strings.TrimSpace(s)
	if len(s) > mostDigits {
		c.not = all
		return
	}
	if strings.EqualFold(s, "true") || strings.EqualFold(s, "false") {
		c.not |= all &^ boolean
		return
	}
	c.not |= boolean
	if isInteger(s) { // also a float
		c.not |= instant
		x, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			c.not |= signed
		}
		if c.not&unsigned == 0 && (err != nil || x < 0) {
			if _, err := strconv.ParseUint(s, 10, 64); err != nil {
				c.not |= unsigned
			}
		}
		c.inexact = c.inexact || err != nil || x > 1<<53 || x < -1<<53
		return
	}
	c.not |= signed | unsigned
	if c.not&float == 0 {
		_, err := strconv.ParseFloat(s, 64)
		c.fraction = c.fraction || err == nil
		if err != nil {
			c.not |= float
		}
	}
	if c.not&instant == 0 {
		unit, x, err := timeUnit(s)
		if err != nil {
			c.not |= instant
		} else if x != nil {
			c.unit = max(c.unit, unit)
			c.addTime(moment{x, s})
		}
	}
}

// A moment is a time, given as a number of attoseconds from 1970 and as text.
type moment struct {
	count *big.Int
	text  string
}

// addTime adds m to the range of times.
func (c *Column) addTime(m moment) {
	if c.earliest.count == nil || m.count.Cmp(c.earliest.count) < 0 {
		c.earliest = moment{m.count, strings.Clone(m.text)} // the text may be part of a long line
	}
	if c.latest.count == nil || m.count.Cmp(c.latest.count) > 0 {
		c.latest = moment{m.count, strings.Clone(m.text)}
	}
}

// AddMissing adds a text that marks a missing value.
func (c *Column) AddMissing(s string) {
	c.length, c.missing = max(c.length, utf8.RuneCountInString(s)), true
}

// isInteger reports whether s consists of decimal digits after an optional sign.
func isInteger(s string) bool {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// lossy reports whether float64 would round integers of a column of integers.
func (c *Column) lossy() bool { return c.inexact && !c.fraction }

// Merge adds all texts of o, another column. The dtype of c will not round integers of either column.
func (c *Column) Merge(o Column) {
	lossy := c.lossy() || o.lossy()
	c.inexact, c.fraction = lossy, false
	c.not |= o.not
	c.unit, c.length = max(c.unit, o.unit), max(c.length, o.length)
	c.values, c.missing = c.values || o.values, c.missing || o.missing
	if o.earliest.count != nil {
		c.addTime(o.earliest)
		c.addTime(o.latest)
	}
}

// IsText reports whether the values have no kind in common, so that they can only be stored as text.
func (c *Column) IsText() bool { return c.not == all }

// HasValues reports whether some text is not missing.
func (c *Column) HasValues() bool { return c.values }

// fitUnit reports whether some values are times, and all times fit in 64 bits as numbers of their common unit.
func (c *Column) fitUnit() bool {
	if c.earliest.count == nil {
		return false
	}
	d := dtype.Datetime(c.unit, 1)
	_, err1 := encodeTime(d, c.earliest.text)
	_, err2 := encodeTime(d, c.latest.text)
	return err1 == nil && err2 == nil
}

// DType returns the first of the dtypes bool, int64, uint64, float64, and datetime64 with the coarsest unit, that
// stores all values without loss, except that floats are rounded to the nearest float64. If values are missing,
// takesMissing must also be true for the dtype. Otherwise, DType returns the dtype of text of the maximum length.
func (c *Column) DType(takesMissing func(dtype.DType) bool) dtype.DType {
	for _, t := range []struct {
		kind kinds
		d    dtype.DType
		fits bool
	}{
		{boolean, dtype.Bool, c.values},
		{signed, dtype.Int64, true},
		{unsigned, dtype.Uint64, true},
		{float, dtype.Float64, !c.lossy()},
		{instant, dtype.Datetime(max(c.unit, dtype.Year), 1), c.fitUnit()},
	} {
		if c.not&t.kind == 0 && t.fits && (!c.missing || takesMissing(t.d)) {
			return t.d
		}
	}
	return dtype.Unicode(max(1, c.length))
}
