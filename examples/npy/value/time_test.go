package value

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/render"
)

func TestMain(m *testing.M) { oracle.Main(m) }

var units = []string{"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "25s", "7D", "3Y",
	"1000000007ps", "2147483647as", "2147483647Y"}

// count returns the integer that encode stores for the time s.
func count(d dtype.DType, s string) (int64, error) {
	b, err := encode(d, s)
	if err != nil {
		return 0, err
	}
	return int64(binary.LittleEndian.Uint64(b)), nil
}

// TestTimesRoundTrip tests that set can read the times and durations that print shows, for every unit.
func TestTimesRoundTrip(t *testing.T) {
	r := oracle.Rand(t, 0)
	for _, unit := range units {
		counts := []int64{0, 1, -1, 30, -719529, math.MaxInt64, math.MinInt64 + 1, dtype.NaT}
		for range oracle.Cases(t, 150) {
			counts = append(counts, int64(r.Uint64())>>r.IntN(64))
		}
		date, duration := dtype.MustParse("<M8["+unit+"]"), dtype.MustParse("<m8["+unit+"]")
		for _, want := range counts {
			shown := render.Time(date, want)
			if got, err := count(date, shown); err != nil || got != want {
				t.Errorf("%v: %s is %d (%v), want %d", date, shown, got, err, want)
			}
			if want == dtype.NaT {
				continue
			}
			shown = render.Amount(duration, big.NewInt(want))
			if got, err := count(duration, shown); err != nil || got != want {
				t.Errorf("%v: %s is %d (%v), want %d", duration, shown, got, err, want)
			}
			if got, err := count(duration, fmt.Sprint(want)); err != nil || got != want {
				t.Errorf("%v: %d is %d (%v)", duration, want, got, err)
			}
		}
	}
}

// TestTimesNumPy tests that texts are accepted if NumPy accepts them, and denote the same times.
func TestTimesNumPy(t *testing.T) {
	p := oracle.Start(t)
	texts := []string{
		"5", "0005", "2020", "12345", "-5", "-0005", "+2020", "20200101", "-2020", "292277026596", "123456789012", // years
		"nat", "NAT", "Nat", "nAt", "NaT",
		"2020-01", "12345-01", "123456-01-01", "-1-01-01", "-001-12-31", "0000-02-29", "-0004-02-29", "0000-01-01",
		"-0-01-01",
		"2020-02-29T12", "10000-01-01T00", "2020-01-01 10:00", "2020-01-01T10:00:59", "-400-03-01T00:00:00.000000001",
		"1969-12-31T23:59:59.999999999999999999", "2020-01-01T10:00:00.5",
		// Texts that neither NumPy nor encode accepts.
		"2020-1", "2020-01-1", "2020-1-01", "2020 ", "1e3", "0x10", "2020-01-01T1", "2020-02-30", "2021-02-29", "2020-13",
		"2020-00", "2020-01-00",
		"2020-01-01T24", "2020-01-01T10:60", "now x", "-", "+", "1900-02-29", "20-20",
	}
	type result struct{ Count *int64 }
	var want [][]result
	if err := p.Run(`
def count(s, u):
    try: a = np.array(s).astype("M8[" + u + "]")
    except Exception: return {}
    return {"Count": int(a.astype("i8"))}
out = [[count(s, u) for u in x[1]] for s in x[0]]
`, []any{texts, units}, &want); err != nil {
		t.Fatal(err)
	}
	agreed := 0
	for i, s := range texts {
		for k, unit := range units {
			d := dtype.MustParse("<M8[" + unit + "]")
			got, err := count(d, s)
			w := want[i][k].Count
			switch {
			case err == nil && w == nil:
				t.Errorf("%v: %q is %d; NumPy refuses it", d, s, got)
			case err == nil && got != *w:
				t.Errorf("%v: %q is %d, want %d", d, s, got, *w)
			case err == nil:
				agreed++
			}
		}
	}
	if agreed < 300 {
		t.Errorf("only %d of the texts are times", agreed)
	}
}

func TestTimeErrors(t *testing.T) {
	for _, tt := range []struct{ d, s, want string }{
		{"<M8[s]", "1e3", "want NaT, or a time such as 2020-01-31T12:30:00.5, or only the beginning of one, such as 2020"},
		{"<M8[s]", "", "want NaT, or a time such as 2020-01-31T12:30:00.5, or only the beginning of one, such as 2020"},
		{"<M8[s]", "2020-02-30", "no such date or time of day"},
		{"<M8[s]", "292277026597", "it does not fit in 64 bits as a number of seconds"},
		{"<M8[Y]", "9223372036854777778", "it does not fit in 64 bits as a number of years"},
		{"<M8[Y]", "-9223372036854773838", "its count is -9223372036854775808, which is reserved for NaT"},
		{"<M8[2Y]", "2021", "it is not a whole number of units of 2 years from 1970"},
		{"<M8[M]", "-001-01-02", "it is not a whole number of months from 1970"},
		{"<M8", "2020", "a dtype without a unit has no value except NaT"},
		{"<M8", "5", "a dtype without a unit has no value except NaT"},
		{"<m8[25s]", "60 seconds", "it is not a whole number of units of 25 seconds"},
		{"<m8[25s]", "75 days", "want NaT or the number of units of 25 seconds, an integer of 64 bits"},
		{"<m8[s]", "9223372036854775808", "it does not fit in 64 bits as a number of seconds"},
		{"<m8[s]", "-9223372036854775808 seconds", "its count is -9223372036854775808, which is reserved for NaT"},
	} {
		_, err := count(dtype.MustParse(tt.d), tt.s)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s, %q:\n got %v\nwant %s", tt.d, tt.s, err, tt.want)
		}
	}
}
