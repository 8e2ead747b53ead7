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

// Sector is how many bytes a disk writes at once: after a power failure they are
// the old ones or the new ones. Disks have sectors of 512 bytes or of a multiple,
// and files start at the start of one.
const Sector = 512

// An Edit is bytes to be written at an offset of the file.
type Edit struct {
	Offset int
	Bytes  []byte
}

// Axis is the axis along which the data grows at its end: the first one in C order and
// of a column, the last in Fortran order, -1 for 0-d. The data of a file without a header,
// which has no version, grows as its order says.
func (h *Header) Axis() int {
	if h.Order == index.F && (h.Version[0] == 0 || !h.IsColumn()) {
		return len(h.Shape) - 1
	}
	return min(0, len(h.Shape)-1)
}

// IsColumn reports whether all lengths but the first are 1. Then the elements are the same
// bytes in either order, for any first length.
func (h *Header) IsColumn() bool {
	return !slices.ContainsFunc(h.Shape[min(1, len(h.Shape)):], func(n int) bool { return n != 1 })
}

// Grow is the header once the growing axis has length n, which may be less than it has, and how to make it of b,
// the bytes of h in the file. A column of two dimensions or more, such as (9, 1), is then in
// C order, whatever it was in before. The header has as many bytes: the spaces at its end are
// the room for more digits. Where b is what NumPy writes, so is the result; other
// spellings stay what they are. A header without room is an [Error].
//
// The edits are to be written one after the other, each stored safely before the
// next. Then at no instant is there anything but a header of the old length or of
// the new one, also if the power fails, on which this is built: a disk writes a
// sector ([Sector]) as a whole or not at all, and what has not been stored safely
// may be there or not, sector by sector.
//
// Mostly there is one edit, within one sector. From the first digit on the text may
// cross into the next one, in headers of 500 bytes or 1000: then, to change from
//
//	…, 'shape': (9|9, 3), }     ↵        where | is the end of the sector, to
//	…, 'shape': (1|00, 3), }    ↵
//
// no order of writing the two will do: 19 and 900 are neither. But a comment may
// follow the dict, and spaces after commas and colons may be left out. So the
// first edit is of the first sector and makes it all of the new header and the start of
// a comment, in which the rest is:
//
//	…,'shape':(100,3)}#|9, 3), }     ↵
//
// the second edit is of the rest, which means nothing now, and the third gives the
// first sector its final bytes. After a crash in between, the file has that
// comment until it grows again.
func (h *Header) Grow(b []byte, n int) (Header, []Edit, error) {
	next, err := h.grown(n)
	if err != nil {
		return Header{}, nil, err
	}
	want, err := h.rewrite(b, next)
	if err != nil {
		return Header{}, nil, err
	}
	edits, err := steps(b, want, next)
	return next, edits, err
}

// grown is h with n positions of the growing axis.
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

// rewrite is the bytes of next, as many as b has, which are those of h.
func (h *Header) rewrite(b []byte, next Header) ([]byte, error) {
	as := next
	if want, err := as.encode(); err == nil && len(want) == len(b) && as.Version == h.Version && next.is(want) {
		return want, nil
	}
	// Not the length that NumPy makes it, or a type of models, which NumPy's spelling would make bytes: only the digits
	// change, and the order of a column, and what follows them moves.
	p, err := locate(b, h.Axis())
	if err != nil {
		return nil, err
	}
	digits := strconv.Itoa(next.Shape[h.Axis()])
	text := bytes.TrimSuffix(b, []byte{'\n'})
	if rest := text[p.closed:]; len(rest) > 0 && rest[0] == '#' { // left by a crash
		text = appendSpaces(slices.Clone(text[:p.closed]), len(rest))
	}
	changes := []change{{p.from, p.to, digits}}
	if next.Order != h.Order {
		changes = append(changes, change{p.order, p.ordered, "False"})
		slices.SortFunc(changes, func(a, b change) int { return a.from - b.from })
	}
	more := 0
	for _, c := range changes {
		more += len(c.text) - (c.to - c.from)
	}
	if room := len(text) - len(bytes.TrimRight(text, " ")); more > room {
		return nil, errorf(p.from,
			"dimension %s has no room: it needs %d more bytes, and the header ends in %d spaces; npy convert IN OUT, or numpy.save, writes a file with room to grow",
			digits, more, room)
	}
	var want []byte
	at := 0
	for _, c := range changes {
		want = append(append(want, text[at:c.from]...), c.text...)
		at = c.to
	}
	want = appendSpaces(append(want, text[at:len(text)-max(0, more)]...), -more)
	want = append(want, b[len(text):]...)
	if !next.is(want) {
		return nil, errorf(p.from,
			"dimension %s cannot be edited where it stands; npy convert IN OUT, or numpy.save, writes the header anew", digits)
	}
	return want, nil
}

// A change puts text at the bytes from..to of a header.
type change struct {
	from, to int
	text     string
}

// places are offsets of a header: of its text, of the length of the growing axis
// and its end, of the order and its end, and of the end of the dict.
type places struct{ text, from, to, order, ordered, closed int }

// locate finds the places in b, a header whose growing axis is known.
func locate(b []byte, axis int) (p places, err error) {
	version, start, end, err := Span(b, math.MaxInt32)
	if err != nil {
		return p, err
	}
	dict, err := pylit.Parse(string(b[start:end]), syntax(version))
	if err != nil {
		return p, errorf(start, "%v", err)
	}
	p.text, p.closed = start, start+dict.Pos()+len(dict.Text())
	for key := dict.First(); key.Kind() != pylit.Invalid; key = dict.After(dict.After(key)) {
		value := dict.After(key)
		switch key.Str() {
		case "shape":
			n := value.First()
			for range axis {
				n = value.After(n)
			}
			p.from = start + n.Pos()
			p.to = p.from + len(n.Text())
		case "fortran_order":
			p.order = start + value.Pos()
			p.ordered = p.order + len(value.Text())
		}
	}
	return p, nil
}

// is reports whether b says what h says.
func (h *Header) is(b []byte) bool {
	got, err := Parse(b, math.MaxInt32)
	return err == nil && got.Version == h.Version && got.DataOffset == h.DataOffset && got.DType.Equal(h.DType) &&
		got.Order == h.Order && slices.Equal(got.Shape, h.Shape)
}

// steps takes the bytes of a header from b to want, which says what next does.
func steps(b, want []byte, next Header) ([]Edit, error) {
	lo, hi := differ(b, want)
	if lo == hi {
		return nil, nil
	}
	if lo/Sector == (hi-1)/Sector {
		return []Edit{{lo, want[lo:hi]}}, nil
	}
	start := lo / Sector * Sector
	end := start + Sector
	refuse := errorf(lo,
		"the length crosses byte %d of the file, and to change both sides at once is not safe; write a new file with Save or numpy.save", end)
	// In a comment the bytes of both may be mixed: no line ends, no parts of characters.
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
	between := slices.Clone(b)
	dense := compact(want[:p.closed], p.text, start)
	dense = append(bytes.TrimSuffix(dense, []byte(",}")), "}#"...)
	if len(dense) > end {
		return nil, refuse
	}
	copy(between[start:end], appendSpaces(dense, end-len(dense))[start:])
	if !next.is(between) {
		return nil, refuse
	}
	first, last := differ(b[:end], between[:end])
	edits := []Edit{{first, between[first:last]}, {end, want[end:hi]}}
	first, last = differ(between[:end], want[:end])
	return append(edits, Edit{first, want[first:last]}), nil
}

// differ is the range of bytes outside of which a and b are the same.
func differ(a, b []byte) (lo, hi int) {
	for lo < len(a) && a[lo] == b[lo] {
		lo++
	}
	for hi = len(a); hi > lo && a[hi-1] == b[hi-1]; hi-- {
	}
	return lo, hi
}

// compact is b, whose text starts at text, without the spaces after commas and
// colons from start on.
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
