package dtype

import (
	"fmt"
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/ndmap/ndmap/internal/oracle"
)

func TestTime(t *testing.T) {
	for _, tt := range []struct {
		dtype string
		v     int64
		want  string
	}{
		{"<M8[Y]", 0, "1970-01-01T00:00:00Z"},
		{"<M8[Y]", 56, "2026-01-01T00:00:00Z"},
		{"<M8[Y]", -1971, "-0001-01-01T00:00:00Z"},
		{"<M8[10Y]", 5, "2020-01-01T00:00:00Z"},
		{"<M8[M]", 361, "2000-02-01T00:00:00Z"},
		{"<M8[M]", -1, "1969-12-01T00:00:00Z"},
		{"<M8[3M]", -1, "1969-10-01T00:00:00Z"},
		{"<M8[W]", 1, "1970-01-08T00:00:00Z"},
		{"<M8[W]", -1, "1969-12-25T00:00:00Z"},
		{"<M8[D]", 11016, "2000-02-29T00:00:00Z"},
		{"<M8[D]", -719162, "0001-01-01T00:00:00Z"},
		{"<M8[h]", -1, "1969-12-31T23:00:00Z"},
		{"<M8[15m]", 5, "1970-01-01T01:15:00Z"},
		{"<M8[s]", 1 << 31, "2038-01-19T03:14:08Z"},
		{">M8[25s]", 4, "1970-01-01T00:01:40Z"},
		{"<M8[ms]", -1, "1969-12-31T23:59:59.999Z"},
		{"<M8[us]", 1, "1970-01-01T00:00:00.000001Z"},
		{"<M8[ns]", math.MaxInt64, "2262-04-11T23:47:16.854775807Z"},
		{"<M8[ns]", math.MinInt64 + 1, "1677-09-21T00:12:43.145224193Z"},
		{"<M8[250ns]", math.MaxInt64, "75039-04-04T19:00:13.69395175Z"}, // the product has over 64 bits
		{"<M8[ps]", 1999, "1970-01-01T00:00:00.000000001Z"},
		{"<M8[ps]", -1, "1969-12-31T23:59:59.999999999Z"}, // rounded toward the past
		{"<M8[fs]", math.MaxInt64, "1970-01-01T02:33:43.372036854Z"},
		{"<M8[as]", math.MinInt64 + 1, "1969-12-31T23:59:50.776627963Z"},
		{"<M8[s]", NaT, "none"},
		{"<M8[ns]", NaT, "none"},
		{"<M8", 0, "none"},    // no unit
		{"<m8[s]", 0, "none"}, // no point in time
		{"<i8", 0, "none"},
		{"<M8[Y]", 292_000_000_000, "292000001970-01-01T00:00:00Z"},
		{"<M8[Y]", -292_000_000_000, "-291999998030-01-01T00:00:00Z"},
		{"<M8[Y]", 292_000_000_001, "none"},
		{"<M8[Y]", math.MaxInt64, "none"},
		{"<M8[2147483647M]", math.MinInt64 + 1, "none"},
		{"<M8[s]", math.MaxInt64, "none"},
		{"<M8[s]", math.MinInt64 + 1, "none"},
		{"<M8[2147483647W]", math.MinInt64 + 1, "none"},
		{"<M8[2147483647ms]", math.MaxInt64, "none"},
	} {
		got := "none"
		d := MustParse(tt.dtype)
		if tm, ok := d.Time(tt.v); ok {
			if math.MaxInt == math.MaxInt32 && exceeds(tt.v, 1e11) && d.composite.unit == Year {
				continue // the year does not fit an int: time.Time cannot print it
			}
			got = fmt.Sprintf("%04d-%02d-%02dT%s", tm.Year(), tm.Month(), tm.Day(), tm.Format("15:04:05.999999999Z07:00"))
			if tm.Year() < 0 {
				got = fmt.Sprintf("-%04d-%02d-%02dT%s", -tm.Year(), tm.Month(), tm.Day(), tm.Format("15:04:05.999999999Z07:00"))
			}
		}
		if got != tt.want {
			t.Errorf("%s %d: %s, want %s", tt.dtype, tt.v, got, tt.want)
		}
	}
}

func TestFromTime(t *testing.T) {
	at := func(s string) time.Time {
		tm, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return tm
	}
	for _, tt := range []struct {
		dtype string
		t     time.Time
		want  string
	}{
		{"<M8[Y]", at("2026-12-31T23:59:59Z"), "56"},
		{"<M8[Y]", at("1969-12-31T23:59:59Z"), "-1"},
		{"<M8[7Y]", at("1969-12-31T23:59:59Z"), "-1"},
		{"<M8[M]", at("2000-02-29T00:00:00Z"), "361"},
		{"<M8[W]", at("1969-12-31T00:00:00Z"), "-1"},
		{"<M8[D]", at("1969-12-31T23:59:59Z"), "-1"},
		{"<M8[D]", at("2000-03-01T00:30:00+01:00"), "11016"}, // UTC counts
		{"<M8[25s]", at("1970-01-01T00:01:40Z"), "4"},
		{"<M8[25s]", at("1970-01-01T00:02:04.999Z"), "4"},
		{"<M8[ms]", at("1969-12-31T23:59:59.9999Z"), "-1"},
		{"<M8[ns]", at("1970-01-01T00:00:00.000000007Z"), "7"},
		{"<M8[2ns]", at("1970-01-01T00:00:00.000000007Z"), "3"},
		{"<M8[ps]", at("1970-01-01T00:00:00.000000007Z"), "7000"},
		{"<M8[as]", at("1969-12-31T23:59:59.999999999Z"), "-1000000000"},
		{"<M8[ns]", at("2262-04-11T23:47:16.854775807Z"), "9223372036854775807"},
		{"<M8[ns]", at("2262-04-11T23:47:16.854775808Z"),
			"dtype: 2262-04-11 23:47:16.854775808 +0000 UTC is out of range for dtype <M8[ns]"},
		{"<M8[ns]", at("1677-09-21T00:12:43.145224193Z"), "-9223372036854775807"},
		{"<M8[ns]", at("1677-09-21T00:12:43.145224192Z"),
			"dtype: 1677-09-21 00:12:43.145224192 +0000 UTC is out of range for dtype <M8[ns]"}, // would be NaT
		{"<M8[ns]", time.Time{}, "dtype: 0001-01-01 00:00:00 +0000 UTC is out of range for dtype <M8[ns]"},
		{"<M8[as]", at("1970-01-01T00:00:10Z"), "dtype: 1970-01-01 00:00:10 +0000 UTC is out of range for dtype <M8[as]"},
		{"<M8[s]", time.Time{}, "-62135596800"},
		{"<M8", at("1970-01-01T00:00:00Z"), "dtype: dtype <M8 is not a datetime with a unit"},
		{"<m8[s]", at("1970-01-01T00:00:00Z"), "dtype: dtype <m8[s] is not a datetime with a unit"},
		{"|S4", at("1970-01-01T00:00:00Z"), "dtype: dtype |S4 is not a datetime with a unit"},
		{"<M8[Y]", time.Unix(9215_000_000_000_000_000, 0),
			"dtype: 292011727310-04-08 14:13:20 +0000 UTC is out of range for dtype <M8[Y]"},
	} {
		v, err := MustParse(tt.dtype).FromTime(tt.t.UTC())
		got := fmt.Sprint(v)
		if err != nil {
			got = err.Error()
		}
		if got != tt.want && (math.MaxInt > math.MaxInt32 || tt.t.Unix() < 1e15) {
			t.Errorf("%s %v: %s, want %s", tt.dtype, tt.t, got, tt.want)
		}
	}
}

func TestDuration(t *testing.T) {
	for _, tt := range []struct {
		dtype string
		v     int64
		want  string
	}{
		{"<m8[W]", 1, "168h0m0s"}, {"<m8[D]", -1, "-24h0m0s"}, {"<m8[2h]", 3, "6h0m0s"}, {"<m8[m]", 90, "1h30m0s"},
		{"<m8[25s]", 4, "1m40s"},
		{"<m8[ms]", 1, "1ms"}, {"<m8[7us]", -1, "-7µs"}, {"<m8[ns]", math.MaxInt64, "2562047h47m16.854775807s"},
		{"<m8[ps]", 1999, "1ns"}, {"<m8[ps]", -1, "-1ns"}, {"<m8[fs]", math.MaxInt64, "2h33m43.372036854s"}, {"<m8[as]",
			math.MinInt64 + 1, "-9.223372037s"},
		{"<m8[2147483647ps]", math.MaxInt64, "none"}, {"<m8[W]", 15250, "2562000h0m0s"}, {"<m8[W]", 15251, "none"}, {"<m8[s]",
			math.MaxInt64, "none"}, {"<m8[2us]", math.MaxInt64, "none"},
		{"<m8[s]", NaT, "none"}, {"<m8", 0, "none"}, {"<m8[Y]", 0, "none"}, {"<m8[M]", 0, "none"}, {"<M8[s]", 0, "none"},
		{"<i8", 0, "none"},
	} {
		got := "none"
		if d, ok := MustParse(tt.dtype).Duration(tt.v); ok {
			got = d.String()
		}
		if got != tt.want {
			t.Errorf("%s %d: %s, want %s", tt.dtype, tt.v, got, tt.want)
		}
	}
	for _, tt := range []struct {
		dtype string
		d     time.Duration
		want  string
	}{
		{"<m8[W]", -1, "-1"}, {"<m8[D]", 25 * time.Hour, "1"}, {"<m8[25s]", 124 * time.Second, "4"}, {"<m8[25s]",
			-time.Nanosecond, "-1"}, {"<m8[ms]", -1, "-1"},
		{"<m8[7us]", 15 * time.Microsecond, "2"}, {"<m8[ns]", math.MaxInt64, "9223372036854775807"}, {"<m8[ps]", 2, "2000"},
		{"<m8[3fs]", -1, "-333334"},
		{"<m8[as]", 9 * time.Second, "9000000000000000000"},
		{"<m8[as]", 10 * time.Second, "dtype: 10s is out of range for dtype <m8[as]"},
		{"<m8[ns]", math.MinInt64, "dtype: -2562047h47m16.854775808s is out of range for dtype <m8[ns]"}, // would be NaT
		{"<m8", 1, "dtype: dtype <m8 is not a timedelta with a unit of fixed length"},
		{"<m8[M]", 1, "dtype: dtype <m8[M] is not a timedelta with a unit of fixed length"},
		{"<M8[s]", 1, "dtype: dtype <M8[s] is not a timedelta with a unit of fixed length"},
	} {
		v, err := MustParse(tt.dtype).FromDuration(tt.d)
		got := fmt.Sprint(v)
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s %v: %s, want %s", tt.dtype, tt.d, got, tt.want)
		}
	}
}

func TestMulDiv(t *testing.T) {
	r := oracle.Rand(t, 6)
	n := func() int64 { return r.Int64() >> r.IntN(63) }
	for range 100_000 {
		a, b, c, d := n(), n(), n(), n()|1
		if r.IntN(2) == 0 {
			a = ^a
		}
		x := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
		x.Add(x, big.NewInt(c))
		want, rest := new(big.Int).DivMod(x, big.NewInt(d), new(big.Int)) // Euclidean: rounds down for d > 0
		q, m, ok := mulDiv(a, b, c, d)
		if ok != want.IsInt64() || ok && (q != want.Int64() || m != rest.Int64()) {
			t.Fatalf("(%d*%d + %d) / %d: %d %d %t, want %v %v", a, b, c, d, q, m, ok, want, rest)
		}
	}
}

// TestMonths tests the calendar against package time.
func TestMonths(t *testing.T) {
	for month := int64(-12 * 4000); month < 12*4000; month++ {
		want := time.Date(1970, time.January+time.Month(month), 1, 0, 0, 0, 0, time.UTC).Unix() / secondsPerDay
		if got := monthStart(month); got != want {
			t.Fatalf("month %d starts on day %d, want %d", month, got, want)
		}
		if got := monthOf(want); got != month {
			t.Fatalf("day %d is of month %d, want %d", want, got, month)
		}
		if got := monthOf(want - 1); got != month-1 {
			t.Fatalf("day %d is of month %d, want %d", want-1, got, month-1)
		}
	}
}

// TestTimeOracle compares conversions at random values with NumPy's casts, in both directions, for every unit and some
// multiples. The casts are to and from nanoseconds, or microseconds for values out of the range of nanoseconds.
func TestTimeOracle(t *testing.T) {
	p := oracle.Start(t)
	r := oracle.Rand(t, 8)
	type ask struct {
		Kind, Unit string // M8 or m8, 25s
		To         string // ns or us
		V, Back    []int64
	}
	var asks []ask
	for _, kind := range []string{"M8", "m8"} {
		for u := Year; u <= Attosecond; u++ {
			for _, count := range []int{1, 2, 25, 1000} {
				if kind == "m8" && u < Week {
					continue
				}
				a := ask{Kind: kind, Unit: fmt.Sprintf("%d%v", count, u), To: "ns"}
				perTick := new(big.Float).SetFloat64(float64(count) * map[bool]float64{true: 3.16e16 / float64(1+11*(u-1)),
					false: 1}[u < Week])
				if u >= Week && u <= Second {
					perTick.SetFloat64(float64(count) * float64(unitSeconds[u]) * 1e9)
				} else if u > Second {
					perTick.SetFloat64(float64(count) * 1e9 / float64(perSecond[u]))
				}
				tick, _ := perTick.Float64()
				limit := 9.2e18 / max(tick, 1)
				if r.IntN(2) == 0 && u <= Microsecond {
					a.To, limit = "us", min(limit*1000, 9.2e18)
				}
				for range 200 {
					a.V = append(a.V, int64((r.Float64()*2-1)*math.Pow(limit, r.Float64())))
					// Limit the numbers to those that fit the other unit, because NumPy overflows silently.
					back := 9.2e18
					if u > Nanosecond || u > Microsecond && a.To == "us" {
						back /= float64(perSecond[u]) / 1e6
					}
					a.Back = append(a.Back, int64((r.Float64()*2-1)*math.Pow(back, r.Float64())))
				}
				asks = append(asks, a)
			}
		}
	}
	var out []struct{ To, Back []int64 }
	err := p.Run(`
out = []
for a in x:
    d, to = f"{a['Kind']}[{a['Unit']}]", f"{a['Kind']}[{a['To']}]"
    out.append(dict(To=np.array(a["V"], "i8").view(d).astype(to).view("i8"), Back=np.array(a["Back"], "i8").view(to).astype(d).view("i8")))
`, asks, &out)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range asks {
		d, to := MustParse(a.Kind+"["+a.Unit+"]"), MustParse(a.Kind+"["+a.To+"]")
		for j, v := range a.V {
			var got, back int64
			ok := true
			var err, err2 error
			if a.Kind == "M8" {
				var tm, tb time.Time
				if tm, ok = d.Time(v); ok {
					got, err = to.FromTime(tm)
				}
				tb, _ = to.Time(a.Back[j])
				back, err2 = d.FromTime(tb)
			} else {
				var dur, db time.Duration
				if dur, ok = d.Duration(v); ok {
					got, err = to.FromDuration(dur)
				} else if a.To == "us" {
					continue // NumPy's m8[us] has a larger range than time.Duration
				}
				var bok bool
				if db, bok = to.Duration(a.Back[j]); !bok {
					back = out[i].Back[j]
				} else {
					back, err2 = d.FromDuration(db)
				}
			}
			if !ok || err != nil || got != out[i].To[j] {
				t.Errorf("%v %d as %v: %d, %t, %v; NumPy's %d", d, v, to, got, ok, err, out[i].To[j])
			}
			if err2 != nil || back != out[i].Back[j] {
				t.Errorf("%v %d as %v: %d, %v; NumPy's %d", to, a.Back[j], d, back, err2, out[i].Back[j])
			}
		}
	}
}
