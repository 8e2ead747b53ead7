package dtype

import (
	"strings"
	"testing"
	"unsafe"
)

// item returns a description of the dtype of T, without byte orders, or the error of Of.
func item[T any]() string {
	d, err := Of[T]()
	if err != nil {
		return err.Error()
	}
	return strings.NewReplacer("<", "", ">", "").Replace(describe(d))
}

type Vec struct{ X, Y float32 }

type (
	celsius float64
	flags   uint16

	tagged struct {
		X     float64 `npy:"x"`
		Y     int32   `json:"why"`
		Comma uint8   `npy:"a,b"`
		CJK   uint8   `npy:"整形"`
	}
	aligned struct {
		A int8
		B int64
		C int16
	}
	hidden struct {
		A int8
		_ [3]byte
		_ int32
		C int32 `npy:"-"`
		D int8
		_ struct{ X [2]bool }
	}
	nested struct {
		ID    uint32
		Pos   Vec `npy:"pos"`
		Path  [2]Vec
		Grid  [2][3]Half
		Empty struct{}
		Zero  [0]float64
	}
	embedded struct {
		Vec
		Z float32
	}
)

type dtyped struct {
	TS    int64       `npy:"ts,M8[ns]"`
	Dt    [3]int64    `npy:"dt,m8[25us]"`
	Name  [12]byte    `npy:"name,S12"`
	Names [2][4]uint8 `npy:"a,b,S4"`
	Label [5]uint32   `npy:"label,U5"`
	Rune  uint32      `npy:"rune,U1"`
	Raw   [6]byte     `npy:",V6"`
	Long  [16]byte    `npy:"long,f16"`
	X     float64     `npy:"x,f8"`
	// The text after the comma is not a dtype that fits, so it is part of the name.
	P [12]byte   `npy:"p,S11"`
	Q int64      `npy:"q,M8[parsec]"`
	R float64    `npy:"r,f4"`
	S int32      `npy:"s,M8[s]"`
	T [2]int8    `npy:"t,S2"`
	U [4]uint16  `npy:"u,U2"`
	V [2][2]byte `npy:"v,S4"`
	W Vec        `npy:"w,V8"`
	Y int8       `npy:"y,"`
	Z [0]byte    `npy:"z,S0"`
}

func TestOf(t *testing.T) {
	for _, tt := range []struct{ name, got, want string }{
		{"bool", item[bool](), "|b1"},
		{"int8", item[int8](), "|i1"},
		{"int16", item[int16](), "i2"},
		{"int32", item[int32](), "i4"},
		{"int64", item[int64](), "i8"},
		{"int", item[int](), map[uintptr]string{4: "i4", 8: "i8"}[unsafe.Sizeof(0)]},
		{"uint8", item[uint8](), "|u1"},
		{"uint16", item[uint16](), "u2"},
		{"uint32", item[uint32](), "u4"},
		{"uint64", item[uint64](), "u8"},
		{"uint", item[uint](), map[uintptr]string{4: "u4", 8: "u8"}[unsafe.Sizeof(0)]},
		{"Half", item[Half](), "f2"},
		{"float32", item[float32](), "f4"},
		{"float64", item[float64](), "f8"},
		{"complex64", item[complex64](), "c8"},
		{"complex128", item[complex128](), "c16"},
		{"named float", item[celsius](), "f8"},
		{"named uint16, which is no Half", item[flags](), "u2"},

		{"array", item[[4]byte](), "[4]|u1"},
		{"array of arrays", item[[2][3]float32](), "[2 3]f4"},
		{"empty array", item[[0]float64](), "[0]f8"},
		{"array of empty arrays", item[[2][0]float64](), "[2 0]f8"},
		{"array of structs", item[[2]Vec](), "[2]{0 X f4; 4 Y f4; 8}"},
		{"array of empty structs", item[[2]struct{}](), "[2]{0}"},

		{"struct", item[Vec](), "{0 X f4; 4 Y f4; 8}"},
		{"empty struct", item[struct{}](), "{0}"},
		{"tags", item[tagged](), "{0 x f8; 8 Y i4; 12 a,b |u1; 13 整形 |u1; 16}"},
		{"dtypes in tags", item[dtyped](),
			"{0 ts M8[ns]; 8 dt [3]m8[25us]; 32 name |S12; 44 a,b [2]|S4; 52 label U5; 72 rune U1; 76 Raw |V6; 82 long f16; " +
				map[uintptr]string{4: "100 x f8; 108 p,S11 [12]|u1; 120 q,M8[parsec] i8; 128 r,f4 f8; 136 s,M8[s] i4; 140 t,S2 [2]|i1; 142 u,U2 [4]u2; 150 v,S4 [2 2]|u1; 156 w,V8 {0 X f4; 4 Y f4; 8}; 164 y, |i1; 165 z,S0 [0]|u1; 168}", 8: "104 x f8; 112 p,S11 [12]|u1; 128 q,M8[parsec] i8; 136 r,f4 f8; 144 s,M8[s] i4; 148 t,S2 [2]|i1; 150 u,U2 [4]u2; 158 v,S4 [2 2]|u1; 164 w,V8 {0 X f4; 4 Y f4; 8}; 172 y, |i1; 173 z,S0 [0]|u1; 176}"}[unsafe.Alignof(0.0)]},
		{"names of dtypes in tags", item[struct {
			B int8  `npy:"a,b"`
			C int32 `npy:"c,int32"`
		}](), "{0 a,b |i1; 4 c,int32 i4; 8}"},
		{"a byte order in a tag", item[struct {
			A int32 `npy:"a,>i4"`
			B int32 `npy:"b,<i4"`
		}](), map[ByteOrder]string{
			LittleEndian: "dtype: field A: Go values are in the byte order of the machine, but the tag requires >i4; remove the byte order from the tag",
			BigEndian:    "dtype: field B: Go values are in the byte order of the machine, but the tag requires <i4; remove the byte order from the tag",
		}[Native]},
		{"alignment", item[aligned](), map[uintptr]string{4: "{0 A |i1; 4 B i8; 12 C i2; 16}",
			8: "{0 A |i1; 8 B i8; 16 C i2; 24}"}[unsafe.Alignof(int64(0))]},
		{"padding by name and tag", item[hidden](), "{0 A |i1; 12 D |i1; 16}"},
		{"embedded", item[embedded](), "{0 Vec {0 X f4; 4 Y f4; 8}; 8 Z f4; 12}"},
		// Go adds bytes after a last field of size 0, so that its address lies within the struct.
		{"nested", item[nested](),
			"{0 ID u4; 4 pos {0 X f4; 4 Y f4; 8}; 12 Path [2]{0 X f4; 4 Y f4; 8}; 28 Grid [2 3]f2; 40 Empty {0}; 40 Zero [0]f8; " +
				map[uintptr]string{4: "44}", 8: "48}"}[unsafe.Alignof(0.0)]},

		{"string", item[string](), "dtype: Go type string has no dtype; want numbers, bool, arrays and structs of them"},
		{"slice", item[[]byte](), "dtype: Go type []uint8 has no dtype; want numbers, bool, arrays and structs of them"},
		{"interface", item[any](),
			"dtype: Go type interface {} has no dtype; want numbers, bool, arrays and structs of them"},
		{"pointer", item[*int](), "dtype: Go type *int has no dtype; want numbers, bool, arrays and structs of them"},
		{"uintptr", item[uintptr](), "dtype: Go type uintptr has no dtype; want numbers, bool, arrays and structs of them"},
		{"array of pointers", item[[2]*int](),
			"dtype: Go type *int has no dtype; want numbers, bool, arrays and structs of them"},
		{"field", item[struct{ A *int }](),
			"dtype: field A: Go type *int has no dtype; want numbers, bool, arrays and structs of them"},
		{"field in a field", item[struct {
			A struct{ B [2]struct{ C string } }
		}](), "dtype: field A.B.C: Go type string has no dtype; want numbers, bool, arrays and structs of them"},
		{"padding with a pointer", item[struct{ _ func() }](),
			"dtype: field _: Go type func() has no dtype; want numbers, bool, arrays and structs of them"},
		{"left out, with a pointer", item[struct {
			A map[int]int `npy:"-"`
		}](), "dtype: field A: Go type map[int]int has no dtype; want numbers, bool, arrays and structs of them"},
		{"no capitals", item[struct {
			_    int32
			a, b float64
		}](),
			"dtype: field a: Go type struct { _ int32; a float64; b float64 } has no exported field; names that start with a capital letter are exported"},
		{"nothing but padding", item[struct{ _ int32 }](), "{4}"},
		{"two of a name", item[struct {
			A int8
			B int8 `npy:"A"`
		}](), `dtype: field "A" has the name or title of another field`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.got != tt.want {
				t.Errorf("%s:\n got %s\nwant %s", tt.name, tt.got, tt.want)
			}
		})
	}
}

// TestOfOffsets compares the offsets of fields that Of returns with the offsets in Go.
func TestOfOffsets(t *testing.T) {
	d := must(Of[nested]())
	var n nested
	for name, offset := range map[string]uintptr{
		"ID": unsafe.Offsetof(n.ID), "pos": unsafe.Offsetof(n.Pos), "Path": unsafe.Offsetof(n.Path),
		"Grid": unsafe.Offsetof(n.Grid), "Zero": unsafe.Offsetof(n.Zero),
	} {
		t.Run(name, func(t *testing.T) {
			if f, ok := d.Field(name); !ok || uintptr(f.Offset) != offset {
				t.Errorf("field %s is %+v, want offset %d", name, f, offset)
			}
		})
	}
	if uintptr(d.ItemSize()) != unsafe.Sizeof(n) || !d.IsNative() {
		t.Errorf("%v", d)
	}
}
