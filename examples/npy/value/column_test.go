package value

import (
	"strings"
	"testing"

	"github.com/ndmap/ndmap/dtype"
)

// TestColumnDType tests the dtypes that are chosen for columns. The text "-" is missing. Missing values fit float64,
// datetime64 and fill.
func TestColumnDType(t *testing.T) {
	for _, tt := range []struct{ texts, fill, want string }{
		{"true|FALSE|False", "", "|b1"},
		{"true|-", "", "<U4"},
		{"true|-", "|b1", "|b1"},
		{"true|1", "", "<U4"},
		{"1|true", "", "<U4"},
		{"1|2020-01-01|true", "", "<U10"},
		{"0|-1|+5|007| 8 ", "", "<i8"},
		{"9223372036854775807|-9223372036854775808", "", "<i8"},
		{"9223372036854775808|0", "", "<u8"},
		{"0|9223372036854775808", "", "<u8"},
		{"18446744073709551615", "", "<u8"},
		{"18446744073709551616", "", "<U20"},
		{"18446744073709551615|-1", "", "<U20"},
		{"-1|18446744073709551615", "", "<U20"},
		{"-9223372036854775809", "", "<U20"},
		{"1|-", "", "<f8"},
		{"9007199254740992|-9007199254740992|-", "", "<f8"},
		{"9007199254740993|-", "", "<U16"},
		{"-9007199254740993|-", "", "<U17"},
		{"9007199254740993|-", "<i8", "<i8"},
		{"9223372036854775808|-", "<i8", "<U19"},
		{"9223372036854775808|-", "<u8", "<u8"},
		{"9007199254740993|0.5", "", "<f8"}, // a column of floats
		{"18446744073709551616|1e3", "", "<f8"},
		{"1.5|-|nan|-inf|1e-400|Infinity", "", "<f8"},
		{"1e999", "", "<U5"},
		{"1,5", "", "<U3"},
		{"0x10|1_000", "", "<U5"},
		{"2020-01|2021-02", "", "<M8[M]"},
		{"2020|2021-01", "", "<U7"}, // 2020 is an integer
		{"2020-01-31|-|NaT", "", "<M8[D]"},
		{"2020-01-31T10", "", "<M8[h]"},
		{"2020-01-31 10:30|2020-01", "", "<M8[m]"},
		{"2020-01-31T10:30:59", "", "<M8[s]"},
		{"2020-01-31T10:30:59.5", "", "<M8[ms]"},
		{"2020-01-31T10:30:59.123", "", "<M8[ms]"},
		{"2020-01-31T10:30:59.1234", "", "<M8[us]"},
		{"2020-01-31T10:30:59.1234567", "", "<M8[ns]"},
		{"1970-01-31T10:30:59.0123456789", "", "<M8[ps]"},
		{"2020-01-31T10:30:59.0123456789", "", "<U30"},           // outside of the range of picoseconds
		{"1677-01-01|1970-01-01T00:00:00.000000001", "", "<U29"}, // outside of the range of nanoseconds
		{"1970-01-01T00:00:00.000000001|2262-12-31", "", "<U29"},
		{"1678-01-01|1970-01-01T00:00:00.000000001|2261-12-31", "", "<M8[ns]"},
		{"1970-01-01T00:00:01.0000000000000001", "", "<M8[as]"},
		{"2021-02-29", "", "<U10"},
		{"2020-01-31T10:30Z", "", "<U17"},
		{"NaT", "", "<U3"},
		{"2020|NaT", "", "<U4"},
		{"é𝛼|  ", "", "<U2"},
		{"a|- --------", "", "<U10"},
		{"a|-", "", "<U1"},
		{"", "", "<U1"},
		{"-|-", "", "<f8"},
		{"-", "|b1", "<f8"},
		{"-", "<i8", "<i8"},
		{strings.Repeat("1", mostDigits+1), "", "<U4097"},
		{"1|" + strings.Repeat("0", mostDigits-4) + ".5", "", "<f8"},
	} {
		t.Run(tt.texts[:min(len(tt.texts), 40)], func(t *testing.T) {
			var c Column
			for s := range strings.SplitSeq(tt.texts, "|") {
				if s == "-" {
					c.AddMissing(s)
				} else {
					c.Add(s)
				}
			}
			got := c.DType(func(d dtype.DType) bool {
				return d.Kind() == dtype.KindFloat || d.Kind() == dtype.KindDatetime ||
					d.WithByteOrder(dtype.LittleEndian).String() == tt.fill
			})
			if got.WithByteOrder(dtype.LittleEndian).String() != tt.want {
				t.Errorf("got %v, want %s", got, tt.want)
			}
		})
	}
}

// TestColumnMerge tests the dtypes that several columns have in common.
func TestColumnMerge(t *testing.T) {
	for _, tt := range []struct{ name, a, b, want string }{
		{"integers", "1", "-1", "<i8"},
		{"large integers", "18446744073709551615", "1", "<u8"},
		{"no common integers", "18446744073709551615", "-1", "<U20"},
		{"floats", "1", "2.5", "<f8"},
		{"floats do not store all integers", "9007199254740993", "2.5", "<U16"},
		{"in any order", "2.5", "9007199254740993", "<U16"},
		{"a column of floats may have large integers", "9007199254740993|1.5", "1", "<f8"},
		{"times", "2020-01-31", "2020-01-31T10", "<M8[h]"},
		{"times too early for nanoseconds", "1677-01-01", "1970-01-01T00:00:00.000000001", "<U29"},
		{"times too late for nanoseconds", "2262-12-31", "1970-01-01T00:00:00.000000001", "<U29"},
		{"missing values", "1", "-", "<f8"},
		{"text", "1", "abc", "<U3"},
		{"bools and integers", "true", "1", "<U4"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var columns [2]Column
			for i, texts := range []string{tt.a, tt.b} {
				for s := range strings.SplitSeq(texts, "|") {
					if s == "-" {
						columns[i].AddMissing("")
					} else {
						columns[i].Add(s)
					}
				}
			}
			var c Column
			c.Merge(columns[0])
			c.Merge(columns[1])
			got := c.DType(func(d dtype.DType) bool { return d.Kind() == dtype.KindFloat })
			if got.WithByteOrder(dtype.LittleEndian).String() != tt.want {
				t.Errorf("got %v, want %s", got, tt.want)
			}
		})
	}
}

// TestColumnFits tests that AppendField accepts all texts of a column for the dtype that is chosen.
func TestColumnFits(t *testing.T) {
	texts := []string{"true", "False", "0", "-1", "+7", "18446744073709551615", "1.5", "1e-400", "-inf", "nan", "1e999",
		"NaT",
		"2020-01", "2020", "-0005-01-01", "2020-01-31T10:30:59.123456", "0x10", "1_0", "abc", "é", " 5 ", "infinity", ".5",
		"1."}
	for _, a := range texts {
		for _, b := range texts {
			var c Column
			c.Add(a)
			c.Add(b)
			d := c.DType(nil)
			for _, s := range []string{a, b} {
				if _, err := AppendField(nil, d, s); err != nil {
					t.Errorf("%q and %q become %v: %v", a, b, d, err)
				}
			}
		}
	}
}
