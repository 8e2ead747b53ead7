package objects

import (
	"fmt"
	"io"
	"strconv"

	"github.com/ndmap/ndmap/array"
)

// A NameError reports that a pickle names a class or a function that is neither a plain value nor part of an array.
// Python would import and call it. It wraps [array.ErrFormat].
type NameError struct {
	Path   string // path of the file; "" for a stream
	Part   string // "pickle", after the member of an archive
	Offset int64  // offset of the opcode, in bytes from the start of the file or the member
	Name   string // module and name, such as "os.system"
}

// Error returns a message such as `t.npy: pickle at byte 130: "os.system" is …`.
func (e *NameError) Error() string {
	return e.format().Error()
}

func (e *NameError) format() *array.FormatError {
	return &array.FormatError{Path: e.Path, Part: e.Part, Offset: e.Offset,
		Msg: strconv.QuoteToGraphic(clip(e.Name)) +
			" is neither a plain value nor an array, and ndmap runs no code from a file; save the array from Python without it"}
}

// Unwrap returns [array.ErrFormat].
func (e *NameError) Unwrap() error { return array.ErrFormat }

// clip shortens s for messages.
func clip(s string) string {
	if len(s) > 100 {
		return s[:100] + "…"
	}
	return s
}

// A failure is the panic value that ends a decoder. [decoder.array] returns the error.
type failure struct{ error }

// failure returns the panic value for an error at the current opcode.
func (d *decoder) failure(format string, args ...any) failure {
	return failure{&array.FormatError{Path: d.path, Part: d.part, Offset: d.at, Msg: fmt.Sprintf(format, args...)}}
}

// failf ends the decoder with an error at the current opcode.
func (d *decoder) failf(format string, args ...any) { panic(d.failure(format, args...)) }

// failName ends the decoder with a *NameError.
func (d *decoder) failName(name string) {
	panic(failure{&NameError{Path: d.path, Part: d.part, Offset: d.at, Name: name}})
}

// failRead ends the decoder with an error of the stream.
func (d *decoder) failRead(err error) {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = fmt.Errorf("%w: %w", &array.FormatError{Path: d.path, Part: d.part, Offset: d.pos,
			Msg: "the stream ends here"}, io.ErrUnexpectedEOF)
	}
	panic(failure{err})
}
