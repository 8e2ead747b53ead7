// Package httpat reads byte ranges of files on HTTP servers. A [File] is an [io.ReaderAt], so that programs can read
// parts of a file without downloading it.
//
//	f, err := httpat.Open(ctx, nil, "https://example.com/data.npy")
//	if err != nil { … }
//	_, err = f.ReadAt(buf, 1<<20) // requests len(buf) bytes
//
// # Tasks
//
//   - read bytes of a file: the package's Example
//   - open an array, an archive or a model on a server: pass f and f.Size() to array.OpenReaderAt, npz.NewReader or
//     safetensors.NewReader
//   - send credentials, use another client, change limits: [OpenConfig]
//   - stop reading: [File.ReadAtContext]
//
// # Requests
//
// Open sends a GET request for the first 64 KiB and keeps them in memory. The answer contains the size of the file, so
// that no HEAD request is necessary, which signed URLs refuse. ReadAt copies bytes from these 64 KiB, and requests all
// other bytes, in one request for each call.
//
// After a cut connection, or an answer with the status 408, 429 or 5xx, the missing bytes are requested again: see
// [OpenConfig].
//
// Each request starts at the URL of the File and follows its redirects. This works even if the redirects lead to URLs
// that expire. It adds a request for each redirect to each call of ReadAt.
//
// # Changed files
//
// All bytes of a File belong to one version of the file. Each answer must have the total length and the validator of
// the first answer. Otherwise the error wraps [mmap.ErrChanged], and the file must be opened again. The server
// determines how well this works:
//
//   - A strong ETag differs for each version of the file. Requests contain it as If-Match, so that the server refuses
//     them if the file has been changed. The ETag of nginx consists of the modification time in seconds and the length.
//   - A weak ETag and Last-Modified must both be the same. Go's http.FileServer sends only Last-Modified, in seconds.
//   - Without ETag and Last-Modified, only the length is compared.
//
// If the server uses the modification time, a change that keeps the length is not noticed if it happens within a second
// of the change before. And if a program writes to the file while the server is sending it, an answer may contain bytes
// of two versions: replace files by renaming.
//
// # Servers
//
// The server must support byte ranges, as nginx, Apache, object stores and Go's http.FileServer do. Otherwise, for
// example with Python's http.server, the error wraps [errors.ErrUnsupported].
//
// # Credentials
//
// Only the scheme, host and port of the URL receive OpenConfig.Header, and the user and password in the URL. Requests
// after a redirect to another host contain neither, and no request contains a Referer. The Jar of the client decides
// about cookies. A redirect from https to http is an error.
//
// Messages show URLs without user, password, query and fragment, because the query may contain a signature.
package httpat

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// headSize is the number of bytes that Open requests and keeps in memory. Most headers of .npy files have 128 bytes,
// and headers of models have some tens of KiB.
const headSize = 64 << 10

// An OpenConfig holds the options for opening files on servers. The zero OpenConfig has the defaults.
type OpenConfig struct {
	// Client sends the requests. Its Transport, Jar and Timeout are used, and its CheckRedirect is asked in addition to
	// the rules of this package. Client is not changed. If it is nil, a client that all Files share keeps up to 32 idle
	// connections to each host.
	Client *http.Client

	// Header contains additional headers for the requests to the host of the URL, for example Authorization. The package
	// itself sets Range, If-Match and Accept-Encoding. Open copies Header.
	Header http.Header

	// Retries is the number of times that a request is repeated after a failure, with growing pauses between 0.1 and 5 s.
	// An answer that delivered at least 64 KiB resets the count. 0 means 5, and a negative number means none. A pause that
	// the server requests by Retry-After is kept if it is at most 30 s; a longer one is an error.
	Retries int

	// StallTimeout is the longest time to wait for an answer, including redirects, and then for each further byte of it.
	// After it, the request counts as failed. 0 means 30 s, and a negative duration means no limit. Only the context
	// limits the total time.
	StallTimeout time.Duration
}

// A File is a file on an HTTP server. Several goroutines may use it at the same time. It holds no connection of its
// own, and need not be closed.
type File struct {
	client  *http.Client
	header  http.Header
	retries int
	stall   time.Duration

	url  *url.URL
	name string // the URL for messages

	// The first answer sets size and version; after Open they do not change.
	size    int64
	version *version
	head    []byte // the first bytes of the file
}

// Open returns the file at url, whose scheme is http or https. A nil client means a default one: see [OpenConfig].
//
// The error is a *[fs.PathError]. It wraps
//
//   - [fs.ErrNotExist] for the status 404 or 410, and [fs.ErrPermission] for 401 or 403
//   - [errors.ErrUnsupported] if the server does not support ranges
//   - [context.Cause] of ctx, and ctx.Err(), if ctx is done. ctx is not used after Open has returned.
func Open(ctx context.Context, client *http.Client, url string) (*File, error) {
	return OpenConfig{Client: client}.Open(ctx, url)
}

// Open is like the function [Open], configured by cfg. It ignores the fragment of the URL.
func (cfg OpenConfig) Open(ctx context.Context, url string) (*File, error) {
	u, err := parseURL(url)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: "URL", Err: err}
	}
	f := &File{client: cfg.Client, header: cfg.Header.Clone(), retries: cfg.Retries, stall: cfg.StallTimeout,
		url: u, name: withoutSecrets(u)}
	if f.client == nil {
		f.client = defaultClient()
	}
	if f.retries == 0 {
		f.retries = 5
	}
	if f.stall == 0 {
		f.stall = 30 * time.Second
	} else if f.stall < 0 {
		f.stall = math.MaxInt64
	}
	head := make([]byte, headSize)
	n, err := f.fetch(ctx, head, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: f.name, Err: err}
	}
	f.head = head[:n:n]
	return f, nil
}

// defaultClient returns the client for a nil OpenConfig.Client. http.DefaultClient keeps only two idle connections to
// each host, so that it connects anew for most of several simultaneous requests.
var defaultClient = sync.OnceValue(func() *http.Client {
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok { // the program has replaced it
		return http.DefaultClient
	}
	transport = transport.Clone()
	transport.MaxIdleConnsPerHost = 32
	return &http.Client{Transport: transport}
})

// Size returns the size of the file in bytes. The server reported it to Open.
func (f *File) Size() int64 { return f.size }

// Name returns the URL of the file without user, password, query and fragment. Errors of packages array, npz and
// safetensors contain it.
func (f *File) Name() string { return f.name }

// String returns the same text as [File.Name].
func (f *File) String() string { return f.name }

// ReadAt reads len(p) bytes at offset off of the file into p: see [File.ReadAtContext].
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	return f.ReadAtContext(context.Background(), p, off)
}

// ReadAtContext reads len(p) bytes at offset off of the file into p, and stops when ctx is done. It returns the number
// of bytes read. If it is less than len(p), the error is [io.EOF] at the end of the file, and a *[fs.PathError]
// otherwise. As in [io.ReaderAt], it may use all of p as scratch space.
//
// In addition to the errors of [Open], the error wraps [mmap.ErrChanged] if the file has been changed since Open.
func (f *File) ReadAtContext(ctx context.Context, p []byte, off int64) (n int, err error) {
	switch {
	case ctx.Err() != nil:
		return 0, f.readError(contextError(ctx))
	case off < 0:
		return 0, f.readError(fmt.Errorf("%w: negative offset %d", fs.ErrInvalid, off))
	case off >= f.size:
		return 0, io.EOF
	}
	var end error
	if left := f.size - off; int64(len(p)) > left {
		p, end = p[:left], io.EOF
	}
	if off < int64(len(f.head)) {
		n = copy(p, f.head[off:])
	}
	if n < len(p) {
		m, err := f.fetch(ctx, p[n:], off+int64(n))
		n += m
		if err != nil {
			return n, f.readError(err)
		}
	}
	return n, end
}

func (f *File) readError(err error) error { return &fs.PathError{Op: "read", Path: f.name, Err: err} }
