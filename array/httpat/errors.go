package httpat

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode"
)

// parseURL parses the URL of a file. It does not pass on errors of net/url, which contain parts of the URL, and maybe
// of the password.
func parseURL(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil {
		return nil, errors.New("not a valid URL; the text is not shown because it may contain a password")
	}
	u.Fragment, u.RawFragment = "", ""
	return u, checkURL(u)
}

// checkURL returns an error if u is not a complete http or https URL, or has spaces in its query.
func checkURL(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return errors.New("not a URL that begins with http:// or https://")
	case u.Hostname() == "":
		return errors.New("the URL has no host")
	case strings.ContainsFunc(u.RawQuery, unicode.IsSpace): // redact ends a query at a space
		return errors.New("the URL has a space in its query; write %20")
	}
	return nil
}

// withoutSecrets returns u without user, password, query and fragment.
func withoutSecrets(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

var (
	query    = regexp.MustCompile(`\?\S*`)
	userinfo = regexp.MustCompile(`//[^/\s]*@`)
)

// redact returns a message of another package without the user, password and query of URLs in it, without control
// characters, which may come from the server, and not longer than 300 bytes.
func redact(s string) string {
	s = query.ReplaceAllLiteralString(s, "?…")
	s = userinfo.ReplaceAllLiteralString(s, "//")
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "") + "…"
	}
	return s
}

// A redactedError is an error of another package with a redacted message.
type redactedError struct {
	error
	message string
}

func (e *redactedError) Error() string { return e.message }
func (e *redactedError) Unwrap() error { return e.error }

// redactError returns an error of net/http, or of the caller's Transport or CheckRedirect, with a redacted message. The
// error does not wrap a *url.Error, whose URL may have a password.
func redactError(err error) error {
	for e, ok := errors.AsType[*url.Error](err); ok; e, ok = errors.AsType[*url.Error](err) {
		err = e.Err
	}
	return &redactedError{err, redact(err.Error())}
}

// transportError returns the error of a request that got no answer, or only a part of one. It is a *temporaryError
// unless the next request would certainly fail, too.
func transportError(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, errStalled) {
		return &temporaryError{error: cause}
	}
	if errors.Is(err, io.EOF) { // a caller would take it for the end of the file
		err = fmt.Errorf("the server closed the connection: %w", io.ErrUnexpectedEOF)
	}
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	dns, ok := errors.AsType[*net.DNSError](err)
	if certificate || ok && dns.IsNotFound || errors.Is(err, http.ErrSchemeMismatch) {
		return redactError(err)
	}
	return &temporaryError{error: redactError(err)}
}
