# NumPy's part of TestHostile: creates input files for programs, and checks the results of the programs.
import json, os, re, warnings

warnings.simplefilter('ignore')
np.seterr(all='ignore')

def numbers(shape, dtype, values):
    n = int(np.prod(shape, dtype=int))
    k = np.arange(n)
    all = dict(small=k * .5 - 3, positive=k * .5 + 1, time=1.7e9 + k, large=2.0 ** 53 + 2 * k)
    x = all[values.replace('nan', 'small')]
    d = np.dtype(dtype)
    if d.kind in 'iu' and values == 'nan':  # the smallest and the largest value
        x = np.where(k % 2, np.iinfo(d).min, np.iinfo(d).max)
    elif d.kind in 'iuMm':
        if d.itemsize < 8 and values in ('small', 'positive'):
            x = x % 113 + 1
        x = x.astype('i8')
    elif d.kind == 'b':
        x = k % 3 == 1
    elif d.kind == 'c':
        x = x + 1j * k
    elif d.kind in 'SU':
        x = np.char.mod('%d', k)
    elif d.kind == 'V':
        return np.zeros(shape, d)
    a = x.astype(d).reshape(shape)
    if values == 'nan' and d.kind in 'fc' and n:
        a.flat[n // 2] = np.nan
    return a

def records(shape, values):
    a = np.zeros(shape, [('time', 'M8[ms]'), ('symbol', 'S4'), ('price', 'f8'), ('size', 'i4')])
    n = a.size
    a['time'] = ((np.arange(n) * 7919 + 1) % 10007).astype('i8').astype('M8[ms]').reshape(shape)
    a['symbol'] = 'abc'
    a['price'] = numbers(shape, 'f8', values)
    a['size'] = numbers(shape, 'i4', 'positive')
    if values == 'nan' and n:
        a['time'].flat[n // 2] = np.datetime64('NaT')
    return a

def save(path, a):
    with open(path, 'wb') as f:  # np.save would add .npy
        np.save(f, a)

def make(path, kind, shape, dtype, values):
    if kind == 'records':
        save(path, records(shape, values))
    elif kind == 'dates':
        save(path, dated(shape, values))
    elif kind == 'text':
        written(path, numbers(shape, 'f8', values))
    elif kind == 'npz':
        with open(path, 'wb') as f:
            np.savez(f, a=numbers(shape, dtype, values), b=np.arange(3), w=np.ones((5, 6)))
    elif kind == 'safetensors':
        with open(path, 'wb') as f:
            f.write(tensors(dict(a=numbers(shape, dtype, values), w=np.ones((5, 6)))))
    elif kind == 'raw':
        with open(path, 'wb') as f:
            f.write(bytes(16))
            f.write(numbers(shape, '>u2', values).tobytes())
    else:
        save(path, numbers(shape, dtype, values))

codes = {'|b1': 'BOOL', '|i1': 'I8', '<i2': 'I16', '<i4': 'I32', '<i8': 'I64', '|u1': 'U8', '<u2': 'U16', '<u4': 'U32',
         '<u8': 'U64', '<f2': 'F16', '<f4': 'F32', '<f8': 'F64', '<c8': 'C64'}

def tensors(arrays):  # other dtypes get an invalid code
    header, data = {}, b''
    for name, a in arrays.items():
        b = a.tobytes()
        header[name] = dict(dtype=codes.get(a.dtype.str, a.dtype.str), shape=a.shape,
                            data_offsets=[len(data), len(data) + len(b)])
        data += b
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, 'little') + text + data

def loadTensors(path):
    with open(path, 'rb') as f:
        b = f.read()
    n = 8 + int.from_bytes(b[:8], 'little')
    types = {code: d for d, code in codes.items()}
    return {name: np.frombuffer(b[n:][slice(*t['data_offsets'])], types[t['dtype']]).reshape(t['shape'])
            for name, t in json.loads(b[8:n]).items()}

def dated(shape, values):
    a = np.zeros(shape, [('time', '>M8[s]'), ('name', '<U5')])
    a['time'] = numbers(shape, '>M8[s]', 'time' if values != 'small' else values)
    a['name'] = numbers(shape, '<U5', 'small')
    if values == 'nan' and a.size:
        a['time'].flat[a.size // 2] = np.datetime64('NaT')
    return a

def written(path, a):
    with open(path, 'w') as f:
        for row in a.reshape(-1, a.shape[-1] if a.ndim and a.size else 1):
            f.write(' '.join(map(repr, map(float, row))) + '\n')

def load(path, kind):
    if kind == 'text':
        return np.loadtxt(path, ndmin=2)
    if kind == 'safetensors':
        return loadTensors(path)
    return np.fromfile(path, '>u2', offset=16) if kind == 'raw' else np.load(path)

def close(got, want, rtol=1e-9, atol=0.0):
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape:
        return 'shape %s, want %s' % (got.shape, want.shape)
    bad = ~np.isclose(got, want, rtol, atol, equal_nan=True)
    return '' if not bad.any() else '%s, want %s: %d of %d' % (got[bad][:3], want[bad][:3], bad.sum(), bad.size)

def eps(d):
    return 8 * np.finfo(d).eps if d.kind in 'fc' else 1e-9

def wide(a):
    return a.astype('c16' if a.dtype.kind == 'c' else 'f8')

def number(s):
    return complex(s[:-2] + 'j)') if s.endswith('i)') else float(s)

def floats(s):
    return [float(x) for x in re.findall(r'[-+]?(?:\d[\d.e+-]*|NaN|nan|[Ii]nf)', s)]

def mean_of(a, path):
    want = np.mean(a, axis=0)
    b = np.load(path)
    return close(b, want, eps(want.dtype)) if b.dtype == want.dtype else 'dtype %s, want %s' % (b.dtype, want.dtype)

# Each function checks the result of a program, given the input a, the directory dir and the printed text. It returns\n# a description of the error, or ''.

def sum_(a, dir, text):
    if a.dtype.kind in 'biu':  # exactly
        want = sum(map(int, a.flat))
        return '' if int(text) == want else '%s, want %d' % (text, want)
    atol = 1e-9 * float(np.abs(wide(a)).sum()) if a.dtype.kind == 'c' else 0
    return close(number(text.strip()), wide(a).sum(), 1e-12, atol)

def mean(a, dir, text):
    return mean_of(a, dir + '/out.npy')

def parallel(a, dir, text):
    b, x = np.load(dir + '/out.npy'), a.astype('g')
    deviation = np.nanstd(x)
    if b.dtype != np.float32 or b.shape != a.shape:
        return 'is %s %s' % (b.dtype, b.shape)
    if deviation == 0:  # 0/0 is NaN; zeros are accepted, too
        return '' if (np.isnan(b) | (b == 0)).all() else str(b)
    return close(b, (x - np.nanmean(x)) / deviation, 1e-4, 1e-4)

def records_(a, dir, text):
    b, a = np.load(dir + '/out.npy'), a.ravel()
    a = a[a['price'] >= 2]
    a = a[np.argsort(a['time'].astype('i8'), kind='stable')]
    if b.dtype != a.dtype or b.shape != a.shape:
        return 'is %s %s, want %s' % (b.dtype, b.shape, a.shape)
    return '' if b.tobytes() == a.tobytes() else 'other records'

def npz(a, dir, text):
    b = np.load(dir + '/out.npz')
    if sorted(b.files) != sorted(a.files):
        return str(b.files)
    for name in a.files:
        x, y = a[name], b[name]
        if x.dtype != y.dtype or x.shape != y.shape:
            return '%s is %s %s' % (name, y.dtype, y.shape)
        if name != 'a' or x.dtype.kind not in 'iufcb':
            if x.tobytes() != y.tobytes():
                return name + ' differs'
        elif x.dtype.kind in 'iub':
            want = x.astype(np.longdouble) * 2.5
            if x.size and not (np.abs(y.astype(np.longdouble) - want) <= 1 + 1e-12 * np.abs(want)).all():
                return 'a is %s, want %s' % (y.ravel()[:4], want.ravel()[:4])
        elif close(y, (wide(x) * 2.5).astype(x.dtype), eps(x.dtype)):
            return close(y, wide(x) * 2.5, eps(x.dtype))
    return ''

def edit(a, dir, text):
    want = np.where(a < 0, 0, a)
    return close(np.load(dir + '/in.npy'), want, 0) or close(floats(text)[-1], np.sum(a < 0))

def cgo(a, dir, text):
    return close(np.load(dir + '/in.npy'), a * 10) or ('' if re.search(r'\b%d\b' % a.size, text) else repr(text))

def share(a, dir, text):
    want = a.view('i8').copy()
    want.flat[0] += 3000
    want.flat[1] += 6000
    return close(np.load(dir + '/in.npy').view('i8'), want, 0)

def raw(a, dir, text):
    a = a[:a.size // 20 * 20].reshape(-1, 20)
    want = ''.join('%d: from %d to %d, on average %.1f\n' % (i, p.min(), p.max(), p.mean()) for i, p in enumerate(a))
    return '' if text == want else repr(text[:100])

def sine(a, dir, text):
    b = np.load(dir + '/out.npy')
    t = 2 * np.pi * np.arange(len(b)) / len(b)
    return close(b, np.stack([t, np.sin(t)], 1), 1e-9, 1e-12)

def huge(a, dir, text):
    b = np.load(dir + '/out.npy', mmap_mode='r')
    return close(b[len(b) // 2:len(b) // 2 + 1001].sum(), 0.5 * 512000 - 0.25)

def anonymous(a, dir, text):
    want = '%d numbers, %d different\n' % (a.size, len(np.unique(a)))
    return '' if text.startswith(want) else repr(text)

def archive(a, dir, text):
    x = a['a']
    b = np.load(dir + '/in.npz')
    return close(b['a'], np.where(x < 0, 0, x), 0) or close(b['w'], a['w'], 0) or close(floats(text)[-1], np.sum(x < 0))

def convert(a, dir, text):
    b = np.load(dir + '/out.npy')
    w = a.astype(a.dtype.newbyteorder('='))
    return '' if b.dtype == w.dtype and b.shape == w.shape and b.tobytes() == w.tobytes() else repr(b)

def dates(a, dir, text):
    a = a[a['time'] >= np.datetime64('2001-01-01')]
    want = ''.join('%sZ "%s"\n' % (str(r['time']), r['name']) for r in a.ravel())
    return '' if text == want else repr(text[:100])

def stats(a, dir, text):
    got = dict(re.findall(r'(?ms)^(\w+) +(.*?)\n(?=\w|\Z)', text.replace('False', '0').replace('True', '1')))
    x = a.astype('g')
    for name, f in dict(min=np.nanmin, max=np.nanmax, mean=np.nanmean, std=np.nanstd).items():
        if 0 < a.size < 1000:
            ulps = float(np.nanmax(np.abs(x))) * (1e-3 if a.dtype == 'f2' else 2.0 ** -51)
            msg = close(floats(got[name]), f(x, axis=0).ravel(), 1e-3, 1e-3 + ulps)
            if msg:
                return name + ': ' + msg
    return ''

def text(a, dir, text):
    b = np.load(dir + '/out.npy')
    return close(b, a, 0) or ('' if text == '%d rows of %d numbers\n' % a.shape else repr(text))

def follow(a, dir, text):
    rows = [floats(line) for line in text.splitlines()]
    return close(rows, a[:len(rows)], 1e-6) if rows else ''

def gonum(a, dir, text):
    x = a.astype('f8')
    if np.isnan(x).any():
        return '' if np.isnan(floats(text)).all() else repr(text)
    want = np.linalg.lstsq(x[:, :-1], x[:, -1], rcond=None)[0]
    fit = lambda c: np.linalg.norm(x[:, :-1] @ c - x[:, -1])
    got = np.array(floats(text))  # printed with six digits
    good = got.shape == want.shape and fit(got) <= fit(want) + 1e-4 * np.linalg.norm(x[:, -1])
    return '' if good else '%s, want %s' % (got, want)

def search(a, dir, text):
    x = a.astype('f4').astype('f8')
    norm = np.sqrt((x * x).sum(axis=1))
    both = norm * norm[1]
    cosines = np.where(both == 0, 0, (x * x[1]).sum(axis=1) / both)
    lines = [line.split() for line in text.splitlines()]
    rows, got = [int(row) for row, _ in lines], np.array([float(c) for _, c in lines])
    if len(set(rows)) != len(rows):
        return 'a row twice: %s' % rows
    return close(got, -np.sort(-cosines)[:10], 0, 1e-4) or close(got, cosines[rows], 0, 1e-4)

def arrow(a, dir, text):
    shape = '[%s]' % ' '.join(map(str, a.shape))
    return '' if shape in text.split('\n')[0] and text.endswith(' %d\n' % len(a)) else repr(text)

def parquet(a, dir, text):  # columns contain NumPy's bytes, except at the end of a page
    with open(dir + '/out.parquet', 'rb') as f:
        b = f.read()
    if b[:4] != b'PAR1' or b[-4:] != b'PAR1':
        return 'it has no frame'
    a = a.ravel()
    for name in ('time', 'price', 'size'):
        parts = [a[name][i:i + 100].tobytes() for i in range(0, len(a), 100)]
        other = sum(part not in b for part in parts)
        if other > len(parts) // 20:
            return '%d of %d parts of %s are others' % (other, len(parts), name)
    return ''

def beam(a, dir, text):
    return mean_of(a, dir + '/out.npy')

def readme1(a, dir, text):
    b, want = np.load(dir + '/t.npy'), a + 1.5
    return close(b, want, 0) or close(floats(text)[-1], want.sum())

def faq1(a, dir, text):
    return close(floats(text)[-1], a.sum())

def array2(a, dir, text):
    x = a.astype('g')
    ulps = 2.0 ** -51 * float(np.nanmax(np.abs(x))) if x.size else 0  # the mean of moments has 64 bits
    return close(np.load(dir + '/mean.npy'), np.nanmean(x, axis=0), 1e-9, ulps) or \
        close(np.load(dir + '/std.npy'), np.nanstd(x, axis=0), 1e-6, 1e-6 + ulps) or \
        close(floats(text)[-3:], [a.sum(), a.max(), a.argmax()])

def array4(a, dir, text):
    want = a.copy()
    want.flat[1] = 7  # [0, 1]
    return close(load(dir + '/samples.bin', 'raw'), want, 0)

def array5(a, dir, text):
    return close(np.load(dir + '/t.npy'), a / 2, 0) or \
        close(floats(text)[:4], [(a * a).sum()] + list(np.quantile(a / 2, [.25, .5, .75])))

def array6(a, dir, text):
    return close(floats(text), a.astype('f8').reshape(len(a), int(np.prod(a.shape[1:]))).mean(axis=1))

def array7(a, dir, text):
    return close([int(text)], [64 * a[:1].size])

def array8(a, dir, text):  # each process that ran has written its first rows
    b = np.load(dir + '/log.npy')
    often = np.bincount(b[:, 0].astype(int))
    return '' if (np.diff(often) <= 0).all() and (b[:, 1:] == (0.5, -1)).all() else 'rows %s' % often

def array10(a, dir, text):
    return close(np.load(dir + '/squares.npy'), np.arange(1_000_000.0) ** 2)

def npz1(a, dir, text):
    b = np.load(dir + '/model.npz')
    return close(b['w'].sum(), 30.5) or ('' if b['a'].tobytes() == a['a'].tobytes() else 'a differs')

def safetensors1(a, dir, text):  # all tensors are read as float32
    means = {line.split()[0]: float(line.split()[-1]) for line in text.splitlines()}
    want = {name: float(np.mean(x.astype('f4').astype('f8'))) if x.size else np.nan for name, x in a.items()}
    if sorted(means) != sorted(want):
        return repr(text)
    return close([means[name] for name in sorted(want)], [want[name] for name in sorted(want)], 1e-6, 1e-6)

def nothing(a, dir, text):
    return ''

loaded = {}

def judge(name, kind, whole, dir, text):
    if whole not in loaded:  # several questions may use one file
        loaded.clear()
        loaded[whole] = load(whole, kind) if whole else None
    a = loaded[whole]
    try:
        return globals()[name](a, dir, text)
    except Exception as e:
        return '%s: %s' % (type(e).__name__, e)

# After a signal, a file edited in place contains old and new elements.
def between(name, kind, whole, path, dir):
    a, b = load(whole, kind), load(path, kind)
    want = dict(edit=lambda: np.where(a < 0, 0, a), archive=lambda: np.where(a['a'] < 0, 0, a['a']),
                cgo=lambda: a * 10, array6=lambda: a / 2).get(name)
    if want is None:
        return ''
    if name == 'archive':
        b, a, w = b['a'], a['a'], want()
        return '' if ((b == a) | (b == w)).all() else 'elements'
    return '' if ((b == a) | (b == want())).all() else 'elements that are neither as before nor as after'
