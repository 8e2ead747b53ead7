package reduce

import (
	"math"
	"slices"
	"sync"

	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// isRanked reports whether a result of op is the number with a certain rank, or lies between two such numbers. Such an
// operation needs all numbers of a result at once, and gathers them in a buffer. The numbers of a result are called a
// row.
func (op Op) isRanked() bool { return op == Median || op == Quantile }

// A ranking is an engine for an operation for which isRanked returns true.
type ranking struct {
	*engine
	keys                          Keys
	reduced                       []axis     // the axes of a row
	row                           int        // size of a row in bytes
	places                        []Place    // places of the results of a row without NaN
	lows                          []int      // the ranks Lo of places, in ascending order
	qStride                       int        // bytes from the result for one Q to the result for the next, in the destination
	columns                       bool       // rows are columns of the buffer, and several are sorted at once; see sortColumns
	neededExchanges, allExchanges []exchange // for sortColumns: to sort the needed ranks, and to sort all numbers
}

// A rankedBox is a box of results.
type rankedBox struct {
	off int     // offset of the first row in the source, in bytes
	dst pointer // the first result
	n   []int   // length along each kept axis
}

// reduceRanked reduces all elements by a Median or a Quantile, and stores the results in dst.
func (e *engine) reduceRanked(dst strided.Piece) error {
	r := &ranking{engine: e, keys: KeysOf(e.work), row: e.count * e.width}
	r.places = e.Places(nil, max(1, e.count))
	r.lows = sortedLows(nil, r.places)
	if last := dst.Layout.NDim() - 1; len(r.places) > 1 {
		r.qStride = dst.Layout.Stride(last)
	}
	for _, a := range e.axes {
		if !a.kept {
			r.reduced = append(r.reduced, a)
		}
	}
	all := rankedBox{dst: e.dst.P}
	for _, a := range r.kept {
		all.n = append(all.n, a.n)
	}
	r.setColumns(all.results())
	size := e.size * e.count // bytes of one row in the source
	bytes := all.results() * size
	cold := false
	for i, b := range e.boxes {
		if mem := e.src[i].Mem; mem.File != nil && !cold {
			p := e.piece(b, mem)
			cold = p.OnPages() > strided.PartBytes/4 && p.IsCold()
		}
	}
	if cold {
		cuts, parts := r.resultCuts(all, r.slabRows())
		for i := range parts {
			b := r.resultPart(all, cuts, i)
			if err := r.rankSlab(b); err != nil {
				return err
			}
			if err := e.report(b.results() * size); err != nil {
				return err
			}
		}
		return nil
	}
	perPart := max(1, rankedBytes/r.bytesPerRow())
	cuts, parts := r.resultCuts(all, perPart)
	p := e.newPass(parts, max(1, rankedWave/max(1, perPart*e.count)), bytes)
	return p.Run(func(k int, _ *strided.Failure) error { return r.rankTile(r.resultPart(all, cuts, k)) })
}

// bytesPerRow returns the number of bytes of memory that a row needs for its elements and for all but one of its
// results.
func (r *ranking) bytesPerRow() int { return max(1, r.row+8*(len(r.places)-1)) }

// sortedLows adds the ranks Lo of places to lows, and returns all ranks in ascending order without duplicates.
func sortedLows(lows []int, places []Place) []int {
	for _, p := range places {
		lows = append(lows, p.Lo)
	}
	slices.Sort(lows)
	return slices.Compact(lows)
}

// slabRows returns the number of rows to gather at a time from a file that is not in memory. If memory has room for all
// rows with elements on the same pages, it returns at least their number.
func (r *ranking) slabRows() int {
	rows := max(1, strided.TileBytes()/r.bytesPerRow())
	if last := len(r.kept) - 1; last >= 0 && r.kept[last].srcStride > 0 {
		onPage := kernel.PageBytes / r.kept[last].srcStride
		if onPage > rows && strided.HasRoom(4*onPage*r.bytesPerRow()) {
			return onPage
		}
	}
	return rows
}

// resultCuts divides b into parts of up to limit results. It returns the number of parts along each of the first axes,
// and their product.
func (r *ranking) resultCuts(b rankedBox, limit int) (cuts []int, parts int) {
	parts = 1
	inner := b.results()
	for k := 0; inner > limit && k < len(b.n); k++ {
		inner /= b.n[k]
		perPart := max(1, limit/inner)
		cuts = append(cuts, (b.n[k]+perPart-1)/perPart)
		parts *= cuts[k]
	}
	return cuts, parts
}

// resultPart returns part i of b. cuts is the first result of resultCuts.
func (r *ranking) resultPart(b rankedBox, cuts []int, i int) rankedBox {
	b.n = slices.Clone(b.n)
	for k, n := range slices.Backward(cuts) {
		lo, hi := strided.Bound(b.n[k], i%n, n), strided.Bound(b.n[k], i%n+1, n)
		b.off, b.dst, b.n[k] = b.off+lo*r.kept[k].srcStride, add(b.dst, lo*r.kept[k].dstStride), hi-lo
		i /= n
	}
	return b
}

// results returns the number of results of b.
func (b rankedBox) results() int {
	n := 1
	for _, k := range b.n {
		n *= k
	}
	return n
}

// A ranker holds the buffers of one goroutine.
type ranker struct {
	scratch
	buf     []byte                  // the rows
	out     []float64               // the results of all rows for the first Q, then for the next Q, and so on
	places  []Place                 // places of the results of a row with NaN
	lows    []int                   // the ranks Lo of places
	pairs   []byte                  // for rankWords: two words for each rank Lo
	nans    [sortedBytes]int32      // for sortColumns: the number of NaN in each column
	row     [sortedBytes / 8]uint64 // for sortColumns: a copy of a row
	samples [2 * maxSamples]uint64  // for twoOf
}

var rankers = sync.Pool{New: func() any { return new(ranker) }}

func (w *ranker) free() {
	if len(w.buf) > 4*rankedBytes {
		w.buf = nil
	}
	w.trim()
	rankers.Put(w)
}

// grow makes room for n results, and for rows with the given total number of bytes.
func (w *ranker) grow(n, bytes int) {
	if w.buf == nil || len(w.buf) < bytes {
		w.buf = strided.Alloc(max(1, bytes))
	}
	w.out = slices.Grow(w.out[:0], n)[:n]
}

// axesOf appends to axes the axes of the elements of b to gather from box i of the engine. The axes of the results come
// first, then the axes of a row, or vice versa if the rows are columns of the buffer. off is the offset of the first
// element in the buffer.
func (r *ranking) axesOf(b rankedBox, i int, axes []elem.Axis) (all []elem.Axis, off int) {
	step := r.width * b.results() * r.count
	results := func() {
		for k, a := range r.kept {
			step /= b.n[k]
			axes = append(axes, elem.Axis{N: b.n[k], DS: step, SS: a.srcStride})
		}
	}
	if !r.columns {
		results()
	}
	if !r.joined {
		step /= len(r.boxes)
		off = i * step
	}
	for k, a := range r.reduced {
		step /= a.n
		n := a.n
		if k == 0 && r.joined { // the axis along which the boxes follow each other
			n = r.boxes[i].n[0]
			for _, before := range r.boxes[:i] {
				off += before.n[0] * step
			}
		}
		axes = append(axes, elem.Axis{N: n, DS: step, SS: a.srcStride})
	}
	if r.columns {
		results()
	}
	return axes, off
}

// rankTile gathers the rows of b and stores its results, in this goroutine.
func (r *ranking) rankTile(b rankedBox) error {
	w := rankers.Get().(*ranker)
	defer w.free()
	n := b.results()
	w.grow(n*len(r.places), n*r.row)
	buf := strided.Start(w.buf)
	for i, from := range r.boxes {
		if r.count > 0 {
			axes, off := r.axesOf(b, i, w.axes[:0])
			w.axes = axes
			r.decode.Walk(elem.Merge(axes), add(buf, off), add(from.p, b.off))
		}
	}
	r.rank(w.out, buf, 0, n, n, w)
	return r.storeResults(w, b)
}

// storeResults stores w.out, the results of b, in the destination.
func (r *ranking) storeResults(w *ranker, b rankedBox) error {
	n := len(w.out) / len(r.places)
	for k := range r.places {
		results := strided.Bytes(w.out[k*n : (k+1)*n])
		if err := r.copyResults(&w.scratch, results, r.kept, b.n, add(b.dst, k*r.qStride)); err != nil {
			return err
		}
	}
	return nil
}

// rankSlab gathers the rows of b from files, and stores its results.
func (r *ranking) rankSlab(b rankedBox) error {
	w := rankers.Get().(*ranker)
	defer w.free()
	n := b.results()
	w.grow(n*len(r.places), 0)
	buf := strided.Alloc(n * r.row)
	mem := &strided.Memory{Base: strided.Start(buf), Size: len(buf)}
	for i, from := range r.boxes {
		var off int
		w.axes, off = r.axesOf(b, i, w.axes[:0])
		to, layout, err := w.layouts()
		if err != nil {
			return err
		}
		into := strided.Piece{P: add(mem.Base, off), Layout: to, ItemSize: r.width, Mem: mem}
		file := strided.Piece{P: add(from.p, b.off), Layout: layout, ItemSize: r.size, Mem: r.src[i].Mem}
		if r.Progress == nil {
			err = strided.Copy(into, file, &r.decode)
		} else {
			pacer := strided.Pacer{Size: strided.PartBytes, Report: func(int) error { return r.report(0) }}
			err = strided.CopyPaced(into, file, &r.decode, &pacer)
		}
		if err != nil {
			return err
		}
	}
	parts := min(n, 1+len(buf)/rankedBytes)
	p := strided.Pass{Parts: parts}
	if r.Progress != nil {
		p.Report = func(int) error { return r.Progress(0) }
	}
	err := p.Run(func(i int, _ *strided.Failure) error {
		worker := rankers.Get().(*ranker)
		defer worker.free()
		lo, hi := strided.Bound(n, i, parts), strided.Bound(n, i+1, parts)
		r.rank(w.out, mem.Base, lo, hi, n, worker)
		return nil
	})
	if err != nil {
		return err
	}
	return r.storeResults(w, b)
}

// rank computes the results of rows lo to hi-1 of the n rows at p, and stores them in out. out holds the results of all
// n rows for the first Q, then for the next Q, and so on. rank overwrites the rows.
func (r *ranking) rank(out []float64, p pointer, lo, hi, n int, w *ranker) {
	switch {
	case r.width == 1:
		rankWords[uint8](r, out, p, lo, hi, n, w)
	case r.width == 2:
		rankWords[uint16](r, out, p, lo, hi, n, w)
	case r.width == 4:
		rankWords[uint32](r, out, p, lo, hi, n, w)
	case r.sortsFloats():
		sortColumns(r, out, p, lo, hi, n, w, infinityForNaN, math.Float64bits)
	default:
		rankWords[uint64](r, out, p, lo, hi, n, w)
	}
}

func rankWords[W Word](r *ranking, out []float64, p pointer, lo, hi, n int, w *ranker) {
	if r.columns {
		sortColumns(r, out, p, lo, hi, n, w, keysOrGreatest[W], key[W])
		return
	}
	samples := strided.Slice[W](pointer(&w.samples), len(w.samples))
	if size := len(r.places) * 2 * r.width; len(w.pairs) < size { // a row with NaN may have more ranks than r.lows
		w.pairs = strided.Alloc(size)
	}
	pairs := strided.Slice[[2]W](strided.Start(w.pairs), len(r.places))
	for i := lo; i < hi; i++ {
		words := strided.Slice[W](add(p, i*r.row), r.count)
		left := keysIn(words, &r.keys)
		if left == 0 || left < r.count && !r.SkipNaN {
			for k := range r.places {
				out[k*n+i] = math.NaN()
			}
			continue
		}
		places, lows := r.placesOf(left, w)
		pairsOf(words[:left], 0, lows, pairs, samples)
		for k, at := range places {
			j := 0
			if len(lows) > 1 {
				j, _ = slices.BinarySearch(lows, at.Lo)
			}
			x, y := pairs[j][0], pairs[j][1]
			if at.Lo == at.Hi {
				y = x
			}
			out[k*n+i] = r.keys.Of(r.Op, uint64(x), uint64(y), at.T)
		}
	}
}

// placesOf returns the places of the results of a row, and their ranks Lo in ascending order. left is the number of
// elements of the row that are not NaN. The results are valid until the next call for w.
func (r *ranking) placesOf(left int, w *ranker) ([]Place, []int) {
	if left == r.count {
		return r.places, r.lows
	}
	w.places = r.Places(w.places[:0], left)
	w.lows = sortedLows(w.lows[:0], w.places)
	return w.places, w.lows
}
