package examples

// A program describes how TestHostile runs an example or a program in a document. Each run has a directory of its own.
type program struct {
	args    string // arguments; IN and OUT stand for files
	kind    string // kind of IN: npy, npz, raw, records, or none
	in      string // name of IN, if it is not in.npy
	outs    string // names of the output files
	shape   []int  // shape of a typical IN, with dtype
	dtype   string
	judge   string // function of hostile.py that checks the result
	prints  bool   // the result is printed
	edits   bool   // IN is edited in place
	grows   bool   // after a failure, the output may remain with fewer rows
	serves  string // path to request, if the program is an HTTP server
	follows bool   // the program runs until a signal ends it
	own     bool   // the program is a module of its own, which only the long form builds
	usage   string // invalid arguments
	prefix  string // prefix of the program's error messages, if it differs from the name
	tested  string // the test that runs it instead of TestHostile
	seen    []kind // inputs with which the program failed in the past
}

var (
	rows4  = []int{60_000, 4}
	square = []int{400, 700}
)

// programs is the table of all programs. TestHostile fails if a program is missing, so that every new example is
// tested.
var programs = map[string]program{
	"anonymous": {args: "IN", kind: "npy", shape: square, dtype: "f8",
		judge: "anonymous", prints: true, usage: "x y"},
	"archive": {args: "IN a", kind: "npz", in: "in.npz", shape: square, dtype: "f8",
		judge: "archive", prints: true, edits: true},
	"convert": {args: "IN OUT", kind: "npy", outs: "out.npy", shape: square, dtype: ">f8", judge: "convert"},
	"dates":   {args: "2001-01-01 IN", kind: "dates", shape: []int{50_000}, judge: "dates", prints: true},
	"stats":   {args: "IN", kind: "npy", shape: square, dtype: "f8", judge: "stats", prints: true},
	"text": {args: "IN OUT", kind: "text", in: "in.txt", outs: "out.npy", shape: square,
		judge: "text", prints: true},
	"beam": {args: "-op mean -axis 0 -out OUT IN", kind: "npy", outs: "out.npy", shape: rows4, dtype: "f8",
		judge: "beam", own: true, prefix: "npybeam"},
	"cgo": {args: "IN", kind: "npy", shape: []int{1000, 2000}, dtype: "f8",
		judge: "cgo", prints: true, edits: true},
	"edit": {args: "IN", kind: "npy", shape: square, dtype: "f8", judge: "edit", prints: true, edits: true},
	"follow": {args: "IN", kind: "npy", shape: []int{6000, 3}, dtype: "f8",
		judge: "follow", prints: true, follows: true,
		seen: []kind{{[]int{}, "<f8", "small"}, {[]int{0, 3}, "<f8", "small"}}},
	"gonum": {args: "IN", kind: "npy", shape: rows4, dtype: "f8", judge: "gonum", prints: true, own: true},
	"guard": {args: "ADDRESS IN", kind: "npy", shape: []int{3, 200_000}, dtype: "f8", serves: "/2"},
	"huge":  {args: "OUT", outs: "out.npy", judge: "huge", prints: true},
	"mean":  {args: "IN OUT", kind: "npy", outs: "out.npy", shape: square, dtype: "f8", judge: "mean"},
	"npy": {args: "reduce -op mean -axis 0 IN OUT", kind: "npy", outs: "out.npy", shape: square, dtype: "f8",
		judge: "mean", usage: "reduce"},
	"npz": {args: "a 2.5 IN OUT", kind: "npz", in: "in.npz", outs: "out.npz", shape: square, dtype: "f8",
		judge: "npz",
		seen:  []kind{{[]int{20}, "<i4", "time"}}},
	"parallel": {args: "IN OUT", kind: "npy", outs: "out.npy", shape: square, dtype: "f8", judge: "parallel",
		seen: []kind{{[]int{4, 5}, "<f8", "time"}, {[]int{4, 5}, "<f8", "large"}}},
	"raw": {args: "IN 16 4 5", kind: "raw", in: "in.bin", shape: []int{1500, 4, 5}, judge: "raw", prints: true},
	"records": {args: "2 IN OUT", kind: "records", outs: "out.npy", shape: []int{50_000}, judge: "records_",
		seen: []kind{{[]int{}, "", "small"}, {[]int{4, 5}, "", "small"}, {[]int{20, 2}, "", "small"}}},
	"reload": {args: "ADDRESS IN", kind: "npy", shape: square, dtype: "f8", serves: "/"},
	"share": {args: "add IN 3000", kind: "npy", shape: []int{2}, dtype: "i8", judge: "share", edits: true,
		seen: []kind{{[]int{1}, "<i8", "small"}, {[]int{0, 3}, "<i8", "small"}}},
	"sine":    {args: "OUT", outs: "out.npy", judge: "sine"},
	"sum":     {args: "IN", kind: "npy", shape: square, dtype: "f8", judge: "sum_", prints: true},
	"view":    {tested: "make test-view"},
	"search":  {args: "IN 1", kind: "npy", shape: square, dtype: "f2", judge: "search", prints: true},
	"arrow":   {args: "IN", kind: "npy", shape: rows4, dtype: "f8", judge: "arrow", prints: true, own: true},
	"parquet": {args: "IN OUT", kind: "records", outs: "out.parquet", shape: []int{50_000}, judge: "parquet", own: true},

	"README.md-1": {kind: "npy", in: "t.npy", shape: rows4, dtype: "f8", judge: "readme1", prints: true, edits: true,
		seen: []kind{{[]int{20, 2}, "<f8", "small"}}},
	"array/FAQ.md-1": {kind: "npy", in: "t.npy", shape: rows4, dtype: "f8", judge: "faq1", prints: true,
		seen: []kind{{[]int{}, "<f8", "small"}, {[]int{20, 2}, "<f8", "small"}}},
	"array/LIFETIME.md-1": {outs: "shared.npy", judge: "nothing", prints: true},
	"array/README.md-1":   {judge: "nothing", prints: true},
	"array/README.md-2": {kind: "npy", in: "stack.npy", outs: "mean.npy std.npy", shape: []int{2, 512, 512}, dtype: "u2",
		judge: "array2", prints: true,
		seen: []kind{{[]int{2, 3, 4}, "<u2", "small"}, {[]int{0, 3}, "<u2", "small"}}},
	"array/README.md-3": {judge: "nothing", prints: true},
	"array/README.md-4": {kind: "raw", in: "samples.bin", shape: []int{50_000, 3},
		judge: "array4", prints: true, edits: true, seen: []kind{{[]int{1}, "", "small"}}},
	"array/README.md-5": {kind: "npy", in: "t.npy", shape: square, dtype: "f8",
		judge: "array5", prints: true, edits: true},
	"array/README.md-6": {kind: "npy", in: "t.npy", shape: []int{50, 8000}, dtype: "f8",
		judge: "array6", prints: true, seen: []kind{{[]int{}, "<f8", "small"}}},
	"array/README.md-7": {kind: "npy", in: "images.npy", shape: []int{100, 32, 32, 3}, dtype: "u1",
		judge: "array7", prints: true, seen: []kind{{[]int{}, "<f8", "small"}, {[]int{0, 3}, "<f8", "small"}}},
	"array/README.md-8": {outs: "log.npy", judge: "array8", grows: true},
	"array/README.md-9": {kind: "npy", in: "log.npy", shape: []int{10, 3}, dtype: "f8",
		judge: "nothing", follows: true, seen: []kind{{[]int{}, "<f8", "small"}}},
	"array/README.md-10":    {outs: "squares.npy", judge: "array10"},
	"array/npz/README.md-1": {kind: "npz", in: "model.npz", shape: square, dtype: "f8", judge: "npz1", edits: true},
	"array/safetensors/README.md-1": {kind: "safetensors", in: "model.safetensors", shape: square, dtype: "f8",
		judge: "safetensors1", prints: true},
}
