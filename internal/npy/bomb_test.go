package npy

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestBombs tests that headers made to be expensive are not. Parsing each of them, successfully or not, allocates at
// most 64 MiB in total, and should take at most 100 ms. The limit for the length of a header, 1 MiB, bounds the cost.
func TestBombs(t *testing.T) {
	oracle.Slow(t)
	const limit = 64 << 20
	descr := func(s string) string {
		return "{'descr': " + s + ", 'fortran_order': False, 'shape': (), }"
	}
	// many returns up to n bytes of numbered copies of format.
	many := func(n int, format string) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	const most = Limit2 - 100
	for _, tt := range []struct {
		name string
		b    []byte
		want string // part of the error, or "read" for no error
	}{
		{"brackets", version1File(strings.Repeat("[", 65000)), "nested deeper"},
		{"a million brackets", file(2, 0, strings.Repeat("[", Limit2)), "nested deeper"},
		{"brackets of all kinds", file(2, 0, strings.Repeat("[({1:", Limit2/5)), "nested deeper"},
		{"brackets in a dtype", file(2, 0, descr(strings.Repeat("[('x', ", 99)+"'<f8'"+strings.Repeat(")]", 99))), "read"},
		{"a sub-array of a sub-array of …", file(2, 0, descr("[('x', "+strings.Repeat("(",
			190)+"'<f8'"+strings.Repeat(", (1,))", 190)+")]")), "read"},
		{"a million fields", file(2, 0, descr("["+strings.Repeat("('x','|b1'),", 1e6)+"]")), "more than the limit"},
		{"as many fields as fit", file(2, 0, descr("["+many(most, "('%d','|b1'),")+"]")), "read"},
		{"with titles", file(2, 0, descr("["+many(most, "(('%d','x%[1]d'),'|b1'),")+"]")), "read"},
		{"with shapes", file(2, 0, descr("["+many(most, "('%d','|b1',(1,)),")+"]")), "read"},
		{"with units", file(2, 0, descr("["+many(most, "('%d','<M8[s]'),")+"]")), "read"},
		{"all of one name", file(2, 0, descr("["+strings.Repeat("('x','|b1'),", most/12)+"]")), "title of another field"},
		{"padding", file(2, 0, descr("["+strings.Repeat("('','|V1'),", most/11)+"]")), "read"},
		{"a long name", file(2, 0, descr("[('"+strings.Repeat("x", most)+"', '|b1')]")), "read"},
		{"a name of escapes", file(2, 0, descr("[('"+strings.Repeat(`\x41`, most/4)+"', '|b1')]")), "read"},
		{"a name of a million parts", file(2, 0, descr("[("+strings.Repeat("''", most/2)+", '|b1')]")), ""},
		{"a long code", file(2, 0, descr("'<f"+strings.Repeat("8", most)+"'")), "too large"},
		{"a long unit", file(2, 0, descr("'<M8["+strings.Repeat("s", most)+"]'")), "unknown time unit"},
		{"a long number", file(2, 0, "{'descr': '<f8', 'fortran_order': False, 'shape': ("+strings.Repeat("9", most)+",)}"),
			"overflows"},
		{"a long hexadecimal number", file(2, 0, "{'descr': '<f8', 'fortran_order': False, 'shape': (0x"+strings.Repeat("0",
			most)+",)}"), "read"},
		{"many dimensions", file(2, 0, "{'descr': '<f8', 'fortran_order': False, 'shape': ("+strings.Repeat("1,",
			most/2)+")}"), "more than 64"},
		{"many dimensions of a field", file(2, 0, descr("[('x','<f8',("+strings.Repeat("1,", most/2)+"))]")),
			"want at most 32"},
		{"many keys", file(2, 0, "{"+many(most, "'%d':1,")+"}"), "unexpected key"},
		{"the same key", file(2, 0, "{"+strings.Repeat("'shape':1,", Limit2/10-1)+"}"), "duplicate key"},
		{"white space", file(2, 0, strings.Repeat(" ", Limit2)), "the end"},
		{"lines", file(2, 0, strings.Repeat("\n", Limit2)), "the end"},
		{"Ls", file(2, 0, "{'descr': '<f8', 'fortran_order': False, 'shape': (1"+strings.Repeat(" L", most/2)+",)}"), "read"},
		{"comments", file(2, 0, strings.Repeat("#\n", Limit2/2)), "the end"},
		{"a name that is not a literal", file(2, 0, strings.Repeat("x", Limit2)), "is not a literal"},
		{"an open string", file(2, 0, "'"+strings.Repeat("x", Limit2-1)), "unterminated"},
		{"elements of 2 GiB, and many",
			version1File("{'descr': '|V2147483647', 'fortran_order': False, 'shape': (2147483647, 2147483647, 0)}"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := processorTime(t)
			h, err := Parse(tt.b, 0)
			elapsed := processorTime(t) - start
			runtime.ReadMemStats(&after)
			if err == nil {
				_ = h.DType.String()
			}
			got := "read"
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, tt.want) || len(got) > 500 {
				t.Errorf("%s: %.600s, want %s", tt.name, got, tt.want)
			}
			allocated := after.TotalAlloc - before.TotalAlloc
			if allocated > limit {
				t.Errorf("%s: %d MiB allocated", tt.name, allocated>>20)
			}
			// This limit is far above the actual time, because the race detector is slow and makes caches less effective.
			// BenchmarkFields measures the time. With NDMAP_QEMU the test runs under emulation, without a limit.
			if elapsed > 5*time.Second && os.Getenv("NDMAP_QEMU") == "" {
				t.Errorf("%s: %v", tt.name, elapsed)
			}
			t.Logf("%-34s %8.2f ms %6.1f MiB  %.60s", tt.name, elapsed.Seconds()*1e3, float64(allocated)/(1<<20), got)
		})
	}
}

func BenchmarkParse(b *testing.B) {
	in := header("'<f8'", "False", "(2, 3)")
	b.ReportAllocs()
	for range b.N {
		if _, err := Parse(in, 0); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	d := dtype.MustParse("<f8")
	b.ReportAllocs()
	for range b.N {
		if _, _, err := New(d, index.C, []int{2, 3}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFields parses a header of 1 MiB with as many fields as possible.
func BenchmarkFields(b *testing.B) {
	var text strings.Builder
	for i := 0; text.Len() < Limit2-100; i++ {
		fmt.Fprintf(&text, "('%d','|b1'),", i)
	}
	in := file(2, 0, "{'descr':["+text.String()+"],'fortran_order':False,'shape':()}")
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for range b.N {
		if _, err := Parse(in, 0); err != nil {
			b.Fatal(err)
		}
	}
}
