package dtype

import (
	"strings"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

// TestTypeNames tests the meaning of some names, which is the same on every machine.
func TestTypeNames(t *testing.T) {
	native := orderCodes[Native : Native+1]
	for in, want := range map[string]string{
		"int": "=i8", "uint": "=u8", "float": "=f8", "complex": "=c16", "bool": "|b1", "half": "=f2", "single": "=f4",
		"double":  "=f8",
		"float16": "=f2", "int32": "=i4", "uint8": "|u1", "longlong": "=i8", "float128": "=f16", "complex256": "=c32",
		"datetime64[ns]": "=M8[ns]", "timedelta64[s]": "=m8[s]", ">datetime64[25us]": ">M8[25us]", "datetime64": "=M8",
		"=timedelta64": "=m8",
		"i":            "=i4", ">i": ">i4", "<d": "<f8", "?": "|b1", "b": "|i1", ">B": "|u1", "c": "|S1", "a5": "|S5",
		"|a5":                                 "|S5",
		"M":                                   "=M8",
		"|i8":                                 "=i8",
		"U007":                                "=U7",
		"datetime64[\u03bcs]":                 "=M8[us]",
		"M8[25\u00b5s]":                       "=M8[25us]",
		"M8[D/24]":                            "=M8[h]",
		">m8[7Y/12]":                          ">m8[7M]",
		"[('x', 'float'), ('y', '>h', (2,))]": "[('x', '=f8'), ('y', '>i2', (2,))]",
	} {
		t.Run(in, func(t *testing.T) {
			want = strings.ReplaceAll(want, "=", string(native))
			if d, err := Parse(in); err != nil || d.String() != want {
				t.Errorf("%s is %v (%v), want %s", in, d, err, want)
			}
		})
	}
}

// TestTypeNamesNumPy tests that Parse accepts every name and every character that NumPy accepts,
// with NumPy's meaning, except for documented errors.
func TestTypeNamesNumPy(t *testing.T) {
	p := oracle.Start(t)
	var numpy map[string]string
	err := p.Run(`
import string, warnings
warnings.simplefilter("ignore")
try: names = np.sctypeDict
except AttributeError: names = np.core.sctypeDict
names = {n for n in names if isinstance(n, str)} | set(string.printable.strip())
names |= {o + n for o in "<>=" for n in string.printable.strip()}  # one below 32 is a type number
names |= {t + "[" + n + u + "]" for t in ("datetime64", "timedelta64", "<datetime64") for n in ("", "25") for u in "Y M W D h m s ms us ns ps fs as".split()}
out = {}
for n in names:
    try: out[n] = np.dtype(n).str
    except Exception: out[n] = ""  # a comma is a SyntaxError
`, nil, &numpy)
	if err != nil {
		t.Fatal(err)
	}
	if len(numpy) < 400 {
		t.Fatalf("only %d names", len(numpy))
	}
	for name, want := range numpy {
		d, err := Parse(name)
		if err == nil && name[0] != '>' {
			d = d.WithByteOrder(LittleEndian) // as NumPy's machine is, which need not be this one
		}
		bare := strings.TrimLeft(name, "<>=")
		switch {
		case err == nil && want == "":
			t.Errorf("%q is %v; NumPy has no such name", name, d)
		case err == nil && d.String() != want && bare != "int" && bare != "uint":
			t.Errorf("%q is %v, want %s", name, d, want)
		case err != nil && want != "" && platformTypes[bare] == (platformType{}) && bare != "O":
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
}
