package array

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestPrintLong tests that the text of very long elements, and the memory that printing takes, are limited for any
// header.
func TestPrintLong(t *testing.T) {
	oracle.OneGoroutine(t)
	text := strings.Repeat("ab", 1<<13) // as many bytes of an element as are printed
	for _, tt := range []struct {
		descr string
		shape []int
		verb  string
		want  string
	}{
		{"S100000000", nil, "%v", "b'" + text + "'… (100000000 bytes)"},
		{"S100000000", nil, "%s", text + "… (100000000 bytes)"},
		{"S100000000", nil, "%.2q", `"ab"… (100000000 bytes)`},
		{"V100000000", nil, "%v", "b'" + strings.Repeat(`\x61\x62`, 1<<13) + "'… (100000000 bytes)"},
		{"V100000000", nil, "%x", strings.Repeat("6162", 1<<13) + "… (100000000 bytes)"},
		{"<U25000000", []int{1}, "%v", "['" + strings.Repeat(`\U62616261`, 1<<12) + "'… (100000000 bytes)]"},
		{"[('a', 'i1'), ('s', 'S99999999')]", nil, "%v", "(97, b'" + ("b" + text)[:1<<14-4] + "'… (99999999 bytes))"},
		{"[('s', 'S50000000'), ('t', 'S50000000')]", nil, "%v", "(b'" + text + "'… (50000000 bytes), … (2 fields))"},
		{"[('v', 'u1', (10, 10000000))]", nil, "%d", "([" + strings.Repeat("97, 98, ", 1<<13) + "… (100000000 values)])"},
		{"[('v', 'S50000000', (2,))]", nil, "%v", "([b'" + text + "'… (50000000 bytes), … (2 values)],)"},
		{"[('v', [('w', 'S100000000')])]", nil, "%v", "((b'" + text + "'… (100000000 bytes),),)"},
		{"[('v', [], (2000000000,))]", nil, "%v", "([" + strings.Repeat("(), ", 1<<14) + "… (2000000000 values)],)"},
		{"[('v', 'i4', (2000000000, 0))]", nil, "%v", "([… (0 values)],)"},
	} {
		d := dtype.MustParse(tt.descr)
		a := must(New(d, index.C, tt.shape...))
		if b := a.Map().Bytes(); d.ItemSize() > 0 {
			for i := range b[:1<<17] {
				b[i] = "ab"[i%2]
			}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := fmt.Sprintf(tt.verb, a)
		runtime.ReadMemStats(&after)
		if got != tt.want {
			t.Errorf("%s of %s, shape %v: %s\nwant %s", tt.verb, tt.descr, tt.shape, excerpt(got), excerpt(tt.want))
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
			t.Errorf("%s of %s, shape %v: %d bytes allocated", tt.verb, tt.descr, tt.shape, used)
		}
		a.Close()
	}
}

func excerpt(s string) string {
	if len(s) <= 200 {
		return s
	}
	return fmt.Sprintf("%s … %s (%d bytes)", s[:100], s[len(s)-100:], len(s))
}

// TestPrintEndless prints arrays without bytes, which may have any number of elements.
func TestPrintEndless(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("no array has more than 1<<31-1 elements in 32 bits")
	}
	sixes := make([]int, 24)
	for k := range sixes {
		sixes[k] = 6
	}
	for _, tt := range []struct {
		descr string
		shape []int
		want  string
	}{
		{"V0", []int{math.MaxInt/2 + 1}, "[b'' b'' b'' ... b'' b'' b'']"},
		{"f8", []int{1 << 30, 1 << 20, 0}, "[]"},
		{"S0", sixes,
			"%!v(4738381338321616896 elements are too many to print, and none of the 24 axes is long enough to be summarized; select some of them)"},
	} {
		a := must(FromBytes(nil, dtype.MustParse(tt.descr), index.C, tt.shape...))
		if got := fmt.Sprint(a); got != tt.want {
			t.Errorf("%s, shape %v:\n got %s\nwant %s", tt.descr, tt.shape, excerpt(got), tt.want)
		}
	}
}
