package refs

import (
	"math/bits"
	"strings"
)

// fsspec 2022.11 sorts the ranges of one request by URL and offset. If it merges no ranges, it pairs the bytes in
// sorted order with the keys in request order, so that chunks get the elements of other chunks
// (https://github.com/fsspec/filesystem_spec/pull/1158, fixed in 2023.1.0). Zarr requests chunks in the C order of
// their numbers, for any selection. Therefore Write makes URLs and offsets ascend in that order. If they do not ascend
// without changes, it encodes the chunk numbers in the URL as path segments that do not change the directory. Such
// segments affect how URLs compare, but not which files they name.

// marks describes the segments added to the URLs of an array.
type marks struct {
	// widths holds the number of bits of a chunk number along each of the first axes. It is empty if URLs have no marks.
	widths []int
	// sources means that the last number is the number of the source instead of the chunk, so that ranges within one file
	// can be merged.
	sources bool
}

// setMarks sets the marks of the arrays that need them.
func (p *Plan) setMarks() {
	for _, a := range p.Arrays() {
		m := p.marksOf(a)
		switch {
		case len(m.widths) == 0:
		case p.hasOneRoot():
			a.marks = m
		default:
			p.Unordered = true
		}
	}
}

// marksOf returns the shortest marks with which the URLs of the array ascend.
func (p *Plan) marksOf(a *Array) (m marks) {
	var last *part
	sources, sorted := 0, true
	for i := range a.parts {
		at := &a.parts[i]
		if at.copied || last != nil && at.source == last.source {
			continue
		}
		sources++
		sorted = sorted && (last == nil || p.precedes(last.source, at.source))
		last = at
	}
	if last == nil {
		return m
	}
	n := 0
	for !p.ascends(a, n, sources, sorted) {
		m.widths = append(m.widths, bits.Len(uint(a.chunks(n)-1)))
		n++
	}
	if p.joined == Concat && n-1 == p.join && p.ascends(a, n-1, sources, true) {
		m.sources = true
		m.widths[n-1] = bits.Len(uint(len(p.sources) - 1))
	}
	return m
}

// precedes reports whether all ranges of s precede all ranges of t.
func (p *Plan) precedes(s, t *Source) bool {
	if s.URL != t.URL {
		return s.URL < t.URL
	}
	shape := p.memoryShape(s.Shape)
	return s.Offset+int64(p.strides(shape)[0])*int64(shape[0]) <= t.Offset
}

// ascends reports whether URL and offset ascend in the C order of the chunk numbers, among chunks with the same numbers
// along the first n axes. sources is the number of sources of the chunks. sorted means that all ranges of a source
// precede the ranges of the next source.
func (p *Plan) ascends(a *Array, n, sources int, sorted bool) bool {
	outermost, outer := true, -1
	for axis := n; axis < len(a.Shape); axis++ {
		if a.chunks(axis) == 1 {
			continue
		}
		if axis == p.join && sources > 1 {
			if !outermost || !sorted {
				return false
			}
			if a.chunks(axis) == sources { // each source is one chunk long
				outermost = false
				continue
			}
		}
		k := 0
		for p.axis(k) != axis {
			k++
		}
		if k < outer {
			return false
		}
		outermost, outer = false, k
	}
	return true
}

// chunks returns the number of chunks along an axis.
func (a *Array) chunks(axis int) int { return (a.Shape[axis] + a.Chunks[axis] - 1) / a.Chunks[axis] }

// hasOneRoot reports whether the URLs of all sources can have marks after the same root.
func (p *Plan) hasOneRoot() bool {
	root, _ := cutRoot(p.sources[0].URL)
	for i := range p.sources {
		if r, _ := cutRoot(p.sources[i].URL); r == "" || r != root {
			return false
		}
	}
	return true
}

// cutRoot splits a URL at the position for segments that do not change the directory: after the root of an absolute
// path, or after the host of an HTTP URL. In other URLs, for example on object stores, such segments would be part of
// the name, so root is empty.
func cutRoot(url string) (root, rest string) {
	scheme, path, found := strings.Cut(url, "://")
	n := len(scheme) + len("://")
	switch {
	case !found:
		n, path = 0, url
		fallthrough
	case scheme == "file" || scheme == "local":
		drive := strings.TrimPrefix(path, "/")
		switch {
		case len(drive) > 2 && drive[1:3] == ":/": // C:/ or /C:/
			n += len(path) - len(drive) + 3
		case len(drive) == len(path)-1 && !strings.HasPrefix(drive, "/"):
			n++
		default:
			return "", url
		}
	case scheme == "http" || scheme == "https":
		i := strings.IndexByte(path, '/')
		if i < 0 {
			return "", url
		}
		n += i + 1
	default:
		return "", url
	}
	return url[:n], url[n:]
}

// append appends the marks of a chunk to b, which ends in the root of a URL. In a path, bits 0 and 1 are "./" and "/",
// because . sorts before /. In an HTTP URL, where empty segments matter, they are "%2E/" and "./". Clients resolve both
// (RFC 3986, sections 5.2.4 and 6.2.2), including yarl, which fsspec uses.
func (m marks) append(b []byte, root string, chunk []int, source int) []byte {
	if len(m.widths) == 0 {
		return b
	}
	bit := [2]string{"./", "/"}
	if strings.HasPrefix(root, "http") {
		bit = [2]string{"%2E/", "./"}
	} else {
		b = append(b, "./"...) // so that the path does not begin with //
	}
	for axis, width := range m.widths {
		n := chunk[axis]
		if m.sources && axis == len(m.widths)-1 {
			n = source
		}
		for i := width - 1; i >= 0; i-- {
			b = append(b, bit[n>>i&1]...)
		}
	}
	return b
}
