// Package far shows arrays on web servers: it copies their elements to a temporary file, block by block, when they are
// needed.
package far

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/httpat"
	"github.com/ndmap/ndmap/examples/view/internal/temp"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// BlockBytes is the number of bytes in a block. Smaller blocks give better samples from the same number of bytes, and
// larger blocks need fewer requests.
const BlockBytes = 16 << 10

// MaxCost is the maximum of pages.Cost, with pages of BlockBytes, for a request that the user has not asked for
// explicitly. It stands for 128 requests or 4 MiB.
const MaxCost = 128

const (
	requestBlocks = 64 // maximum number of blocks in a request
	parallel      = 8  // maximum number of requests of a File at a time
)

// A File is an array on a web server. Elements that Fetch has not fetched are zero. Several goroutines may use a File
// at the same time.
type File struct {
	array.Array
	DataOffset int64 // position of the first element in the file on the server, in bytes
	Order      index.Order

	server  named
	temp    *temp.File // the elements
	memory  []byte     // the bytes of temp; after Close, access is a page fault
	slots   chan struct{}
	changed *atomic.Bool // shared by the Files of an Archive

	mu      sync.Mutex
	fetched map[int]uint64   // a bit for each block; the key is the block number divided by 64
	pending map[int]*request // by block
}

// A named is a file on a server with the method that package array asks for the name.
type named struct{ *httpat.File }

func (n named) Name() string { return n.String() }

// A request fetches the blocks from first to end-1. done is closed when it has ended.
type request struct {
	first, end int
	done       chan struct{}
}

// Open opens the .npy file at url and reads its header.
func Open(ctx context.Context, url string) (*File, error) {
	server, err := httpat.Open(ctx, nil, url)
	if err != nil {
		return nil, err
	}
	r, err := array.OpenReaderAt(named{server}, server.Size())
	if err != nil {
		return nil, err
	}
	return newFile(named{server}, r, new(atomic.Bool))
}

// newFile returns the File of the array r in a file on a server.
func newFile(server named, r *array.Remote, changed *atomic.Bool) (*File, error) {
	f := &File{server: server, changed: changed, slots: make(chan struct{}, parallel), fetched: map[int]uint64{},
		pending: map[int]*request{}}
	f.DataOffset, f.Order = r.DataOffset(), r.Order()
	var err error
	f.temp, err = temp.Create(mmap.Config{Sparse: true}, r.DType(), r.Order(), r.Shape()...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.server, err)
	}
	f.Array, f.memory = f.temp.Array, f.temp.Map.Bytes()
	return f, nil
}

// Close removes the temporary file. The elements must not be accessed afterwards.
func (f *File) Close() { f.temp.Close() }

// Changed reports whether a request found that the file on the server has been replaced. A changed File cannot fetch
// more elements.
func (f *File) Changed() bool { return f.changed.Load() }

// An Error is an error of the server or of the temporary file.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Fetch fetches the blocks that contain elements of parts, unless they have been fetched before. It ignores arrays that
// are not part of f.Array. The strides of parts must not be negative.
func (f *File) Fetch(ctx context.Context, parts ...array.Array) error {
	w := newWanted(f.memory)
	for _, a := range parts {
		if err := w.add(a); err != nil {
			return err
		}
	}
	blocks := w.blocks()
	for {
		own, others := f.claim(blocks)
		if len(own) == 0 && len(others) == 0 {
			return nil
		}
		if err := f.do(ctx, own); err != nil {
			return &Error{err}
		}
		for _, r := range others { // if one of them has failed, the next claim repeats it
			select {
			case <-r.done:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
}

// claim returns new requests for the blocks that are neither fetched nor pending, and the requests for pending blocks.
// The blocks are in ascending order. The caller must call do with the new requests.
func (f *File) claim(blocks []int) (own, others []*request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range blocks {
		if f.fetched[b/64]>>(b%64)&1 == 1 {
			continue
		}
		if r := f.pending[b]; r != nil {
			others = append(others, r)
			continue
		}
		var r *request
		if n := len(own); n > 0 && own[n-1].end == b && b-own[n-1].first < requestBlocks {
			r = own[n-1]
		} else {
			r = &request{first: b, done: make(chan struct{})}
			own = append(own, r)
		}
		r.end = b + 1
		f.pending[b] = r
	}
	return own, others
}

// do executes requests, several at a time, and returns their first error. After an error it cancels the rest.
func (f *File) do(ctx context.Context, requests []*request) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	next := atomic.Int64{}
	for range min(parallel, len(requests)) {
		wg.Go(func() {
			for {
				k := int(next.Add(1)) - 1
				if k >= len(requests) {
					return
				}
				err := f.fetch(ctx, requests[k])
				f.end(requests[k], err == nil)
				if err != nil {
					cancel(err) // only the first call has an effect
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// fetch copies the blocks of r from the server to the temporary file.
func (f *File) fetch(ctx context.Context, r *request) error {
	select {
	case f.slots <- struct{}{}:
		defer func() { <-f.slots }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	to := f.memory[r.first*BlockBytes : min(r.end*BlockBytes, len(f.memory))]
	b := make([]byte, len(to))
	if _, err := f.server.ReadAtContext(ctx, b, f.DataOffset+int64(r.first)*BlockBytes); err != nil {
		if errors.Is(err, mmap.ErrChanged) {
			f.changed.Store(true)
		}
		return err
	}
	err := mmap.Guard(func() error { copy(to, b); return nil })
	if err != nil {
		return fmt.Errorf("cannot store elements of %s: the disk of %s may be full: %v", f.server, os.TempDir(), err)
	}
	return nil
}

// end marks the blocks of r as no longer pending, and as fetched if ok is set.
func (f *File) end(r *request, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for b := r.first; b < r.end; b++ {
		delete(f.pending, b)
		if ok {
			f.fetched[b/64] |= 1 << (b % 64)
		}
	}
	close(r.done)
}
