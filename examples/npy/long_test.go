package main

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// TestLongDoubles tests the commands on long doubles of x86.
func TestLongDoubles(t *testing.T) {
	t.Chdir(t.TempDir())
	var b []byte
	for _, x := range []struct {
		significand uint64
		top         uint16
	}{{3 << 62, 0x3FFF}, {1 << 63, 0xC000}, {1 << 63, 0x7000}, {1 << 63, 0x7FFF}} { // 1.5, -2, 2**12289, infinity
		b = binary.LittleEndian.AppendUint64(b, x.significand)
		b = append(binary.LittleEndian.AppendUint16(b, x.top), 1, 2, 3, 4, 5, 6)
	}
	for name, d := range map[string]string{"l.npy": "<f16", "c.npy": "<c32", "big.npy": ">f16"} {
		d := dtype.MustParse(d)
		a, err := array.FromBytes(b, d, index.C, len(b)/d.ItemSize())
		check(t, err)
		check(t, array.SaveConfig{NoSync: true}.Save(name, a))
	}
	const want = `$ npy convert -dtype f8 l.npy f8.npy
! npy: f8.npy: warning: 1 of 4 elements did not fit dtype <f8; -strict makes this an error
$ npy print f8.npy
[ 1.5 -2.   inf  inf]
$ npy convert -strict -dtype f8 -select :2 l.npy two.npy
$ npy print two.npy
[ 1.5 -2. ]
$ npy convert -strict -dtype f8 l.npy strict.npy
! npy: l.npy: 1 of 4 elements do not fit dtype <f8
= 1
$ npy convert -strict -dtype '>c16' c.npy strict.npy
! npy: c.npy: 1 of 2 elements do not fit dtype >c16
= 1
$ npy convert -dtype c16 c.npy c16.npy
! npy: c16.npy: warning: 1 of 2 elements did not fit dtype <c16; -strict makes this an error
$ npy print c16.npy
[1.5 -2.j inf+infj]
$ npy convert -dtype f4 l.npy f4.npy
! npy: l.npy: cannot convert dtype <f16 to <f4: long doubles convert only to float64, and complex ones to complex128
= 1
$ npy convert -dtype f8 big.npy f4.npy
! npy: big.npy: cannot convert dtype >f16 to <f8: big-endian long doubles have several formats, and a dtype does not say which
= 1
$ npy reduce -op sum l.npy
! npy: l.npy: cannot reduce long doubles; npy convert -dtype f8 (or c16) converts them: have dtype <f16
= 1
$ npy diff l.npy f8.npy
a             l.npy
b             f8.npy
dtype         <f16, <f8
shape         (4,)
elements      cannot compare long doubles; npy convert -dtype f8 (or c16) converts them
= 1
`
	if got := session(t, want); littleEndian(got) != littleEndian(want) {
		t.Errorf("got\n%s", got)
	}
	for args, want := range map[string]string{
		"stats -json -select :2 l.npy": `"min":-2.0,"max":1.5,"mean":-0.25,`,
		"stats -json -select :1 c.npy": `"min":2.5,"max":2.5,`,
		"info l.npy":                   "take them as those of x86",
	} {
		if out, errs, _ := runTool(strings.Fields(args)...); !strings.Contains(out, want) {
			t.Errorf("npy %s prints %s%s, want %s", args, out, errs, want)
		}
	}
}
