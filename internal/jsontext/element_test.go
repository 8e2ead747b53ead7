package jsontext

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/render"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// textOf returns the JSON of one element.
func textOf(d dtype.DType, b []byte) ([]byte, error) {
	var w writer
	err := w.value(d, b)
	return w.text, err
}

// element returns the text of an element of up to 64 bits.
func element(t *testing.T, d dtype.DType, bits uint64) string {
	t.Helper()
	b := binary.LittleEndian.AppendUint64(nil, bits)[:d.ItemSize()]
	if d.ByteOrder() == dtype.BigEndian {
		slices.Reverse(b)
	}
	text, err := textOf(d, b)
	if err != nil {
		t.Fatalf("%v %#x: %v", d, bits, err)
	}
	return string(text)
}

func TestFloats(t *testing.T) {
	for _, tt := range []struct {
		d    string
		bits uint64
		want string
	}{
		{"<f2", 0x6C04, "4112.0"},
		{">f2", 0x7BFF, "65504.0"},
		{"<f2", 0x2E66, "0.0999755859375"},
		{"<f2", 0x0001, "5.960464477539063e-08"},
		{"<f2", 0x8000, "-0.0"},
		{"<f2", 0x7E00, `"NaN"`},
		{"<f2", 0xFC00, `"-Infinity"`},
		{"<bfloat16", 0x3DCD, "0.10009765625"},
		{">bfloat16", 0x5D64, "1.0268207150404731e+18"},
		{"float8_e5m2", 0xBA, "-0.75"},
		{"float8_e5m2", 0x4B, "14.0"},
		{"float8_e4m3fn", 0x7E, "448.0"},
		{"float8_e4m3fn", 0x01, "0.001953125"},
		{"<f4", uint64(math.Float32bits(0.1)), "0.1"}, // the shortest text for a float32
		{"<f4", uint64(math.Float32bits(1e16)), "1e+16"},
		{"<f8", math.Float64bits(0.1), "0.1"},
		{"<f8", math.Float64bits(0.0001), "0.0001"},
		{"<f8", math.Float64bits(0.00001), "1e-05"},
	} {
		t.Run(tt.d+" "+tt.want, func(t *testing.T) {
			if got := element(t, dtype.MustParse(tt.d), tt.bits); got != tt.want {
				t.Errorf("%#x is %s, want %s", tt.bits, got, tt.want)
			}
		})
	}
}

// TestNarrowFloatsAreExact tests that every float of up to 16 bits reads back as the float64 that equals it.
func TestNarrowFloatsAreExact(t *testing.T) {
	for _, name := range []string{"<f2", "<bfloat16", "float8_e4m3fn", "float8_e5m2"} {
		t.Run(name, func(t *testing.T) {
			d := dtype.MustParse(name)
			for bits := range uint64(1) << (8 * d.ItemSize()) {
				want := render.Real(d, binary.LittleEndian.AppendUint64(nil, bits)[:d.ItemSize()])
				if math.IsNaN(want) || math.IsInf(want, 0) {
					continue
				}
				text := element(t, d, bits)
				if got, err := strconv.ParseFloat(text, 64); err != nil || math.Float64bits(got) != math.Float64bits(want) {
					t.Fatalf("%#x is %s (%v), want %v", bits, text, err, want)
				}
			}
		})
	}
}

// TestFloat16NumPy tests that the text of a float16 equals the output of json.dumps(a.tolist()).
func TestFloat16NumPy(t *testing.T) {
	p := oracle.Start(t)
	const step = 13
	var want []string
	if err := p.Run(`
import json
a = np.arange(0, 1 << 16, x, dtype="u2").view("f2")
out = [json.dumps(v) if np.isfinite(v) else "" for v in a.tolist()]
`, step, &want); err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, text := range want {
		if text == "" {
			got = append(got, "")
			continue
		}
		got = append(got, element(t, dtype.MustParse("<f2"), uint64(i*step)))
	}
	if d := cmp.Diff(want, got); d != "" || len(want) < 5000 {
		t.Errorf("%d floats: want -, got +\n%s", len(want), d)
	}
}

// TestText tests that surrogates are escaped like in Python, and that numbers above U+10FFFF are errors, also of
// checkText.
func TestText(t *testing.T) {
	u32 := func(points ...uint32) (b []byte) {
		for _, c := range points {
			b = binary.LittleEndian.AppendUint32(b, c)
		}
		return b
	}
	const bad = "0x110000 is not a code point; the largest one is U+10FFFF"
	for _, tt := range []struct {
		name, d   string
		b         []byte
		want, err string
	}{
		{"plain", "<U3", u32('a', 'é', 0), `"aé"`, ""},
		{"high surrogate", "<U2", u32('a', 0xD83D), `"a\ud83d"`, ""},
		{"low surrogate", "<U2", u32(0xDFFF, 'a'), `"\udfffa"`, ""},
		{"pair", "<U2", u32(0xD83D, 0xDE00), `"\ud83d\ude00"`, ""},
		{"too large", "<U2", u32('a', 0x110000), "", bad},
		{"field", "[('n', '<i4'), ('s', '<U1')]", u32(1, 0x110000), "", `field "s": ` + bad},
		{"fields in fields", "[('n', '<i4'), ('s', [('t', '<U1')], (2,))]", u32(0x110000, 'a', 0x110000), "",
			`field "s": field "t": ` + bad},
		{"a number, no text", "[('n', '<i4'), ('s', '<U1')]", u32(0x110000, 'b'), `{"n":1114112,"s":"b"}`, ""},
		{"a sub-array", "[('s', '<U1', (2, 2))]", u32('a', 'b', 'c', 0x110000), "", `field "s": ` + bad},
		{"no elements", "[('s', '<U1', (0,)), ('n', '<u4')]", u32(0x110000), `{"s":[],"n":1114112}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := dtype.MustParse(tt.d)
			text, err := textOf(d, tt.b)
			checked := checkText(d, tt.b)
			if tt.err != "" {
				if err == nil || err.Error() != tt.err || checked == nil || checked.Error() != tt.err || !hasText(d) {
					t.Errorf("got %v, checkText %v, want %s", err, checked, tt.err)
				}
				return
			}
			if err != nil || checked != nil || string(text) != tt.want {
				t.Errorf("got %s, %v, checkText %v, want %s", text, err, checked, tt.want)
			}
		})
	}
	for d, want := range map[string]bool{"<f8": false, "|S3": false, "<U1": true, "[('a', '<i4')]": false,
		"[('a', '|S2'), ('b', [('c', '>U3', (2,))], (3,))]": true} {
		t.Run(d, func(t *testing.T) {
			if got := hasText(dtype.MustParse(d)); got != want {
				t.Errorf("hasText(%s) is %v", d, got)
			}
		})
	}
}
