package array

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/ndmap/ndmap/dtype"
)

// A TextView reads and writes the elements of an array of bytes (S) or unicode (U)
// as Go strings. It is a value; copies share the elements.
type TextView struct{ core }

// Text is a as text. Bytes are Latin-1, one byte a character, and NULs at the end
// are padding, as in NumPy. An array of another kind is a *[DTypeError].
func Text(a Array) (TextView, error) {
	a.some()
	if k := a.DType().Kind(); k != dtype.KindBytes && k != dtype.KindUnicode {
		return TextView{}, &DTypeError{Path: a.o.path, Have: a.DType(), Want: dtype.Bytes(a.ItemSize()), Msg: "only S and U are text"}
	}
	return TextView(a), nil
}

// Array is t as an array.
func (t TextView) Array() Array { return Array(t) }

// At is the element at idx. It panics if an index is out of range. Code points that
// are none (over 0x10FFFF, or surrogates) are an error, and in the string they are
// U+FFFD.
func (t TextView) At(idx ...int) (string, error) {
	t.some()
	return t.decode(t.element(t.lay.Offset(idx...)))
}

// Values iterates over the elements in C order, with the error that At would give.
func (t TextView) Values() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for w := walk(&t.core); w.more; w.next() {
			off := w.off
			for range w.inner.Len {
				if !yield(t.decode(t.element(off))) {
					return
				}
				off += w.inner.Stride
			}
		}
	}
}

// Set makes s the element at idx, and fills it with NULs. It panics as [View.Set]
// does. What does not fit is an error, and the element stays as it was: more
// characters than there is room for, a NUL at the end (which would be lost),
// characters over U+00FF in bytes, and strings that are not UTF-8.
func (t TextView) Set(s string, idx ...int) error {
	t.some()
	off := t.lay.Offset(idx...)
	if t.save == denied {
		panic(t.o.refusal(denied))
	}
	d := t.o.dtype
	room, most := d.ItemSize(), rune(0xFF)
	if d.Kind() == dtype.KindUnicode {
		room, most = room/4, utf8.MaxRune
	}
	n := utf8.RuneCountInString(s)
	switch {
	case !utf8.ValidString(s):
		return fmt.Errorf("%stext %q is not UTF-8", prefix(t.o.path), s)
	case n > room:
		return fmt.Errorf("%stext %q has %d characters; dtype %v has room for %d", prefix(t.o.path), s, n, d, room)
	case strings.HasSuffix(s, "\x00"):
		return fmt.Errorf("%stext %q ends with a NUL, which would be lost: it is padding", prefix(t.o.path), s)
	}
	for _, r := range s {
		if r > most {
			return fmt.Errorf("%stext %q has the character %q; dtype %v is Latin-1, up to U+00FF", prefix(t.o.path), s, r, d)
		}
	}
	b := t.element(off)
	clear(b)
	i := 0
	for _, r := range s {
		if most == 0xFF {
			b[i] = byte(r)
			i++
		} else {
			byteOrder(d).PutUint32(b[i:], uint32(r))
			i += 4
		}
	}
	return nil
}

func (t TextView) decode(b []byte) (string, error) {
	d := t.o.dtype
	if d.Kind() == dtype.KindBytes {
		b = bytes.TrimRight(b, "\x00")
		for _, c := range b {
			if c >= utf8.RuneSelf {
				var s strings.Builder
				for _, c := range b {
					s.WriteRune(rune(c))
				}
				return s.String(), nil
			}
		}
		return string(b), nil
	}
	for len(b) >= 4 && binary.NativeEndian.Uint32(b[len(b)-4:]) == 0 {
		b = b[:len(b)-4]
	}
	var s strings.Builder
	var err error
	for ; len(b) >= 4; b = b[4:] {
		r := byteOrder(d).Uint32(b)
		if err == nil && (r > utf8.MaxRune || !utf8.ValidRune(rune(r))) {
			err = fmt.Errorf("%s%#x is no character of Unicode", prefix(t.o.path), r)
		}
		if r > utf8.MaxRune {
			r = utf8.RuneError
		}
		s.WriteRune(rune(r))
	}
	return s.String(), err
}

func byteOrder(d dtype.DType) binary.ByteOrder {
	if d.Order() == dtype.BigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}
