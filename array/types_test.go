package array

// Several tests share the record types below. Each type argument of View takes about 0.3 s of CPU time to compile: use
// one of these types in a new test if possible.

// A paddedPair contains padding in Go, and none in a packed file.
type paddedPair struct {
	A uint8 `npy:"a"`
	B int32 `npy:"b"`
}

// A flaggedRecord contains padding and a bool, so that it is decoded in every byte order.
type flaggedRecord struct {
	A bool `npy:"a"`
	_ [3]byte
	B int32 `npy:"b"`
}

// A trade contains fields of different sizes, one of them a sub-array.
type trade struct {
	TS    int64      `npy:"ts,M8[ns]"`
	ID    uint32     `npy:"id"`
	Side  int8       `npy:"side"`
	Price [2]float32 `npy:"price"` // bid and ask
	Size  int32      `npy:"size"`
}

// An event contains bytes and text.
type event struct {
	TS    int64     `npy:"ts,M8[ns]"`
	Name  [12]byte  `npy:"name,S12"`
	Label [5]uint32 `npy:"label,U5"`
	X     float32   `npy:"x"`
	On    uint8     `npy:"on"`
	_     [3]byte
}

type vec3 struct {
	X, Y, Z float32
}

// A particle contains a nested structure, and numbers and bytes in sub-arrays.
type particle struct {
	ID   int32 `npy:"id"`
	Pos  vec3  `npy:"pos"`
	Mass float64
	Tag  [4]byte   `npy:"tag"`
	Name [2]uint32 `npy:"name"`
	_    [4]byte
	At   int64       `npy:"at"`
	M    [2][2]int16 `npy:"m"`
}

const particleDescr = `[('id', '<i4'), ('pos', [('X', '<f4'), ('Y', '<f4'), ('Z', '<f4')]), ('Mass', '<f8'), ('tag', '|S4'), ('', '|V0'), ('name', '<U2'), ('', '|V4'), ('at', '<M8[s]'), ('m', '<i2', (2, 2))]`

// A largeRecord is larger than a block of elements in memory.
type largeRecord struct {
	N int16 `npy:"n"`
	B [64<<10 + 6]byte
}
