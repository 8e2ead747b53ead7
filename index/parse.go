package index

import "errors"

// Parse reads a selection.
func Parse(s string) ([]Selector, error) { return nil, errors.New("not yet") }
