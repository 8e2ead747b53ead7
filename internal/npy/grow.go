package npy

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/pylit"
)

// Sector is the number of bytes that a disk writes at once: after a power failure, a sector contains either the old
// bytes or the new ones. The sectors of disks have 512 bytes or a multiple of 512 bytes, and files start at a sector
// boundary.
const Sector = 512

// An Edit describes bytes to be written at an offset of the file.
type Edit struct {
	Offset int
	Bytes  []byte
}

// Axis returns the growing axis, along which data is appended: the first axis in C order and for a column, the last
// axis in Fortran order, and -1 for 0-d arrays. If the data has no header, Version is 0, and the order alone decides.
func (h *Header) Axis() int {
	if h.Order == index.F && (h.Version[0] == 0 || !h.IsColumn()) {
		return len(h.Shape) - 1
	}
	return min(0, len(h.Shape)-1)
}

// IsColumn reports whether all lengths except the first are 1. The elements then have the same positions in either
// order, for any first length.
func (h *Header) IsColumn() bool {
	return !slices.ContainsFunc(h.Shape[min(1, len(h.Shape)):], func(n int) bool { return n != 1 })
}

// Grow returns the header for length n of the growing axis, and the edits that change b to it. b holds the bytes of h
// in the file. n may be less than the current length. The new header has the same number of bytes: the spaces at its
// end are the room for more digits. If b is what NumPy writes, so is the result; other spellings are kept. A column of
// two dimensions or more, such as (9, 1), changes to C order. If the header has no room, Grow returns an [*Error].
//
// The caller must write the edits one after the other, and store each safely before the next. Then the file contains a
// valid header with the old or the new length at any time, even after a power failure. This assumes that a disk writes
// each [Sector] completely or not at all, and that any of the sectors that have not been stored safely may be old or
// new.
//
// Usually there is one edit, within one sector. But in headers of about 500 or 1000 bytes, the bytes that change may
// cross the end of a sector. For example, to change from
//
//	…, 'shape': (9|9, 3), }     ↵        where | is the end of the sector, to
//	…, 'shape': (1|00, 3), }    ↵
//
// the two sectors cannot be written in any order, because 19 and 900 are both wrong. But a comment may follow the dict,
// and spaces after commas and colons are optional. So the first edit fits the complete new dict into the first sector,
// followed by a # that turns the rest of the text into a comment:
//
//	…,'shape':(100,3)}#|9, 3), }     ↵
//
// The second edit changes the rest, which is only a comment, and the third edit changes the first sector to its final
// bytes. After a crash between them, the file keeps the comment until it grows again.
func (h *Header) Grow(b []byte, n int) (Header, []Edit, error) {
	next, err := h.grown(n)
	if err != nil {
		return Header{}, nil, err
	}
	want, err := h.rewrite(b, next)
	if err != nil {
		return Header{}, nil, err
	}
	edits, err := planEdits(b, want, next)
	return next, edits, err
}

// grown returns a copy of h in which the growing axis has length n.
func (h *Header) grown(n int) (Header, error) {
	next := *h
	next.Shape = slices.Clone(h.Shape)
	next.Shape[h.Axis()] = n
	if len(h.Shape) > 1 && h.IsColumn() {
		next.Order = index.C
	}
	var err error
	if _, next.NBytes, err = index.Size(next.Shape, h.DType.ItemSize()); err != nil {
		return Header{}, err
	}
	if next.NBytes > math.MaxInt-h.DataOffset {
		return Header{}, fmt.Errorf("shape %s of %s ends past the largest file offset", pylit.AppendTuple(nil, next.Shape),
			clip(h.DType.String()))
	}
	return next, nil
}

// rewrite returns the bytes of next, padded to the length of b. b holds the bytes of h.
func (h *Header) rewrite(b []byte, next Header) ([]byte, error) {
	encoded := next
	if want, err := encoded.encode(); err == nil && len(want) == len(b) && encoded.Version == h.Version &&
		next.matches(want) {
		return want, nil
	}
	// NumPy would write a header of another length, or the dtype is a float of machine learning models, which NumPy would
	// write as bytes. So change only the digits, and the order of a column, and move the bytes after them.
	p, err := locate(b, h.Axis())
	if err != nil {
		return nil, err
	}
	digits := strconv.Itoa(next.Shape[h.Axis()])
	text := bytes.TrimSuffix(b, []byte{'\n'})
	if rest := text[p.dictEnd:]; len(rest) > 0 && rest[0] == '#' { // left by a crash
		text = appendSpaces(slices.Clone(text[:p.dictEnd]), len(rest))
	}
	changes := []change{{p.lengthStart, p.lengthEnd, digits}}
	if next.Order != h.Order {
		changes = append(changes, change{p.orderStart, p.orderEnd, "False"})
		slices.SortFunc(changes, func(a, b change) int { return a.from - b.from })
	}
	growth := 0
	for _, c := range changes {
		growth += len(c.text) - (c.to - c.from)
	}
	if room := len(text) - len(bytes.TrimRight(text, " ")); growth > room {
		return nil, errorf(p.lengthStart,
			"dimension %s has no room: it needs %d more bytes, and the header ends in %d spaces; npy convert IN OUT, or numpy.save, writes a file with room to grow",
			digits, growth, room)
	}
	var want []byte
	at := 0
	for _, c := range changes {
		want = append(append(want, text[at:c.from]...), c.text...)
		at = c.to
	}
	want = appendSpaces(append(want, text[at:len(text)-max(0, growth)]...), -growth)
	want = append(want, b[len(text):]...)
	if !next.matches(want) {
		return nil, errorf(p.lengthStart,
			"dimension %s cannot be edited in place; npy convert IN OUT, or numpy.save, writes a new header", digits)
	}
	return want, nil
}

// A change replaces the bytes [from, to) of a header by text.
type change struct {
	from, to int
	text     string
}

// places holds offsets of a header: of its text, of the start and end of the length of the growing axis, of the start
// and end of the order, and of the end of the dict.
type places struct{ text, lengthStart, lengthEnd, orderStart, orderEnd, dictEnd int }

// locate returns the places in b, a valid header with the given growing axis.
func locate(b []byte, axis int) (p places, err error) {
	version, start, end, err := Span(b, math.MaxInt32)
	if err != nil {
		return p, err
	}
	dict, err := pylit.Parse(string(b[start:end]), syntax(version))
	if err != nil {
		return p, errorf(start, "%v", err)
	}
	p.text, p.dictEnd = start, start+dict.Pos()+len(dict.Text())
	for key := dict.First(); key.Kind() != pylit.Invalid; key = dict.After(dict.After(key)) {
		value := dict.After(key)
		switch key.Str() {
		case "shape":
			n := value.First()
			for range axis {
				n = value.After(n)
			}
			p.lengthStart = start + n.Pos()
			p.lengthEnd = p.lengthStart + len(n.Text())
		case "fortran_order":
			p.orderStart = start + value.Pos()
			p.orderEnd = p.orderStart + len(value.Text())
		}
	}
	return p, nil
}

// matches reports whether b is a header with the contents of h.
func (h *Header) matches(b []byte) bool {
	got, err := Parse(b, math.MaxInt32)
	return err == nil && got.Version == h.Version && got.DataOffset == h.DataOffset && got.DType.Equal(h.DType) &&
		got.Order == h.Order && slices.Equal(got.Shape, h.Shape)
}

// planEdits returns the edits that change the bytes of a header from b to want, the bytes of next.
func planEdits(b, want []byte, next Header) ([]Edit, error) {
	lo, hi := differingRange(b, want)
	if lo == hi {
		return nil, nil
	}
	if lo/Sector == (hi-1)/Sector {
		return []Edit{{lo, want[lo:hi]}}, nil
	}
	start := lo / Sector * Sector
	end := start + Sector
	refuse := errorf(lo,
		"the length crosses byte %d of the file, and both sides cannot be changed atomically; write a new file with Save or numpy.save", end)
	// During the second edit, the comment may be a mixture of b and want: neither may contain line ends or parts of a
	// character.
	for _, tail := range [][]byte{b[end:], want[end:]} {
		tail = bytes.TrimSuffix(tail, []byte{'\n'})
		if bytes.ContainsFunc(tail, func(r rune) bool { return r == '\n' || r == '\r' || r > 0x7E }) {
			return nil, refuse
		}
	}
	p, err := locate(want, next.Axis())
	if err != nil {
		return nil, err
	}
	intermediate := slices.Clone(b)
	dense := compact(want[:p.dictEnd], p.text, start)
	dense = append(bytes.TrimSuffix(dense, []byte(",}")), "}#"...)
	if len(dense) > end {
		return nil, refuse
	}
	copy(intermediate[start:end], appendSpaces(dense, end-len(dense))[start:])
	if !next.matches(intermediate) {
		return nil, refuse
	}
	first, last := differingRange(b[:end], intermediate[:end])
	edits := []Edit{{first, intermediate[first:last]}, {end, want[end:hi]}}
	first, last = differingRange(intermediate[:end], want[:end])
	return append(edits, Edit{first, want[first:last]}), nil
}

// differingRange returns the smallest range that contains all bytes that differ in a and b.
func differingRange(a, b []byte) (lo, hi int) {
	for lo < len(a) && a[lo] == b[lo] {
		lo++
	}
	for hi = len(a); hi > lo && a[hi-1] == b[hi-1]; hi-- {
	}
	return lo, hi
}

// compact returns b without the spaces after commas and colons, except before start. The text of b starts at text.
func compact(b []byte, text, start int) []byte {
	out := slices.Clone(b[:text])
	quote, escaped := byte(0), false
	for i := text; i < len(b); i++ {
		c, before := b[i], b[i-1]
		switch {
		case escaped:
			escaped = false
		case quote != 0 && c == '\\':
			escaped = true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		}
		if i < start || quote != 0 || c != ' ' || before != ',' && before != ':' {
			out = append(out, c)
		}
	}
	return out
}
