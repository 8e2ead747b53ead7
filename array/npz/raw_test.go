package npz

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"hash/crc32"

	"github.com/ndmap/ndmap/array"
)

// A rawArchive builds an archive with archive/zip. Its members can have wrong sizes and CRCs.
type rawArchive struct {
	b bytes.Buffer
	w *zip.Writer
}

func newRaw() *rawArchive {
	r := new(rawArchive)
	r.w = zip.NewWriter(&r.b)
	return r
}

// add adds a member. method is 0 (stored) or 8 (deflated).
func (r *rawArchive) add(name string, content []byte, method uint16) {
	data := content
	if method == zip.Deflate {
		data = deflateBytes(content)
	}
	r.addRaw(name, data, method, int64(len(content)), crc32.ChecksumIEEE(content))
}

// addRaw adds a member with the given data, and with a size and a CRC that need not match it.
func (r *rawArchive) addRaw(name string, data []byte, method uint16, size int64, crc uint32) {
	h := &zip.FileHeader{Name: name, Method: method, CRC32: crc, CompressedSize64: uint64(len(data)),
		UncompressedSize64: uint64(size), Flags: 1 << 11}
	must(must(r.w.CreateRaw(h)).Write(data))
}

func (r *rawArchive) bytes() []byte {
	if err := r.w.Close(); err != nil {
		panic(err)
	}
	return r.b.Bytes()
}

func deflateBytes(b []byte) []byte {
	var out bytes.Buffer
	w, _ := flate.NewWriter(&out, 6)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

// npyFile returns a .npy file with values as uint8.
func npyFile(values ...uint8) []byte {
	var b bytes.Buffer
	if err := array.Write(&b, must(array.FromSlice(values)).Array()); err != nil {
		panic(err)
	}
	return b.Bytes()
}
