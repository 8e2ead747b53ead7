package objects

import (
	"fmt"
	"math"
	"time"
)

// A name is a class or a function that a pickle may name.
type name string

const (
	bytesName       name = "bytes"
	bytearrayName   name = "bytearray"
	complexName     name = "complex"
	setName         name = "set"
	frozensetName   name = "frozenset"
	orderedDictName name = "collections.OrderedDict"
	encodeName      name = "_codecs.encode"
	datetimeName    name = "datetime.datetime"
	dateName        name = "datetime.date"
	timedeltaName   name = "datetime.timedelta"
	timezoneName    name = "datetime.timezone"
	ndarrayName     name = "numpy.ndarray"
	dtypeName       name = "numpy.dtype"
	reconstructName name = "numpy.core.multiarray._reconstruct"
	scalarName      name = "numpy.core.multiarray.scalar"
	frombufferName  name = "numpy.core.numeric._frombuffer"
)

// names lists everything that a pickle may name, by module and name. Python 2 and 3, and NumPy 1 and 2, have different
// names for some modules.
var names = map[[2]string]name{
	{"builtins", "bytes"}:     bytesName,
	{"builtins", "bytearray"}: bytearrayName,
	{"builtins", "complex"}:   complexName,
	{"builtins", "set"}:       setName,
	{"builtins", "frozenset"}: frozensetName,

	{"__builtin__", "bytes"}:     bytesName,
	{"__builtin__", "bytearray"}: bytearrayName,
	{"__builtin__", "complex"}:   complexName,
	{"__builtin__", "set"}:       setName,
	{"__builtin__", "frozenset"}: frozensetName,

	{"collections", "OrderedDict"}: orderedDictName,
	{"_codecs", "encode"}:          encodeName,

	{"datetime", "datetime"}:  datetimeName,
	{"datetime", "date"}:      dateName,
	{"datetime", "timedelta"}: timedeltaName,
	{"datetime", "timezone"}:  timezoneName,

	{"numpy", "ndarray"}: ndarrayName,
	{"numpy", "dtype"}:   dtypeName,

	{"numpy.core.multiarray", "_reconstruct"}:  reconstructName,
	{"numpy._core.multiarray", "_reconstruct"}: reconstructName,
	{"numpy.core.multiarray", "scalar"}:        scalarName,
	{"numpy._core.multiarray", "scalar"}:       scalarName,
	{"numpy.core.numeric", "_frombuffer"}:      frombufferName,
	{"numpy._core.numeric", "_frombuffer"}:     frombufferName,
}

// lookup returns the name of a class or a function. It ends the decoder if names does not list it.
func (d *decoder) lookup(module, symbol string) name {
	n, ok := names[[2]string{module, symbol}]
	if !ok {
		d.failName(module + "." + symbol)
	}
	return n
}

// call returns what Python's f(*args) returns.
func (d *decoder) call(f name, args []any) any {
	var v any
	ok := false
	switch f {
	case bytesName:
		v, ok = &blob{data: []byte{}}, len(args) == 0
	case bytearrayName:
		v, ok = d.bytearray(args)
	case complexName:
		v, ok = newComplex(args)
	case setName, frozensetName:
		v, ok = d.set(args, f == frozensetName)
	case orderedDictName:
		v, ok = d.orderedDict(args)
	case encodeName:
		v, ok = d.encode(args)
	case datetimeName:
		v, ok = newDatetime(args)
	case dateName:
		v, ok = newDate(args)
	case timedeltaName:
		v, ok = newTimedelta(args)
	case timezoneName:
		v, ok = newTimezone(args)
	case dtypeName:
		v, ok = newDType(args)
	case reconstructName:
		v, ok = reconstruct(args)
	case scalarName:
		v, ok = d.scalarOf(args)
	case frombufferName:
		v, ok = d.frombuffer(args)
	}
	if !ok {
		d.failf("%s has invalid arguments%s", f, fault(v))
	}
	return v
}

// fault returns the end of a message about invalid arguments if v is an error.
func fault(v any) string {
	if err, ok := v.(error); ok {
		return fmt.Sprintf(": %v", err)
	}
	return ""
}

// encode returns the bytes of text in Latin-1. Protocols 0 to 2 store bytes as _codecs.encode(text, 'latin1').
func (d *decoder) encode(args []any) (any, bool) {
	if len(args) != 2 || args[1] != any("latin1") && args[1] != any("latin-1") {
		return nil, false
	}
	b, ok := d.bytesOf(args[0])
	if _, isText := args[0].(string); !ok || !isText {
		return nil, false
	}
	return &blob{data: b}, true
}

// bytesOf returns the bytes of x, and reports whether x has any. A string is encoded in Latin-1, because Python 2 has
// stored bytes as strings. The caller may change the bytes.
func (d *decoder) bytesOf(x any) ([]byte, bool) {
	switch x := x.(type) {
	case *blob:
		return x.take(d), true
	case string:
		d.spendBytes(uint64(len(x)))
		b := make([]byte, 0, len(x))
		for _, r := range x {
			if r > 0xFF {
				return nil, false
			}
			b = append(b, byte(r))
		}
		return b, true
	}
	return nil, false
}

// bytearray returns the result of bytearray(), bytearray(b) or bytearray(text, 'latin-1').
func (d *decoder) bytearray(args []any) (any, bool) {
	switch len(args) {
	case 0:
		return &blob{data: []byte{}, mutable: true}, true
	case 1:
		from, ok := args[0].(*blob)
		if !ok {
			return nil, false
		}
		return &blob{data: from.take(d), mutable: true}, true
	}
	v, ok := d.encode(args)
	if ok {
		v.(*blob).mutable = true
	}
	return v, ok
}

// newComplex returns the result of complex(re, im).
func newComplex(args []any) (any, bool) {
	if len(args) != 2 {
		return nil, false
	}
	re, ok1 := args[0].(float64)
	im, ok2 := args[1].(float64)
	return complex(re, im), ok1 && ok2
}

// itemsOf returns the items of a list or a tuple.
func itemsOf(x any) ([]any, bool) {
	switch x := x.(type) {
	case *list:
		return x.items, true
	case *tuple:
		return x.items, true
	}
	return nil, false
}

// set returns the result of set(), set(list), frozenset() or frozenset(list).
func (d *decoder) set(args []any, frozen bool) (any, bool) {
	v := newSet(frozen)
	switch len(args) {
	case 0:
		return v, true
	case 1:
		items, ok := itemsOf(args[0])
		d.spend(len(items))
		d.addItems(v, items)
		return v, ok
	}
	return nil, false
}

// orderedDict returns the result of OrderedDict() or OrderedDict(list of pairs).
func (d *decoder) orderedDict(args []any) (any, bool) {
	v := newDict()
	switch len(args) {
	case 0:
		return v, true
	case 1:
		pairs, ok := itemsOf(args[0])
		d.spend(len(pairs))
		for _, p := range pairs {
			pair, isPair := itemsOf(p)
			if !isPair || len(pair) != 2 {
				return nil, false
			}
			d.setItems(v, pair)
		}
		return v, ok
	}
	return nil, false
}

// newDatetime returns the result of datetime(state) or datetime(state, tzinfo). The state consists of year, month, day,
// hour, minute, second and microseconds, as big-endian integers of 2, 1, 1, 1, 1, 1 and 3 bytes. The highest bit of the
// month tells the first of two equal local times from the second; it is dropped.
func newDatetime(args []any) (any, bool) {
	loc := Naive
	if len(args) == 2 {
		var ok bool
		if loc, ok = args[1].(*time.Location); !ok {
			return nil, false
		}
	} else if len(args) != 1 {
		return nil, false
	}
	b, ok := state(args[0], 10)
	if !ok {
		return nil, false
	}
	micro := int(b[7])<<16 | int(b[8])<<8 | int(b[9])
	if b[4] >= 24 || b[5] >= 60 || b[6] >= 60 || micro >= 1e6 {
		return nil, false
	}
	day, ok := newDay(int(b[0])<<8|int(b[1]), int(b[2]&^0x80), int(b[3]), loc)
	clock := time.Duration(b[4])*time.Hour + time.Duration(b[5])*time.Minute + time.Duration(b[6])*time.Second +
		time.Duration(micro)*time.Microsecond
	return day.Add(clock), ok
}

// newDate returns the result of date(state). The state consists of year, month and day.
func newDate(args []any) (any, bool) {
	if len(args) != 1 {
		return nil, false
	}
	b, ok := state(args[0], 4)
	if !ok {
		return nil, false
	}
	return newDay(int(b[0])<<8|int(b[1]), int(b[2]), int(b[3]), Date)
}

// state returns the n bytes of x, or reports that x is something else.
func state(x any, n int) ([]byte, bool) {
	var b []byte
	switch x := x.(type) {
	case *blob:
		b = x.data
	case string: // of Python 2
		for _, r := range x {
			if r > 0xFF || len(b) == n {
				return nil, false
			}
			b = append(b, byte(r))
		}
	}
	return b, len(b) == n
}

// newDay returns midnight of a day. ok is false if the calendar does not have the day, or if the year is not a year of
// Python, 1 to 9999.
func newDay(year, month, day int, loc *time.Location) (t time.Time, ok bool) {
	t = time.Date(year, time.Month(month), day, 0, 0, 0, 0, loc)
	y, m, d := t.Date()
	return t, y == year && int(m) == month && d == day && 1 <= year && year <= 9999
}

// newTimedelta returns the result of timedelta(days, seconds, microseconds).
func newTimedelta(args []any) (any, bool) {
	n, ok := intsOf(args)
	if !ok || len(n) != 3 || n[1] < 0 || n[1] >= 24*60*60 || n[2] < 0 || n[2] >= 1e6 {
		return nil, false
	}
	const (
		day  = int64(24 * time.Hour / time.Microsecond)
		most = math.MaxInt64 / 1000 // microseconds that a time.Duration covers
	)
	days := min(max(n[0], -most/day-2), most/day+2) // so that the product does not overflow
	micros := days*day + n[1]*1e6 + n[2]
	if micros < -most || micros > most {
		return fmt.Errorf("%d days are more than a time.Duration covers, which is 292 years", n[0]), false
	}
	return time.Duration(micros) * time.Microsecond, true
}

// newTimezone returns the result of timezone(offset) or timezone(offset, name).
func newTimezone(args []any) (any, bool) {
	if len(args) != 1 && len(args) != 2 {
		return nil, false
	}
	offset, ok := args[0].(time.Duration)
	if !ok || offset <= -24*time.Hour || offset >= 24*time.Hour || offset%time.Second != 0 {
		return nil, false
	}
	if len(args) == 2 {
		zone, ok := args[1].(string)
		return time.FixedZone(zone, int(offset/time.Second)), ok
	}
	if offset == 0 {
		return time.UTC, true
	}
	return time.FixedZone("", int(offset/time.Second)), true
}

// intsOf returns items as integers, or reports that some item is not one.
func intsOf(items []any) ([]int64, bool) {
	n := make([]int64, len(items))
	for i, x := range items {
		var ok bool
		if n[i], ok = x.(int64); !ok {
			return nil, false
		}
	}
	return n, true
}
