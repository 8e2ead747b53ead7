package dtype

import "fmt"

// MarshalText implements [encoding.TextMarshaler]: the text is that of [DType.String], which [Parse] reads, and for the
// zero DType empty. So encoding/json has a dtype as "<f8". A dtype that has no such text, of which [DType.Descr] is an
// error, is an error.
func (d DType) MarshalText() ([]byte, error) {
	if d.kind == KindInvalid {
		return []byte{}, nil
	}
	if err := d.writable(); err != nil {
		return nil, err
	}
	return []byte(d.String()), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler]: it sets d to the dtype that [Parse] reads from the text, and to
// the zero DType for an empty one. After an error d is what it was.
func (d *DType) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*d = DType{}
		return nil
	}
	parsed, err := Parse(string(text))
	if err != nil {
		return err
	}
	if parsed.kind == KindInvalid {
		return fmt.Errorf("dtype: %q describes nothing", text)
	}
	*d = parsed
	return nil
}
