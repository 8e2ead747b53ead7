package dtype

// MarshalText implements [encoding.TextMarshaler]. It returns the text of [DType.String], which
// [Parse] reads, and an empty text for the zero DType. encoding/json therefore writes a dtype as
// "<f8".
//
// It returns an error if d is not the zero DType and [DType.Descr] returns an error.
func (d DType) MarshalText() ([]byte, error) {
	if d.kind == KindInvalid {
		return []byte{}, nil
	}
	if err := d.checkWritable(); err != nil {
		return nil, err
	}
	return []byte(d.String()), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler]. It sets d to the result of [Parse], or to
// the zero DType if the text is empty. After an error d is unchanged.
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
		return errorf("%q is not a dtype", text)
	}
	*d = parsed
	return nil
}
