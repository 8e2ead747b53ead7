package zipfile

import (
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
)

// chunk is the number of bytes that are inflated at a time, so that they are in the cache for their CRC.
const chunk = 64 << 10

// inflaters is a pool of decompressors: each has about 40 KiB of tables.
var inflaters = sync.Pool{New: func() any { return flate.NewReader(emptyReader{}) }}

type inflater interface {
	io.Reader
	flate.Resetter
}

// An emptyReader is an empty reader.
type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, io.EOF }
func (emptyReader) ReadByte() (byte, error)  { return 0, io.EOF }

// InflateFrom inflates src, which must yield exactly size bytes, and returns their CRC-32. If dst is not nil, it must
// have length size, and the bytes are stored there.
func InflateFrom(dst []byte, src io.Reader, size int64) (crc uint32, err error) {
	r := inflaters.Get().(inflater)
	r.Reset(src, nil)
	defer func() {
		r.Reset(emptyReader{}, nil) // keeps no reference to src
		inflaters.Put(r)
	}()
	var buf []byte
	if dst == nil {
		buf = make([]byte, min(size, chunk))
	}
	for done := int64(0); done < size; {
		n := min(size-done, chunk)
		part := buf
		if dst != nil {
			part = dst[done:]
		}
		part = part[:n]
		got, err := readFull(r, part)
		if err != nil {
			return 0, inflateError(err, done+int64(got), size)
		}
		crc = crc32.Update(crc, crc32.IEEETable, part)
		done += n
	}
	var one [1]byte
	switch n, err := readFull(r, one[:]); {
	case n > 0:
		return 0, fmt.Errorf("it inflates to more than the %d bytes that the directory says", size)
	case err != io.EOF:
		return 0, inflateError(err, size, size)
	}
	return crc, nil
}

// InflateHead inflates src until dst is full or src ends, and returns the number of bytes. It does not check the rest
// of src.
func InflateHead(dst []byte, src io.Reader) (int, error) {
	r := inflaters.Get().(inflater)
	r.Reset(src, nil)
	defer func() {
		r.Reset(emptyReader{}, nil) // keeps no reference to src
		inflaters.Put(r)
	}()
	n, err := readFull(r, dst)
	if err == nil || err == io.EOF {
		return n, nil
	}
	return n, inflateError(err, int64(n), int64(len(dst)))
}

// readFull is like io.ReadFull, but always returns the error of r: io.EOF is the proper end of compressed data, and
// io.ErrUnexpectedEOF is not.
func readFull(r io.Reader, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var got int
		got, err = r.Read(b[n:])
		n += got
	}
	if n == len(b) {
		err = nil
	}
	return n, err
}

func inflateError(err error, done, size int64) error {
	if err == io.EOF {
		return fmt.Errorf("it inflates to %d bytes, and the directory says %d", done, size)
	}
	if corrupt, ok := errors.AsType[flate.CorruptInputError](err); ok {
		return fmt.Errorf("its compressed data is corrupt at byte %d", int64(corrupt))
	}
	if err == io.ErrUnexpectedEOF {
		return fmt.Errorf("its compressed data ends too early, after %d of %d bytes", done, size)
	}
	return &ReadError{err}
}

// A ReadError is an error of the source of compressed data. It does not mean that the data is damaged.
type ReadError struct{ Err error }

func (e *ReadError) Error() string { return e.Err.Error() }
func (e *ReadError) Unwrap() error { return e.Err }
