package httpat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

var errStalled = errors.New("the server has sent nothing")

// request requests the bytes of the file from off on once, and reads them to p, up to the end of the file. It returns
// their number. The error is a *temporaryError if it makes sense to repeat the request for the missing bytes.
func (f *File) request(ctx context.Context, p []byte, off int64) (n int, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := time.AfterFunc(f.stall, func() {
		cancel(fmt.Errorf("%w for %v", errStalled, f.stall))
	})
	defer stall.Stop()

	resp, err := f.get(ctx, off, len(p))
	if err != nil {
		return 0, err
	}
	defer closeBody(resp)
	have, err := f.check(resp, off, len(p))
	if err != nil || have == 0 {
		return 0, err
	}
	stall.Reset(f.stall)
	body := &progressReader{resp.Body, func() { stall.Reset(f.stall) }}
	n, err = io.ReadFull(body, p[:have])
	if err != nil {
		return n, transportError(ctx, fmt.Errorf("the answer was cut after %d of %d bytes: %w", n, have, err))
	}
	// Without reading the end of the body, the connection could not be used again. It is no error if the end is missing.
	if extra, _ := body.Read(make([]byte, 1)); extra > 0 {
		return 0, fmt.Errorf("invalid answer: more than the %d bytes of its Content-Range", have)
	}
	if want := min(int64(len(p)), f.size-off); int64(have) < want {
		return n, &temporaryError{error: fmt.Errorf("the server sent only %d of %d bytes", have, want)}
	}
	return n, nil
}

// A progressReader calls progress after each Read that returned bytes.
type progressReader struct {
	io.Reader
	progress func()
}

func (r *progressReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 {
		r.progress()
	}
	return n, err
}

const maxRedirects = 10

// get sends a request for n bytes at off, and follows redirects. The caller closes the body of the answer.
//
// http.Client would send all headers except a few to every host, and the query of the URL as Referer. Therefore, get
// makes each request itself. Once a redirect has left the host of the URL, no further request gets the credentials.
func (f *File) get(ctx context.Context, off int64, n int) (*http.Response, error) {
	u, header := f.url, f.header
	var via []*http.Request
	for {
		req := (&http.Request{Method: http.MethodGet, URL: u, Host: u.Host, Header: header.Clone()}).WithContext(ctx)
		if req.Header == nil {
			req.Header = http.Header{}
		}
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", off, off+int64(n)-1))
		req.Header.Set("Accept-Encoding", "identity")
		if f.version.isStrong() {
			req.Header.Set("If-Match", f.version.etag)
		}
		if len(via) > 0 && f.client.CheckRedirect != nil {
			if err := f.client.CheckRedirect(req, via); err != nil {
				return nil, fmt.Errorf("redirect to %s: %w", redact(u.Host), redactError(err))
			}
		}
		resp, location, err := f.send(req)
		if err != nil {
			return nil, transportError(ctx, err)
		}
		switch resp.StatusCode {
		default:
			return resp, nil
		case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
			http.StatusPermanentRedirect:
		}
		closeBody(resp)
		if via = append(via, req); len(via) > maxRedirects {
			return nil, fmt.Errorf("more than %d redirects", maxRedirects)
		}
		next, err := redirectURL(u, location)
		if err != nil {
			return nil, err
		}
		if next.User = u.User; !sameOrigin(u, next) {
			next.User, header = nil, nil
		}
		u = next
	}
}

// send sends a request, and returns the answer and its Location, if it has one. It does not follow redirects.
func (f *File) send(req *http.Request) (resp *http.Response, location string, err error) {
	hider := &locationHider{RoundTripper: cmp.Or(f.client.Transport, http.DefaultTransport)}
	client := *f.client
	client.Transport = hider
	resp, err = client.Do(req)
	return resp, hider.location, err
}

// A locationHider removes the header Location from an answer, and remembers it. Without Location, http.Client returns
// redirects to its caller. With it, http.Client would make an error with the whole Location of one that is invalid,
// even if CheckRedirect follows no redirect.
type locationHider struct {
	http.RoundTripper
	location string
}

func (h *locationHider) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := h.RoundTripper.RoundTrip(req)
	if err == nil && resp != nil { // http.Client makes an error of nil
		h.location = resp.Header.Get("Location")
		resp.Header = resp.Header.Clone() // a transport with a cache may use it again
		resp.Header.Del("Location")
	}
	return resp, err
}

// redirectURL returns the URL in the Location of a redirect.
func redirectURL(from *url.URL, location string) (*url.URL, error) {
	if location == "" {
		return nil, errors.New("redirect without a Location")
	}
	to, err := from.Parse(location)
	switch {
	case err != nil || checkURL(to) != nil:
		return nil, errors.New("redirect to an invalid URL, or one that is not http or https")
	case from.Scheme == "https" && to.Scheme == "http":
		return nil, fmt.Errorf("redirect from https to http, host %s", redact(to.Host))
	}
	return to, nil
}

// sameOrigin reports whether two URLs have the same scheme, host and port.
func sameOrigin(a, b *url.URL) bool {
	port := func(u *url.URL) string {
		if u.Port() == "" {
			return map[string]string{"http": "80", "https": "443"}[u.Scheme]
		}
		return u.Port()
	}
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

// closeBody closes the body of an answer. It first reads the rest of a short body, so that the connection can be used
// again, unless the body is the whole file.
func closeBody(resp *http.Response) {
	if resp.StatusCode != http.StatusOK {
		io.CopyN(io.Discard, resp.Body, 4<<10)
	}
	resp.Body.Close()
}
