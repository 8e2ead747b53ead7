package refs

import (
	"fmt"
	"slices"
)

// divide divides the sources, which must have elements, into chunks of at most limit bytes.
//
// A chunk is a contiguous range of bytes in one file. In memory order, it spans all axes after the split, some elements
// along the split, and one element along each axis before the split. Zarr v2 uses one chunk shape per array and reads
// only whole chunks. So elements remain if the length of the split is not a multiple of the chunk length, or if the
// last source has a different length along a joined axis after the split. The remaining elements are copied with
// padding, or become a second array.
func (p *Plan) divide(limit, copied int) error {
	first := &p.sources[0]
	shape := p.memoryShape(first.Shape)
	row := p.strides(shape)
	p.split = 0
	for p.split < len(shape)-1 && (row[p.split] > limit || shape[p.split] == 1) {
		p.split++
	}
	join := p.joinInMemory()
	step, err := p.step(max(1, limit/row[p.split]), join == p.split)
	if err != nil {
		return err
	}
	p.Data.Chunks = p.chunkShape(shape, step)

	var left []part
	narrow := false
	along := 0 // elements of the previous sources along the joined axis
	for i := range p.sources {
		s := &p.sources[i]
		shape := p.memoryShape(s.Shape)
		at := part{source: s, number: i, origin: i, step: step, count: shape[p.split] / step}
		switch {
		case join == p.split:
			at.first = along / step
		case 0 <= join && join < p.split:
			at.origin = along
		case join > p.split && s.Shape[p.join] != first.Shape[p.join]:
			if i < len(p.sources)-1 {
				return p.unequalError(s)
			}
			narrow = true
		}
		if join >= 0 {
			along += shape[join]
		}
		rest := shape[p.split] % step
		if narrow {
			at.count += min(rest, 1)
			left = append(left, at)
			continue
		}
		if at.count > 0 {
			p.Data.parts = append(p.Data.parts, at)
		}
		if rest > 0 {
			at.first += at.count
			at.start, at.count = at.count*step, 1
			left = append(left, at)
		}
	}
	for _, at := range p.Data.parts {
		p.Refs += p.chunks(at)
	}
	return p.assignRest(left, narrow, step*row[p.split], copied)
}

// assignRest handles the remaining chunks: it marks them as copied if they have at most limit bytes in total, and
// otherwise makes them the tail. narrow reports whether they make up the whole last source. size is the number of
// bytes of a chunk of data.
func (p *Plan) assignRest(left []part, narrow bool, size, limit int) error {
	n := 0
	for _, at := range left {
		n += p.chunks(at)
	}
	longer := narrow && p.sources[len(p.sources)-1].Shape[p.join] > p.Data.Chunks[p.join]
	if !longer && int64(n)*int64(size) <= int64(limit) {
		p.Copied = n * size
		for _, at := range left {
			at.copied = true
			p.Data.parts = append(p.Data.parts, at)
		}
		return nil
	}
	last := left[len(left)-1]
	shape := p.memoryShape(last.source.Shape)
	axis, rest := p.axis(p.split), shape[p.split]%last.step
	switch {
	case narrow && rest > 0:
		whole := p.memoryShape(p.sources[0].Shape)
		return &Error{last.source.Name,
			fmt.Sprintf("length %d along axis %d, but %s has %d, and chunks of %d bytes also leave a remainder along axis %d; -chunk %d makes each file one chunk",
				last.source.Shape[p.join], p.join, p.sources[0].Name, p.sources[0].Shape[p.join], size, axis,
				p.strides(whole)[0]*whole[0])}
	case narrow:
		axis, rest = p.join, last.source.Shape[p.join]
		left[0].origin = 0
	default:
		for i := range left {
			left[i].first, left[i].step = 0, rest
		}
	}
	p.Tail = &Array{Name: "tail", Shape: slices.Clone(p.Data.Shape), Chunks: slices.Clone(p.Data.Chunks), Axis: axis,
		parts: left}
	p.Data.Shape[axis] -= rest
	p.Tail.Shape[axis], p.Tail.Chunks[axis] = rest, rest
	for _, at := range left {
		p.Refs += p.chunks(at)
	}
	return nil
}

// chunks returns the number of chunks in a part.
func (p *Plan) chunks(at part) int {
	n := at.count
	for _, length := range p.memoryShape(at.source.Shape)[:p.split] {
		n *= length
	}
	return n
}

// chunkShape returns the shape of a chunk, in the axes of the result, with step elements along the split. shape is the
// shape of the first source.
func (p *Plan) chunkShape(shape []int, step int) []int {
	chunk := slices.Repeat([]int{1}, len(p.Data.Shape))
	for k, n := range shape {
		switch axis := p.axis(k); {
		case axis < 0 || k < p.split:
		case k == p.split:
			chunk[axis] = step
		default:
			chunk[axis] = n
		}
	}
	return chunk
}

// A chunk length that divides the split is preferred as long as it does not multiply the number of chunks by more than
// these factors: moreChunks if a remainder can be stored otherwise, manyMoreChunks if not.
const (
	moreChunks     = 2
	manyMoreChunks = 8
)

// step returns the number of elements of a chunk along the split, from 1 to most. If the sources are joined along the
// split, it divides the length of every source except the last.
func (p *Plan) step(most int, joined bool) (int, error) {
	joined = joined && len(p.sources) > 1
	whole := p.sources[:1]
	if joined {
		whole = p.sources[:len(p.sources)-1]
	}
	common := 0
	for i := range whole {
		n := p.memoryShape(whole[i].Shape)[p.split]
		common, most = gcd(common, n), min(most, n)
	}
	step := divisor(common, most)
	switch {
	case step > (most-1)/moreChunks:
		return step, nil
	case !joined:
		return most, nil
	case step > (most-1)/manyMoreChunks:
		return step, nil
	}
	for i := range whole {
		if s := &whole[i]; s.Shape[p.join] != p.sources[0].Shape[p.join] {
			return 0, p.unequalError(s)
		}
	}
	row := p.strides(p.memoryShape(p.sources[0].Shape))[p.split]
	return 0, &Error{p.sources[0].Name,
		fmt.Sprintf("length %d along axis %d has no divisor from %d to %d for chunks of at most %d bytes; -chunk %d makes one chunk of the whole length",
			common, p.join, (most-1)/manyMoreChunks+1, most, most*row, common*row)}
}

// unequalError returns an error saying that the length of s along the joined axis differs from the first source. Only
// the last source may have a different length.
func (p *Plan) unequalError(s *Source) error {
	return &Error{s.Name,
		fmt.Sprintf("length %d along axis %d, but %s has %d: all chunks have the same shape, so only the last file may differ; dask.array.map_blocks supports such files, see examples/npy/DASK.md",
			s.Shape[p.join], p.join, p.sources[0].Name, p.sources[0].Shape[p.join])}
}

// divisor returns the largest divisor of n that is not greater than most.
func divisor(n, most int) int {
	largest := 1
	for d := 1; d <= n/d; d++ {
		if n%d != 0 {
			continue
		}
		if d <= most {
			largest = max(largest, d)
		}
		if n/d <= most {
			return n / d // all other candidates are smaller
		}
	}
	return largest
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
