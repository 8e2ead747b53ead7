package httpat

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/mmap"
)

// A version identifies a version of a file by the validators that the server sends with it.
type version struct {
	etag     string // as in the header, with quotes; "" if there is none
	modified string // Last-Modified
}

// isStrong reports whether v has a strong ETag, which differs for any two versions with different bytes.
func (v *version) isStrong() bool { return v != nil && strings.HasPrefix(v.etag, `"`) }

// equal reports whether v and w are the same version, as far as their validators tell.
func (v *version) equal(w *version) bool {
	return v.etag == w.etag && (v.isStrong() || v.modified == w.modified)
}

// check returns the number of bytes in the body of resp, which answers a request for n bytes at off. It is at least 1
// and at most n, or 0 if the file is empty. It returns an error if the answer has other bytes, or bytes of another
// version than f. The first answer sets the version and the size of f.
func (f *File) check(resp *http.Response, off int64, n int) (int, error) {
	v := &version{resp.Header.Get("ETag"), resp.Header.Get("Last-Modified")}
	text := resp.Header.Get("Content-Range")
	have, valid := parseContentRange(text)
	empty := resp.StatusCode == http.StatusOK && resp.ContentLength == 0 || // Go's http.FileServer, for an empty file
		resp.StatusCode == http.StatusRequestedRangeNotSatisfiable && valid && have.total == 0
	switch {
	case empty && f.version == nil:
		f.version, f.size = v, 0
		return 0, nil
	case empty:
		return 0, f.lengthError(0)
	case resp.StatusCode == http.StatusOK:
		if f.version != nil && (!v.equal(f.version) || resp.ContentLength >= 0 && resp.ContentLength != f.size) {
			return 0, changedError("the server answers with another file")
		}
		return 0, fmt.Errorf("%w: the server does not support byte ranges, it sends the whole file; download the file",
			errors.ErrUnsupported)
	case resp.StatusCode == http.StatusRequestedRangeNotSatisfiable && valid && f.version != nil && have.total != f.size:
		return 0, f.lengthError(have.total)
	case resp.StatusCode != http.StatusPartialContent:
		return 0, f.statusError(resp)
	case !valid:
		return 0, fmt.Errorf("invalid answer: Content-Range %q; want first-last/length", redact(text))
	case f.version == nil:
		f.version, f.size = v, have.total
	case have.total != f.size:
		return 0, f.lengthError(have.total)
	case !v.equal(f.version):
		return 0, changedError("the server sends another ETag or Last-Modified")
	}
	if have.first != off || have.last < off || have.last-off >= int64(n) {
		return 0, fmt.Errorf("invalid answer: Content-Range %q; want bytes %d-%d", redact(text), off, off+int64(n)-1)
	}
	length := have.last - have.first + 1
	if resp.ContentLength >= 0 && resp.ContentLength != length {
		return 0, fmt.Errorf("invalid answer: Content-Length %d, but Content-Range %q", resp.ContentLength, redact(text))
	}
	coding := resp.Header.Get("Content-Encoding")
	if resp.Uncompressed || coding != "" && !strings.EqualFold(coding, "identity") {
		return 0, errors.New("invalid answer: the server compresses the file; serve it without Content-Encoding")
	}
	if strings.HasPrefix(strings.ToLower(resp.Header.Get("Content-Type")), "multipart/byteranges") {
		return 0, errors.New("invalid answer: multipart/byteranges for a single range")
	}
	return int(length), nil
}

// A contentRange is the value of the header Content-Range.
type contentRange struct{ first, last, total int64 }

// parseContentRange parses a header such as "bytes 0-99/1000". In the header "bytes */1000" of an answer without bytes,
// first is 0 and last is -1. A header without the total is not valid here.
func parseContentRange(s string) (r contentRange, ok bool) {
	unit, s, _ := strings.Cut(s, " ")
	span, total, _ := strings.Cut(s, "/")
	if r.total, ok = parseDigits(total); !ok || !strings.EqualFold(unit, "bytes") {
		return r, false
	}
	if span == "*" {
		r.last = -1
		return r, true
	}
	first, last, _ := strings.Cut(span, "-")
	r.first, ok = parseDigits(first)
	if !ok {
		return r, false
	}
	r.last, ok = parseDigits(last)
	return r, ok && r.first <= r.last && r.last < r.total
}

// parseDigits parses a number that consists only of digits.
func parseDigits(s string) (int64, bool) {
	n, err := strconv.ParseUint(s, 10, 63) // accepts no sign
	return int64(n), err == nil
}

// statusError returns the error for an answer whose status is neither 200 nor 206. It is a *temporaryError if it makes
// sense to repeat the request.
func (f *File) statusError(resp *http.Response) error {
	code := resp.StatusCode
	message := fmt.Sprintf("the server answered %d %s", code, http.StatusText(code))
	if resp.Request != nil && resp.Request.URL.Host != f.url.Host {
		message += " after a redirect to " + redact(resp.Request.URL.Host)
	}
	switch {
	case code == http.StatusPreconditionFailed && f.version.isStrong():
		return changedError("the server has another ETag")
	case code == http.StatusRequestedRangeNotSatisfiable && f.version != nil && resp.Header.Get("Content-Range") == "":
		return changedError("the bytes cannot be found in the file any more")
	case code == http.StatusNotFound || code == http.StatusGone:
		return fmt.Errorf("%w: %s", fs.ErrNotExist, message)
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return fmt.Errorf("%w: %s; check the credentials, or get a new URL if it was signed for a limited time",
			fs.ErrPermission, message)
	case code == http.StatusRequestTimeout || code == http.StatusTooManyRequests || code >= 500:
		wait := retryAfter(resp.Header)
		if wait > maxRetryAfter {
			return fmt.Errorf("%s, and asks to wait for %v", message, wait)
		}
		return &temporaryError{errors.New(message), wait}
	}
	return errors.New(message)
}

// changedError returns an error for a file that has been changed since Open.
func changedError(how string) error {
	return fmt.Errorf("%w since it was opened: %s; open it again", mmap.ErrChanged, how)
}

// lengthError returns an error for a file that has been changed, and now has n bytes.
func (f *File) lengthError(n int64) error {
	return changedError(fmt.Sprintf("it has %d bytes, and had %d", n, f.size))
}
