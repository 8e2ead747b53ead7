package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"github.com/ndmap/ndmap/examples/npy/words"
)

// mostLine is the maximum number of bytes in a line of CSV, including line breaks within quotes.
var mostLine = 64 << 20

// blankBytes are the separators used instead of commas.
const blankBytes = " \t\v\f"

// A csvLines reads a CSV file line by line and splits each line into fields. It accepts the format of encoding/csv, but
// needs memory for only one line. Unlike encoding/csv, it keeps a carriage return at the end of a line within quotes.
type csvLines struct {
	in        *bufio.Reader
	delimiter string // one character that separates fields
	blanks    bool   // blanks separate fields, instead of the delimiter
	heading   bool   // a line that begins with # ends at its line break, even within quotes
	comments  bool   // # begins a comment
	skip      string // lines of only these characters are skipped
	buf       []byte
	text      string // the current line, without its line break
	at        int    // start of the next field in text; greater than len(text) after the last field
	first     int    // number of the current line
	count     int    // number of lines of the file that the current line spans
	offset    int64  // offset of the end of the current line in the file
}

// next reads the next line that is not skipped. It returns io.EOF at the end of the file.
func (l *csvLines) next() error {
	for {
		l.buf, l.first, l.count, l.at = l.buf[:0], l.first+l.count, 0, 0
		for quotes := 0; l.count == 0 || quotes%2 == 1; {
			start := len(l.buf)
			err := l.readLine()
			if err != nil && err != io.EOF {
				return err
			}
			l.count++
			if i := bytes.IndexByte(l.buf[start:], '#'); l.comments && i >= 0 {
				l.buf = l.buf[:start+i]
			}
			if err == io.EOF {
				if len(l.buf) == 0 {
					return io.EOF
				}
				break
			}
			if l.heading && bytes.HasPrefix(l.buf, []byte{'#'}) {
				break
			}
			quotes += bytes.Count(l.buf[start:], []byte{'"'})
		}
		line := bytes.TrimSuffix(bytes.TrimSuffix(l.buf, []byte{'\n'}), []byte{'\r'})
		if len(bytes.Trim(line, l.skip)) == 0 {
			continue
		}
		l.text = string(line)
		return nil
	}
}

// readLine appends one line of the file to the buffer, including its line break.
func (l *csvLines) readLine() error {
	for {
		part, err := l.in.ReadSlice('\n')
		l.offset += int64(len(part))
		if len(l.buf)+len(part) > mostLine {
			hint := "lines must not be longer"
			if l.count > 0 {
				hint = "is a quote missing?"
			}
			return fmt.Errorf("line %d has more than %s; %s", l.first, words.Bytes(mostLine), hint)
		}
		l.buf = append(l.buf, part...)
		if err != bufio.ErrBufferFull {
			return err
		}
	}
}

// field returns the next field of the line. ok is false after the last field.
func (l *csvLines) field() (s string, ok bool, err error) {
	if l.at > len(l.text) {
		return "", false, nil
	}
	rest := l.text[l.at:]
	if l.blanks {
		rest = strings.TrimLeft(rest, blankBytes)
		n := strings.IndexAny(rest, blankBytes)
		if n < 0 {
			n = len(rest)
		}
		l.at = len(l.text) - len(rest) + n
		if n == 0 {
			l.at++
		}
		return rest[:n], n > 0, nil
	}
	if !strings.HasPrefix(rest, `"`) {
		s, _, _ = strings.Cut(rest, l.delimiter)
		if i := strings.IndexByte(s, '"'); i >= 0 {
			return "", false, l.errorAt(l.at+i, csv.ErrBareQuote)
		}
		l.at += len(s) + len(l.delimiter)
		return s, true, nil
	}
	for i, doubled := 1, false; ; i += 2 {
		n := strings.IndexByte(rest[i:], '"')
		if n < 0 {
			return "", false, l.errorAt(l.at, csv.ErrQuote)
		}
		i += n
		switch {
		case i+1 == len(rest) || strings.HasPrefix(rest[i+1:], l.delimiter):
			l.at += i + 1 + len(l.delimiter)
			if s = rest[1:i]; doubled {
				s = strings.ReplaceAll(s, `""`, `"`)
			}
			return s, true, nil
		case rest[i+1] != '"':
			return "", false, l.errorAt(l.at+i, csv.ErrQuote)
		}
		doubled = true
	}
}

// fields returns the fields of the line, but at most the first n.
func (l *csvLines) fields(n int) (all []string, err error) {
	for len(all) < n {
		s, ok, err := l.field()
		if !ok {
			return all, err
		}
		all = append(all, s)
	}
	return all, nil
}

// errorAt adds the position of byte i of the line to err.
func (l *csvLines) errorAt(i int, err error) error {
	before := l.text[:i]
	return fmt.Errorf("line %d, byte %d: %w", l.first+strings.Count(before, "\n"), i-strings.LastIndexByte(before, '\n'),
		err)
}
