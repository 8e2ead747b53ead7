package objects

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/ndmap/ndmap/dtype"
)

// A decoder executes a pickle. The stack and the memo hold final Go values (nil, bool, int64, *big.Int, float64,
// complex128, string, time.Time, time.Duration, array.Array), nodes, and parts of arrays and times (name, *dtypeNode,
// *time.Location). Nodes become final values at the end, because later opcodes may still change them.
type decoder struct {
	r      reader
	path   string // for errors, as is part
	part   string
	pos    int64 // offset of the next byte
	at     int64 // offset of the current opcode
	frame  int64 // offset of the end of the current frame
	values int   // number of values that may still be created
	bytes  int64 // number of bytes that may still be allocated
	nans   int64 // number of NaNs among the keys
	stack  []any
	marks  []int // lengths of the stack at each MARK
	memo   []any // of type hole where nothing was stored
	buf    [1 << 10]byte
}

// hole is the value of an unused entry of the memo.
type hole struct{}

// The opcodes of protocols 0 to 5, with the names of Python's module pickle.
const (
	opMark           = '('
	opStop           = '.'
	opPop            = '0'
	opPopMark        = '1'
	opDup            = '2'
	opFloat          = 'F'
	opInt            = 'I'
	opBinInt         = 'J'
	opBinInt1        = 'K'
	opLong           = 'L'
	opBinInt2        = 'M'
	opNone           = 'N'
	opPersID         = 'P'
	opBinPersID      = 'Q'
	opReduce         = 'R'
	opString         = 'S'
	opBinString      = 'T'
	opShortBinString = 'U'
	opUnicode        = 'V'
	opBinUnicode     = 'X'
	opAppend         = 'a'
	opBuild          = 'b'
	opGlobal         = 'c'
	opDict           = 'd'
	opEmptyDict      = '}'
	opAppends        = 'e'
	opGet            = 'g'
	opBinGet         = 'h'
	opInst           = 'i'
	opLongBinGet     = 'j'
	opList           = 'l'
	opEmptyList      = ']'
	opObj            = 'o'
	opPut            = 'p'
	opBinPut         = 'q'
	opLongBinPut     = 'r'
	opSetItem        = 's'
	opTuple          = 't'
	opEmptyTuple     = ')'
	opSetItems       = 'u'
	opBinFloat       = 'G'

	// protocol 2
	opProto    = 0x80
	opNewObj   = 0x81
	opExt1     = 0x82
	opExt2     = 0x83
	opExt4     = 0x84
	opTuple1   = 0x85
	opTuple2   = 0x86
	opTuple3   = 0x87
	opNewTrue  = 0x88
	opNewFalse = 0x89
	opLong1    = 0x8a
	opLong4    = 0x8b

	// protocol 3
	opBinBytes      = 'B'
	opShortBinBytes = 'C'

	// protocol 4
	opShortBinUnicode = 0x8c
	opBinUnicode8     = 0x8d
	opBinBytes8       = 0x8e
	opEmptySet        = 0x8f
	opAddItems        = 0x90
	opFrozenSet       = 0x91
	opNewObjEx        = 0x92
	opStackGlobal     = 0x93
	opMemoize         = 0x94
	opFrame           = 0x95

	// protocol 5
	opByteArray8     = 0x96
	opNextBuffer     = 0x97
	opReadOnlyBuffer = 0x98
)

// array executes the pickle of an array that has the given dtype and shape according to its header.
func (d *decoder) array(t dtype.DType, shape []int) (a Array, err error) {
	defer func() {
		if p := recover(); p != nil {
			f, ok := p.(failure)
			if !ok {
				panic(p)
			}
			a, err = Array{}, f.error
		}
	}()
	root, ok := d.run().(*ndarray)
	if !ok || !root.built || root.objects == nil {
		d.failf("the pickle is not an array of Python objects")
	}
	v, _ := d.value(root, 1)
	a = v.(Array)
	if a.DType != t || !slices.Equal(a.Shape, shape) {
		d.failf("the pickle has %s, and the header has %s", shapeAndType(a.Shape, a.DType), shapeAndType(shape, t))
	}
	return a, nil
}

// run executes the opcodes up to STOP, and returns the value on the stack.
func (d *decoder) run() any {
	for {
		d.at = d.pos
		switch op := d.byte(); op {
		case opStop:
			v := d.pop()
			if d.pos < d.frame {
				d.failf("STOP precedes the end of its frame at byte %d", d.frame)
			}
			return v
		case opProto:
			if v := d.byte(); v > 5 {
				d.failf("unknown protocol %d; want 0 to 5", v)
			}
		case opFrame:
			d.startFrame()
		case opMark:
			d.spend(1)
			d.marks = append(d.marks, len(d.stack))
		case opPop:
			if n := len(d.marks); n > 0 && d.marks[n-1] == len(d.stack) {
				d.marks = d.marks[:n-1]
			} else {
				d.pop()
			}
		case opPopMark:
			d.popMark()
		case opDup:
			d.push(d.top())
		case opGet, opBinGet, opLongBinGet:
			d.push(d.recall(d.memoIndex(op)))
		case opPut, opBinPut, opLongBinPut:
			d.store(d.memoIndex(op))
		case opMemoize:
			d.store(uint64(len(d.memo)))
		default:
			if !d.scalar(op) && !d.container(op) && !d.object(op) {
				d.failf("unknown opcode %#02x", op)
			}
		}
	}
}

// scalar executes op if it pushes a value that contains no other values.
func (d *decoder) scalar(op byte) bool {
	switch op {
	case opNone:
		d.push(nil)
	case opNewTrue:
		d.push(true)
	case opNewFalse:
		d.push(false)
	case opInt:
		d.push(d.parseInt())
	case opLong:
		d.push(d.parseLong())
	case opBinInt:
		d.push(int64(int32(d.uint(4))))
	case opBinInt1:
		d.push(int64(d.uint(1)))
	case opBinInt2:
		d.push(int64(d.uint(2)))
	case opLong1:
		d.push(d.long(d.uint(1)))
	case opLong4:
		d.push(d.long(d.uint(4)))
	case opFloat:
		d.push(d.parseFloat())
	case opBinFloat:
		d.push(math.Float64frombits(binary.BigEndian.Uint64(d.small(8))))
	case opString:
		d.push(latin1(d.parseString()))
	case opShortBinString:
		d.push(latin1(d.read(d.uint(1))))
	case opBinString:
		d.push(latin1(d.read(d.uint(4))))
	case opUnicode:
		d.push(d.parseUnicode())
	case opShortBinUnicode:
		d.push(d.text(d.uint(1)))
	case opBinUnicode:
		d.push(d.text(d.uint(4)))
	case opBinUnicode8:
		d.push(d.text(d.uint(8)))
	case opShortBinBytes:
		d.push(&blob{data: d.read(d.uint(1))})
	case opBinBytes:
		d.push(&blob{data: d.read(d.uint(4))})
	case opBinBytes8:
		d.push(&blob{data: d.read(d.uint(8))})
	case opByteArray8:
		d.push(&blob{data: d.read(d.uint(8)), mutable: true})
	default:
		return false
	}
	return true
}

// container executes op if it makes or fills a container.
func (d *decoder) container(op byte) bool {
	switch op {
	case opEmptyTuple:
		d.push(newTuple(nil))
	case opTuple1, opTuple2, opTuple3:
		n := int(op-opTuple1) + 1
		d.push(newTuple(d.popN(n)))
	case opTuple:
		d.push(newTuple(d.popMark()))
	case opEmptyList:
		d.push(newList(nil))
	case opList:
		d.push(newList(d.popMark()))
	case opAppend:
		x := d.popN(1)
		d.topList().append(x)
	case opAppends:
		x := d.popMark()
		d.topList().append(x)
	case opEmptyDict:
		d.push(newDict())
	case opDict:
		x := d.popMark()
		v := newDict()
		d.setItems(v, x)
		d.push(v)
	case opSetItem:
		x := d.popN(2)
		d.setItems(d.topDict(), x)
	case opSetItems:
		x := d.popMark()
		d.setItems(d.topDict(), x)
	case opEmptySet:
		d.push(newSet(false))
	case opAddItems:
		x := d.popMark()
		v, ok := d.top().(*set)
		if !ok || v.frozen {
			d.failf("ADDITEMS to something that is not a set")
		}
		d.addItems(v, x)
	case opFrozenSet:
		x := d.popMark()
		v := newSet(true)
		d.addItems(v, x)
		d.push(v)
	default:
		return false
	}
	return true
}

// object executes op if it names something, or applies it.
func (d *decoder) object(op byte) bool {
	switch op {
	case opGlobal:
		module := string(d.line())
		d.push(d.lookup(module, string(d.line())))
	case opStackGlobal:
		x := d.popN(2)
		module, ok1 := x[0].(string)
		symbol, ok2 := x[1].(string)
		if !ok1 || !ok2 {
			d.failf("STACK_GLOBAL of something that is not text")
		}
		d.push(d.lookup(module, symbol))
	case opReduce:
		x := d.popN(2)
		f, ok1 := x[0].(name)
		args, ok2 := x[1].(*tuple)
		if !ok1 || !ok2 {
			d.failf("REDUCE of something that is not a function and a tuple")
		}
		d.push(d.call(f, args.items))
	case opBuild:
		state := d.pop()
		d.build(d.top(), state)
	case opInst:
		module := string(d.line())
		d.failf("INST of %s: instances are not supported", d.lookup(module, string(d.line())))
	case opObj, opNewObj, opNewObjEx:
		d.failf("instances of classes are not supported")
	case opPersID, opBinPersID:
		d.failf("persistent objects, which are not part of the file, are not supported")
	case opExt1, opExt2, opExt4:
		d.failf("names of the extension registry, which are not part of the file, are not supported")
	case opNextBuffer, opReadOnlyBuffer:
		d.failf("buffers outside of the pickle are not supported")
	default:
		return false
	}
	return true
}

// push pushes a value.
func (d *decoder) push(v any) {
	d.spend(1)
	d.stack = append(d.stack, v)
}

// top returns the last value on the stack.
func (d *decoder) top() any {
	d.need(1)
	return d.stack[len(d.stack)-1]
}

// pop removes the last value from the stack.
func (d *decoder) pop() any { return d.popN(1)[0] }

// popN removes the last n values. They are valid until the next push.
func (d *decoder) popN(n int) []any {
	d.need(n)
	k := len(d.stack) - n
	x := d.stack[k:]
	d.stack = d.stack[:k]
	return x
}

// need ends the decoder unless n values lie above the last MARK.
func (d *decoder) need(n int) {
	bottom := 0
	if k := len(d.marks); k > 0 {
		bottom = d.marks[k-1]
	}
	if len(d.stack)-bottom < n {
		d.failf("the stack has too few values")
	}
}

// popMark removes the last MARK and the values above it. They are valid until the next push.
func (d *decoder) popMark() []any {
	n := len(d.marks)
	if n == 0 {
		d.failf("no MARK")
	}
	k := d.marks[n-1]
	d.marks = d.marks[:n-1]
	x := d.stack[k:]
	d.stack = d.stack[:k]
	return x
}

func (d *decoder) topList() *list {
	v, ok := d.top().(*list)
	if !ok {
		d.failf("APPEND to something that is not a list")
	}
	return v
}

func (d *decoder) topDict() *dict {
	v, ok := d.top().(*dict)
	if !ok {
		d.failf("SETITEM of something that is not a dict")
	}
	return v
}

// memoIndex reads the index of an entry of the memo.
func (d *decoder) memoIndex(op byte) uint64 {
	switch op {
	case opBinGet, opBinPut:
		return d.uint(1)
	case opLongBinGet, opLongBinPut:
		return d.uint(4)
	}
	n, ok := d.parseLong().(int64)
	if !ok || n < 0 {
		d.failf("invalid index of the memo")
	}
	return uint64(n)
}

// recall returns an entry of the memo.
func (d *decoder) recall(i uint64) any {
	if i < uint64(len(d.memo)) {
		if v := d.memo[i]; v != any(hole{}) {
			return v
		}
	}
	panic(d.failure("the memo has no entry %d", i))
}

// store sets an entry of the memo. Python numbers the entries consecutively, so the index cannot be larger than the
// number of bytes before it. A few thousand more are allowed for pickles that were not written by Python.
func (d *decoder) store(i uint64) {
	if i > uint64(d.pos)+1<<12 {
		d.failf("the index %d of the memo is too large", i)
	}
	v := d.top()
	if n := uint64(len(d.memo)); i >= n {
		d.spend(int(min(i-n+1, math.MaxInt32)))
	}
	for uint64(len(d.memo)) <= i {
		d.memo = append(d.memo, hole{})
	}
	d.memo[i] = v
}

// spend counts n values against the limit.
func (d *decoder) spend(n int) {
	if d.values -= n; d.values < 0 {
		d.failf("the pickle has too many values; a larger limit can be set (OpenConfig.MaxValues)")
	}
}

// spendBytes counts n bytes against the limit.
func (d *decoder) spendBytes(n uint64) {
	if n > uint64(d.bytes) {
		d.failf("the pickle has too many bytes, %d more than are left; a larger limit can be set (OpenConfig.MaxBytes)",
			n-uint64(d.bytes))
	}
	d.bytes -= int64(n)
}
