package index

// A Selection selects elements of an array by NumPy's basic indexing: it contains a [Selector] for
// each item between the brackets. Pass it on as a.Select(sel...). The nil Selection selects
// everything.
//
// In a flag or a JSON file a Selection is the text that [Parse] reads:
//
//	var sel index.Selection
//	flag.TextVar(&sel, "select", sel, "the elements, such as ::-1, 2:5")
type Selection []Selector

// String returns the selectors with ", " between them and without brackets, in a form that
// [Parse] reads back to an equal selection: "1:10:2, ..., None, -1". The text of an empty
// Selection is empty.
func (sel Selection) String() string {
	var text []byte
	for i, s := range sel {
		if i > 0 {
			text = append(text, ", "...)
		}
		text = append(text, s.String()...)
	}
	return string(text)
}

// MarshalText implements [encoding.TextMarshaler]. It returns the text of [Selection.String], or
// an error if [Parse] does not read it: for two Ellipses, a step of zero, or more than 129
// selectors. No array accepts such a selection.
func (sel Selection) MarshalText() ([]byte, error) {
	text := sel.String()
	if _, err := Parse(text); err != nil {
		return nil, err
	}
	return []byte(text), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler]. It sets sel to the result of [Parse]. After
// an error sel is unchanged.
func (sel *Selection) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err == nil {
		*sel = parsed
	}
	return err
}
