package array

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// TestOpenAt tests that a .npy file in a tar archive, in a zip archive or between other bytes opens like a separate
// file, and that writing to it changes no other bytes.
func TestOpenAt(t *testing.T) {
	arrays := []Array{sequence("<i4", index.C, 0, 3, 5), sequence(">f8", index.F, 100, 2, 3, 4), sequence("|u1", index.C,
		7)}
	long := must(New(dtype.MustParse("[('"+strings.Repeat("n", 1000)+"', '<i2')]"), index.C,
		3)) // longer than the first read of Open
	defer long.Close()
	arrays = append(arrays, long.Array)
	for _, a := range arrays {
		npy := writtenBytes(t, a)
		var tarred, zipped bytes.Buffer
		tw := tar.NewWriter(&tarred)
		for _, name := range []string{"before", "a.npy", "after"} {
			if err := tw.WriteHeader(&tar.Header{Name: name, Size: int64(len(npy)), Mode: 0o600}); err != nil {
				t.Fatal(err)
			}
			must(tw.Write(npy))
		}
		zw := zip.NewWriter(&zipped)
		must(must(zw.CreateHeader(&zip.FileHeader{Name: "a.npy", Method: zip.Store})).Write(npy))
		if err := errors.Join(tw.Close(), zw.Close()); err != nil {
			t.Fatal(err)
		}
		member := must(zip.NewReader(bytes.NewReader(zipped.Bytes()), int64(zipped.Len())))
		for _, in := range []struct {
			name   string
			b      []byte
			offset int
		}{
			{"alone", npy, 0},
			{"at the end", append(countingBytes(100_001), npy...), 100_001},
			{"in the middle", append(append(countingBytes(7), npy...), countingBytes(99)...), 7},
			{"tar", tarred.Bytes(), 512*2 + (len(npy)+511)/512*512},
			{"zip", zipped.Bytes(), int(must(member.File[0].DataOffset()))},
		} {
			t.Run(in.name, func(t *testing.T) {
				path := rawFile(t, in.b)
				f, err := OpenAt(path, mmap.ReadWrite, int64(in.offset))
				if err != nil {
					t.Errorf("%s: %v", in.name, err)
					return
				}
				if f.DataOffset() != int64(in.offset+len(npy)-a.NBytes()) || f.Path() != path {
					t.Errorf("%s: data at byte %d of %s", in.name, f.DataOffset(), f.Path())
				}
				if !bytes.Equal(writtenBytes(t, f.Array), npy) {
					t.Errorf("%s: %v, want %v", in.name, f.Array, a)
				}
				if grew, err := f.Refresh(); grew || err != nil || !bytes.Equal(writtenBytes(t, f.Array), npy) {
					t.Errorf("%s: Refresh: %v, %v", in.name, grew, err)
				}
				other := must(a.Clone(index.K))
				must(As[uint8](must(must(other.ExpandDims(-1)).Reinterpret(dtype.Uint8)))).Fill(1)
				if err := errors.Join(Copy(f.Array, other), f.Sync(), f.Close()); err != nil {
					t.Error(err)
				}
				want := bytes.Clone(in.b)
				copy(want[in.offset+len(npy)-a.NBytes():], bytes.Repeat([]byte{1}, a.NBytes()))
				if !bytes.Equal(must(os.ReadFile(path)), want) {
					t.Errorf("%s: other bytes have changed", in.name)
				}
			})
		}
	}
}

// TestOpenAtErrors tests the complete message of every error, in every mode. Offsets in the messages count from the
// start of the file.
func TestOpenAtErrors(t *testing.T) {
	npy := writtenBytes(t, sequence("<i4", index.C, 0, 3, 5))
	path := rawFile(t, append(countingBytes(1000), npy...))
	short := rawFile(t, append(countingBytes(1000), npy[:150]...))
	cut := rawFile(t, append(countingBytes(1000), npy[:100]...))
	bad := rawFile(t, append(countingBytes(1000), bytes.Replace(npy, []byte("'descr'"), []byte("'deskr'"), 1)...))
	empty := rawFile(t, nil)
	for _, tt := range []struct {
		path   string
		offset int
		want   string
	}{
		{path, -1, "header at byte -1: the offset is negative"},
		{path, math.MinInt, fmt.Sprintf("header at byte %d: the offset is negative", math.MinInt)},
		{path, 1188, "header at byte 1188: the file ends at byte 1188"},
		{path, 1189, "header at byte 1189: the file ends at byte 1188"},
		{path, math.MaxInt, fmt.Sprintf("header at byte %d: the file ends at byte 1188", math.MaxInt)},
		{empty, 1, "header at byte 1: the file ends at byte 0"},
		{path, 768 + 128,
			`header at byte 896: not a .npy file: it starts with "\x80\x81\x82\x83\x84\x85"; want the magic "\x93NUMPY"`},
		{short, 1000,
			"data at byte 1128: the file holds 22 bytes of data; shape (3, 5) of <i4 needs 60: it was truncated, or never written to its end"},
		{cut, 1000, "header at byte 1100: the file ends 28 bytes before the end of the header"},
		{bad, 1000, "header at byte 1011: unexpected key 'deskr'; want 'descr', 'fortran_order' and 'shape'"},
	} {
		for _, mode := range []mmap.Mode{mmap.ReadOnly, mmap.ReadWrite, mmap.CopyOnWrite} {
			_, err := OpenAt(tt.path, mode, int64(tt.offset))
			if want := tt.path + ": " + tt.want; err == nil || err.Error() != want {
				t.Errorf("%v:\n got %v\nwant %s", mode, err, want)
			}
			if format, ok := errors.AsType[*FormatError](err); !ok || format.Path != tt.path {
				t.Errorf("%v is not a *FormatError with that path", err)
			}
		}
	}
	if _, err := OpenAt(tempPath(t), mmap.ReadOnly, 5); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := (OpenConfig{MaxHeader: 100}).OpenAt(path, 1000); err == nil || !strings.HasSuffix(err.Error(),
		"header at byte 1008: the header length is 118 bytes, more than the limit of 100; a larger limit can be set (MaxHeader)") {
		t.Error(err)
	}
	// The header has changed since the call of OpenAt.
	f := must(OpenAt(path, mmap.ReadOnly, 1000))
	defer f.Close()
	w := must(os.OpenFile(path, os.O_WRONLY, 0))
	_, err := w.WriteAt(bytes.Replace(npy, []byte("(3, 5)"), []byte("(5, 3)"), 1), 1000)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Refresh(); err == nil ||
		err.Error() != path+": the header has changed since the file was opened, and not only by appended elements; open it again" {
		t.Error(err)
	}
}
