package objects

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/pylit"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// randomValues is a Python program. drawn(seed) returns a random array of objects, describe(v) a text that has every
// bit of a value, and file(a, protocol) the array as a .npy file.
const randomValues = `
import collections, datetime, hashlib, io, pickle, struct

def text(r):
    return r.choice(["", "a", "lr", "é", "名前", "\U0001d6fc", "it's", 'say "x"', "both ' and \"", "\\", "tab\t", "line\n",
                     "\r\x00\x1a\x7f\x80\xff", "\\u0041", "x" * 300, "%d" % r.randrange(50)])

def raw(r):
    return r.choice([b"", b"ab", bytes(range(256)), bytes(r.randrange(256) for _ in range(r.randrange(300))), b"\\x41'"])

def number(r):
    return r.choice([0, 1, -1, 255, 256, 65535, 65536, 2**31 - 1, -2**31, 2**31, 2**63 - 1, -2**63, 2**63, -2**63 - 1,
                     r.getrandbits(100), -r.getrandbits(2200), r.getrandbits(13000)])

def real(r):
    return r.choice([0.0, -0.0, 0.1, 1e300, 5e-324, 1e16, 123456.0, 1e-5, float("nan"), float("inf"), float("-inf"), r.random()])

def moment(r):
    t = datetime.datetime(1, 1, 1) + datetime.timedelta(r.randrange(3652058), r.randrange(86400), r.choice([0, 1, 999999]))
    zone = datetime.timezone(datetime.timedelta(seconds=r.randrange(-86399, 86400)), *r.choice([(), ("CET",)]))
    return r.choice([t, t.date(), t.replace(tzinfo=datetime.timezone.utc), t.replace(tzinfo=zone),
                     datetime.timedelta(r.randrange(-106000, 106000), r.randrange(86400), r.randrange(10**6)),
                     datetime.timedelta(r.randrange(-1, 2))])

def generic(r):
    t = simple(r)
    a = np.zeros((), t if t.itemsize < 16 or t.kind not in "fc" else "c16")  # long doubles have random bytes as padding
    fill(r, a)
    return a[()]

def key(r, depth):
    return r.choice([lambda: text(r), lambda: number(r), lambda: real(r), lambda: raw(r), lambda: r.choice([None, True, False]),
                     lambda: moment(r), lambda: (text(r),) if depth == 0 else tuple(key(r, depth - 1) for _ in range(r.randrange(3))),
                     lambda: frozenset(key(r, 0) for _ in range(r.randrange(3))), lambda: complex(real(r), real(r))])()

def objects(r, depth, shapes=[(), (1,), (3,), (2, 2), (0, 3), (2, 1, 3)]):
    if r.random() < 0.2:
        t = dtype(r, 1)
        t = np.dtype([("n", "<f8"), ("o", "O"), ("v", t if t.names is None else "i2", (2,)), ("p", [("q", ">i4"), ("s", "O")])],
                     align=r.random() < 0.5)
        a = np.zeros(r.choice(shapes), t)
        for i in np.ndindex(a.shape):
            a[i] = (real(r), boxed(r, depth - 1), np.zeros(2, t["v"].base), (number(r) % 1000, boxed(r, depth - 1)))
        return a
    a = np.empty(r.choice(shapes), object, order=r.choice("CF"))
    for i in np.ndindex(a.shape):
        a[i] = value(r, depth - 1)
    return a

def boxed(r, depth):
    "returns a random value; an array is in a list, because NumPy converts an array in a record"
    v = value(r, depth)
    return [v] if isinstance(v, np.ndarray) else v

def value(r, depth):
    if depth <= 0 or r.random() < 0.3:
        return r.choice([text, number, real, raw, moment, generic, lambda r: r.choice([None, True, False]), lambda r: bytearray(raw(r)),
                         lambda r: complex(real(r), real(r))])(r)
    n, d = r.choice([0, 1, 2, 3, 5]), depth - 1
    return r.choice([
        lambda: [value(r, d) for _ in range(n)],
        lambda: tuple(value(r, d) for _ in range(n)),
        lambda: {key(r, 1): value(r, d) for _ in range(n)},
        lambda: {text(r): value(r, d) for _ in range(n)},
        lambda: collections.OrderedDict((text(r), value(r, d)) for _ in range(n)),
        lambda: r.choice([set, frozenset])(key(r, 1) for _ in range(n)),
        lambda: [value(r, d)] * n,
        lambda: array(r),
        lambda: objects(r, d),
    ])()

def drawn(seed):
    return objects(random.Random(seed), 4)

def bits(x):
    return "nan" if x != x else struct.pack(">d", x).hex()

def items(v):
    return ",".join(map(describe, v))

def describe(v):
    if isinstance(v, (np.bool_, np.integer, np.str_, np.bytes_, np.float16, np.float32, np.float64, np.complex64, np.complex128)) \
            and not isinstance(v, np.timedelta64):
        v = v.item()
    if isinstance(v, np.generic):
        v = np.array(v)
    if v is None or isinstance(v, bool): return str(v)
    if isinstance(v, int): return "i%d" % v
    if isinstance(v, float): return "f" + bits(v)
    if isinstance(v, complex): return "c" + bits(v.real) + bits(v.imag)
    if isinstance(v, str): return "s" + v.encode().hex()
    if isinstance(v, (bytes, bytearray)): return "b" + v.hex()
    if isinstance(v, list): return "[" + items(v) + "]"
    if isinstance(v, tuple): return "(" + items(v) + ")"
    if isinstance(v, dict): return "{" + ",".join(describe(k) + ":" + describe(x) for k, x in v.items()) + "}"
    if isinstance(v, (set, frozenset)): return "<" + ",".join(sorted(map(describe, v))) + ">"
    if isinstance(v, datetime.datetime):
        zone = "naive"
        if v.tzinfo is not None:
            zone = "%d" % v.utcoffset().total_seconds()
            if v.tzname() != str(datetime.timezone(v.utcoffset())): zone += v.tzname()
        return "t%04d" % v.year + v.strftime("-%m-%dT%H:%M:%S.%f") + zone
    if isinstance(v, datetime.date): return "d%04d" % v.year + v.strftime("-%m-%d")
    if isinstance(v, datetime.timedelta): return "p%d" % (v // datetime.timedelta(microseconds=1))
    assert type(v) is np.ndarray, type(v)
    if v.dtype.hasobject:
        return "o%s%s[%s]" % (description(v.dtype), v.shape, ",".join(record(x, v.dtype) for x in flat(v)))
    if v.dtype.str[0] == ">":  # numpy.load swaps these bytes
        v = v.byteswap().view(v.dtype.newbyteorder("<")).reshape(v.shape)
    return "a%s%s%s" % (description(v.dtype), v.shape, hashlib.md5(v.tobytes("C")).hexdigest())

def flat(v):
    return [v[i] for i in np.ndindex(v.shape)]

def record(x, t):
    return describe(x.item() if t.names is not None else x)

def description(t):
    return repr(np.lib.format.dtype_to_descr(t))

def file(a, protocol):
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, np.lib.format.header_data_from_array_1_0(a))
    pickle.dump(a, out, protocol)
    return out.getvalue()

def simply(v):
    "reports whether repr shows the value as this package does"
    if isinstance(v, (list, tuple)): return all(map(simply, v))
    if type(v) is dict: return all(simply(k) and simply(x) for k, x in v.items())
    return v is None or type(v) in (bool, int, float, complex, str, bytes, datetime.datetime, datetime.date, datetime.timedelta)

def shown(a):
    if a.dtype != object or not all(map(simply, flat(a))): return ""
    if a.ndim == 0 and type(a[()]).__module__ == "datetime": return ""  # str of a time is not its repr
    return str(a)
`

// TestNumPy tests that random values, written by NumPy in all protocols, are read as Python reads them. It also
// compares the text with Python's.
func TestNumPy(t *testing.T) {
	oracle.AnyProcessor(t)
	p := oracle.Start(t)
	if err := p.Run("import warnings\nwarnings.simplefilter('ignore')\n"+oracle.Random+randomValues, nil,
		nil); err != nil {
		t.Fatal(err)
	}
	n := oracle.Cases(t, 40)
	if oracle.Long(t) {
		n = 1000
	}
	r := oracle.Rand(t, 61)
	texts, values := 0, 0
	for range n {
		var cases []struct {
			Protocol    int
			File        []byte
			Want, Shown string
		}
		seed := r.Uint32()
		if err := p.Run(`
a = drawn(x)
out = []
for protocol in range(-1, 6):
    b = file(a, protocol)
    if protocol < 0: # as NumPy itself writes it
        f = io.BytesIO(); np.save(f, a); b = f.getvalue()
    back = np.load(io.BytesIO(b), allow_pickle=True)
    out.append(dict(Protocol=protocol, File=b, Want=describe(back), Shown=shown(back)))
`, seed, &cases); err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			values++
			a, err := Read(bytes.NewReader(c.File))
			if err != nil {
				t.Fatalf("seed %d, protocol %d: %v", seed, c.Protocol, err)
			}
			if got := describe(a); got != c.Want {
				k := 0 // the first difference
				for k < min(len(got), len(c.Want)) && got[k] == c.Want[k] {
					k++
				}
				t.Fatalf("seed %d, protocol %d, after %s:\ngot  %.200s\nwant %.200s", seed, c.Protocol, got[max(0, k-60):k],
					got[k:], c.Want[k:])
			}
			if c.Shown != "" {
				texts++
				if got := a.String(); got != c.Shown {
					t.Fatalf("seed %d, protocol %d: prints\n%s\nwant\n%s", seed, c.Protocol, got, c.Shown)
				}
			}
			if err := WriteJSON(io.Discard, a); err != nil && !strings.Contains(err.Error(), "code point") {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
	}
	t.Logf("%d files, %d texts", values, texts)
	if values == 0 || n >= 40 && texts == 0 {
		t.Error("nothing was compared")
	}
}

// describe returns the text that describe of randomValues returns.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return map[bool]string{true: "True", false: "False"}[v]
	case int64:
		return fmt.Sprintf("i%d", v)
	case *big.Int:
		return fmt.Sprintf("i%d", v)
	case float64:
		return "f" + bits(v)
	case complex128:
		return "c" + bits(real(v)) + bits(imag(v))
	case string:
		return "s" + hex.EncodeToString([]byte(v))
	case []byte:
		return "b" + hex.EncodeToString(v)
	case List:
		return "[" + items(v) + "]"
	case Tuple:
		return "(" + items(v) + ")"
	case Set:
		var all []string
		for _, x := range v {
			all = append(all, describe(x))
		}
		slices.Sort(all)
		return "<" + strings.Join(all, ",") + ">"
	case Dict:
		var all []string
		for _, p := range v {
			all = append(all, describe(p.Key)+":"+describe(p.Value))
		}
		return "{" + strings.Join(all, ",") + "}"
	case time.Time:
		if v.Location() == Date {
			return v.Format("d2006-01-02")
		}
		zone := "naive"
		if v.Location() != Naive {
			name, offset := v.Zone()
			zone = fmt.Sprint(offset)
			if v.Location() != time.UTC {
				zone += name
			}
		}
		return v.Format("t2006-01-02T15:04:05.000000") + zone
	case time.Duration:
		return fmt.Sprintf("p%d", v.Microseconds())
	case Array:
		return fmt.Sprintf("o%s%s[%s]", descrOf(v.DType), pylit.AppendTuple(nil, v.Shape), items(v.Values))
	case array.Array:
		c, err := v.Clone(index.C)
		if err == nil && v.DType().Kind() != dtype.KindStructured && v.DType().ByteOrder() == dtype.BigEndian {
			c, err = c.AsType(v.DType().WithByteOrder(dtype.LittleEndian), index.C)
		}
		var b bytes.Buffer
		if err == nil {
			err = array.Write(&b, c)
		}
		if err != nil {
			return err.Error()
		}
		elements := b.Bytes()[b.Len()-c.NBytes():]
		return fmt.Sprintf("a%s%s%x", descrOf(c.DType()), pylit.AppendTuple(nil, c.Shape()), md5.Sum(elements))
	}
	return fmt.Sprintf("unknown %T", v)
}

func bits(x float64) string {
	if math.IsNaN(x) {
		return "nan"
	}
	return fmt.Sprintf("%016x", math.Float64bits(x))
}

func items(v []any) string {
	all := make([]string, len(v))
	for i, x := range v {
		all[i] = describe(x)
	}
	return strings.Join(all, ",")
}

// descrOf returns the repr of the descr of t.
func descrOf(t dtype.DType) string {
	if t.Kind() == dtype.KindStructured {
		return t.String()
	}
	return "'" + t.String() + "'"
}
