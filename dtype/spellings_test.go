package dtype

import (
	_ "embed"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/internal/oracle"
)

//go:embed testdata/spellings.py
var spellingsPy string

// spellings lists spellings of simple types and their meaning in NumPy 1.24 on 64-bit Linux: the str of the type, which
// begins with = for the byte order of the machine, or "" if NumPy refuses the spelling.
//
//go:embed testdata/spellings.txt
var spellings string

func spellingRows() (rows [][2]string) {
	for line := range strings.Lines(spellings) {
		spelling, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		rows = append(rows, [2]string{spelling, want})
	}
	return rows
}

// TestSpellings checks that headers accept every spelling with NumPy's meaning, and report the spellings without a byte
// order. Parse does the same, except that it refuses types that differ from machine to machine, and accepts the micro
// sign.
func TestSpellings(t *testing.T) {
	native := string(orderCodes[Native])
	accepted := 0
	for _, row := range spellingRows() {
		spelling, want := row[0], row[1]
		name := strings.TrimLeft(spelling, "<>=|")
		if name == "f1" {
			continue // ml_dtypes writes it for float8_e5m2
		}
		var assumed bool
		d, err := parser{names: true, header: &assumed}.code(spelling)
		switch {
		case want == "|O":
			if err == nil || !strings.Contains(err.Error(), "is a Python object") {
				t.Errorf("%q: %v, %v; want an error about objects", spelling, d, err)
			}
			continue
		case want == "":
			if err == nil {
				t.Errorf("%q is %v; NumPy refuses it", spelling, d)
			}
		case err != nil:
			t.Errorf("%q: %v, want %s", spelling, err, want)
		case d.String() != strings.Replace(want, "=", native, 1) || assumed != (want[0] == '='):
			t.Errorf("%q is %v, assumed %v; want %s", spelling, d, assumed, want)
		default:
			accepted++
		}
		typed, err := Parse(spelling)
		micro := strings.Contains(spelling, "\u00b5s")
		switch _, platform := platformTypes[name]; {
		case platform && err == nil:
			t.Errorf("Parse(%q) is %v; want an error", spelling, typed)
		case !platform && !micro && ((err == nil) != (want != "") || err == nil && typed != d):
			t.Errorf("Parse(%q) is %v (%v); a header has %v", spelling, typed, err, d)
		case micro:
			if like, err2 := Parse(strings.ReplaceAll(spelling, "\u00b5s", "us")); typed != like ||
				(err == nil) != (err2 == nil) {
				t.Errorf("Parse(%q) is %v (%v), want %v", spelling, typed, err, like)
			}
		}
	}
	if accepted < 1000 {
		t.Errorf("only %d spellings are types", accepted)
	}
}

// TestSpellingsNumPy checks that testdata/spellings.txt agrees with NumPy.
func TestSpellingsNumPy(t *testing.T) {
	p := oracle.Start(t)
	if _, version, _ := oracle.Python(); !strings.HasPrefix(version, "1.24.") {
		t.Skipf("the table is of NumPy 1.24, and here is %s", version)
	}
	var now [][2]string
	if err := p.Run("__name__ = 'spellings'\n"+spellingsPy+"\nout = table()", nil, &now); err != nil {
		t.Fatal(err)
	}
	less := func(a, b [2]string) int { return strings.Compare(a[0], b[0]) }
	rows := spellingRows()
	slices.SortFunc(rows, less)
	slices.SortFunc(now, less)
	if d := cmp.Diff(rows, now); d != "" {
		t.Errorf("testdata/spellings.py writes another table: table -, NumPy's +\n%s", d)
	}
}
