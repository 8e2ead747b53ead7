package main

import (
	"os"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestAs tests the flag -as.
func TestAs(t *testing.T) {
	t.Chdir(t.TempDir())
	native, err := array.FromSlice([]dtype.BF16{0x3FC0, 0xC000, 0x7F80, 0x7FC0}) // 1.5, -2, inf, nan
	check(t, err)
	check(t, array.SaveConfig{NoSync: true}.Save("native.npy", native.Array()))
	weights, err := native.Array().AsType(dtype.BFloat16.WithByteOrder(dtype.LittleEndian), index.C)
	check(t, err)
	raw, err := weights.Reinterpret(dtype.MustParse("V2"))
	check(t, err)
	floats, err := array.FromSlice([]float32{0.25})
	check(t, err)
	check(t, npz.SaveConfig{NoSync: true}.Save("m.npz", map[string]array.Array{"w": raw, "x": floats.Array()}))
	check(t, npz.SaveConfig{NoSync: true}.Save("w.npz", map[string]array.Array{"w": raw}))
	check(t, array.SaveConfig{NoSync: true}.Save("w.npy", weights))
	const want = `$ npy print w.npy
[b'\xC0\x3F' b'\x00\xC0' b'\x80\x7F' b'\xC0\x7F']
$ npy print -as '<bfloat16' w.npy
[ 1.5 -2.   inf  nan]
$ npy print -as bfloat16 native.npy
[ 1.5 -2.   inf  nan]
$ npy print -as '<bfloat16' -select ':2' m.npz:w
[ 1.5 -2. ]
$ npy head -n 1 -as '<bfloat16' w.npy
[1.5]
$ npy print -json -as uint8 -select 0 w.npy
192
$ npy print -as '<i4' w.npy
[-1073725504  2143321984]
$ npy reduce -op min -as '<bfloat16' -select ':2' w.npy
-2.0
$ npy set -as '<bfloat16' -select 1 w.npy 0.5
$ npy print -as '<bfloat16' w.npy
[1.5 0.5 inf nan]
$ npy convert -as '<bfloat16' -dtype f4 w.npy f.npy
$ npy print f.npy
[1.5 0.5 inf nan]
$ npy convert -as '<bfloat16' m.npz m.safetensors
$ npy ls m.safetensors
name  dtype      shape  bytes
x     <f4        (1,)       4
w     <bfloat16  (4,)       8
$ npy stats w.npy
! npy: w.npy: dtype |V2 is not numeric; npy print shows the elements, and -as bfloat16 reads them if ml_dtypes wrote them
= 1
$ npy print -as V3 w.npy
! npy: w.npy: shape mismatch: a last axis of 4 elements of size 2 is not a whole number of elements of size 3
= 1
`
	if got := session(t, want); littleEndian(got) != littleEndian(want) {
		t.Errorf("got\n%s", got)
	}
}

// TestAsNumPy tests that -as reads bfloat16 of files of ml_dtypes, whose descr is '<V2'.
func TestAsNumPy(t *testing.T) {
	t.Chdir(t.TempDir())
	dir, err := os.Getwd()
	check(t, err)
	python := oracle.Start(t)
	check(t, python.Run(`
import os
os.chdir(x)
bits = np.random.default_rng(61).integers(0, 1 << 16, 1000).astype("<u2")
with open("w.npy", "wb") as f:
    np.lib.format.write_array_header_1_0(f, {"descr": "<V2", "fortran_order": False, "shape": (10, 100)})
    f.write(bits.tobytes())`, dir, nil))
	if _, errs, status := runTool("convert", "-as", "<bfloat16", "-dtype", "<f4", "w.npy", "f.npy"); status != 0 {
		t.Fatal(errs)
	}
	var out struct{ Equal bool }
	check(t, python.Run(`
want, have = (bits.astype("<u4") << 16).view("<f4").reshape(10, 100), np.load("f.npy")
out = {"Equal": bool(np.array_equal(want, have, equal_nan=True) and (np.signbit(want) == np.signbit(have)).all())}`,
		nil, &out))
	if !out.Equal {
		t.Error("the elements differ from NumPy's")
	}
}
