package npz

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/oracle/far"
	"github.com/ndmap/ndmap/mmap"
)

// header returns the first bytes of a .npy file of version 1 whose header is text.
func header(text string) []byte {
	return append([]byte("\x93NUMPY\x01\x00"), append([]byte{byte(len(text)), byte(len(text) >> 8)}, text...)...)
}

// TestHostile opens archives with a valid structure, and reads a member with malformed content. The tests of
// internal/zipfile test malformed structures.
func TestHostile(t *testing.T) {
	good := npyFile(1, 2, 3)
	crc := crc32.ChecksumIEEE(good)
	packed := deflateBytes(good)
	zeros := deflateBytes(npyFile(make([]uint8, 1<<20)...))
	member := func(data []byte, method uint16, size int64, crc uint32) []byte {
		r := newRaw()
		r.addRaw("x.npy", data, method, size, crc)
		r.add("good.npy", good, 0)
		return r.bytes()
	}
	stored := func(content []byte) []byte {
		return member(content, 0, int64(len(content)), crc32.ChecksumIEEE(content))
	}
	deflated := func(content []byte) []byte {
		return member(deflateBytes(content), 8, int64(len(content)), crc32.ChecksumIEEE(content))
	}
	flags := func(flags byte) []byte {
		b := stored(good)
		b[6] |= flags
		b[bytes.Index(b, []byte("PK\x01\x02"))+8] |= flags
		return b
	}
	for _, tt := range []struct {
		name string
		b    []byte
		want string
	}{
		{"text", stored([]byte("text")), `t.npz: member "x.npy" is not a .npy file: it starts with "text"`},
		{"control characters", stored([]byte("\x1b[2Jtext")),
			`t.npz: member "x.npy" is not a .npy file: it starts with "\x1b[2Jte"`},
		{"nothing", stored(nil), `t.npz: member "x.npy" is not a .npy file: it starts with ""`},
		{"version 9", stored([]byte("\x93NUMPY\x09\x00\x00\x00")),
			`t.npz: member "x.npy": header at byte 41: format version (9, 0) is unknown; want (1, 0), (2, 0) or (3, 0)`},
		{"cut in the magic", stored(good[:4]), `t.npz: member "x.npy" is not a .npy file: it starts with "\x93NUM"`},
		{"cut in the length", stored(good[:9]),
			`t.npz: member "x.npy": header at byte 44: the file ends inside the length of the header`},
		{"cut in the header", stored(good[:40]),
			`t.npz: member "x.npy": header at byte 75: the file ends 88 bytes before the end of the header`},
		{"cut in the data", stored(good[:len(good)-1]),
			`t.npz: member "x.npy": data at byte 163: the file holds 2 bytes of data; shape (3,) of |u1 needs 3: it was truncated, or never written to its end`},
		{"header of 4 GiB", stored([]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff{")),
			`t.npz: member "x.npy": header at byte 43: the header length is 4294967295 bytes, more than the limit of 1048576; a larger limit can be set (MaxHeader)`},
		{"not a dict", stored(header("[]")),
			`t.npz: member "x.npy": header at byte 45: the header is a list; want a dict with 'descr', 'fortran_order' and 'shape'`},
		{"objects", stored(header("{'descr': '|O', 'fortran_order': False, 'shape': (3,)}")),
			`t.npz: member "x.npy": header at byte 55: dtype "|O" is a Python object: its data is a pickle, and unpickling runs code; package objects reads plain values, or save it from NumPy with a fixed dtype`},
		{"too many elements", stored(header("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 0)}")),
			`t.npz: member "x.npy": header at byte 96: dimension 99999999999999999999 overflows int`},
		{"negative dimension", stored(header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}")),
			`t.npz: member "x.npy": header at byte 96: dimension -1 is negative`},
		{"data of the next member", stored(header("{'descr': '|u1', 'fortran_order': False, 'shape': (100,)}")),
			`t.npz: member "x.npy": data at byte 102: the file holds 0 bytes of data; shape (100,) of |u1 needs 100: it was truncated, or never written to its end`},
		{"deflated: text", deflated([]byte("text")), `t.npz: member "x.npy" is not a .npy file: it starts with "text"`},
		{"deflated: cut in the data", deflated(good[:len(good)-1]),
			`t.npz: member "x.npy": inflated data at byte 128: the file holds 2 bytes of data; shape (3,) of |u1 needs 3: it was truncated, or never written to its end`},
		{"deflated: objects", deflated(header("{'descr': '|O', 'fortran_order': False, 'shape': (3,)}")),
			`t.npz: member "x.npy": inflated header at byte 20: dtype "|O" is a Python object: its data is a pickle, and unpickling runs code; package objects reads plain values, or save it from NumPy with a fixed dtype`},
		{"deflated: claims more than 1032 times", member(packed, 8, int64(len(packed))*1032+1, crc),
			`t.npz: member "x.npy" at byte 0: it claims 80497 bytes, more than 1032 times the 78 that it takes; deflated data never does`},
		{"deflated: claims 2 GiB", member(packed, 8, 1<<31, crc),
			`t.npz: member "x.npy" at byte 0: it claims 2147483648 bytes, more than 1032 times the 78 that it takes; deflated data never does`},
		{"deflated: claims more", member(packed, 8, int64(len(good))+1, crc),
			`t.npz: member "x.npy": data at byte 35: it inflates to 131 bytes, and the directory says 132: the archive is damaged`},
		{"deflated: claims less", member(deflateBytes(append(bytes.Clone(good), 0)), 8, int64(len(good)), crc),
			`t.npz: member "x.npy": data at byte 35: it inflates to more than the 131 bytes that the directory says: the archive is damaged`},
		{"deflated: claims nothing", member(packed, 8, 0, crc),
			`t.npz: member "x.npy" is not a .npy file: it starts with ""`},
		{"deflated: a megabyte behind an array", member(deflateBytes(append(bytes.Clone(good), make([]byte, 1<<20)...)), 8,
			int64(len(good)), crc),
			`t.npz: member "x.npy": data at byte 35: it inflates to more than the 131 bytes that the directory says: the archive is damaged`},
		{"deflated: claims more than MaxMember", member(zeros, 8, 1<<20+128, 0),
			`t.npz: member "x.npy": data at byte 35: it inflates to 1048704 bytes, more than the limit of 524288; a larger limit can be set (Archive.MaxMember)`},
		{"deflated: another CRC", member(packed, 8, int64(len(good)), crc+1),
			`t.npz: member "x.npy": data at byte 35: its CRC-32 is 0xb18ee32a, and the directory says 0xb18ee32b: the archive is damaged`},
		{"deflated: no such block", member([]byte("\xff\xff\xff"), 8, 100, crc),
			`t.npz: member "x.npy": data at byte 35: its compressed data is corrupt at byte 1: the archive is damaged`},
		{"deflated: cut short", member(packed[:len(packed)-4], 8, int64(len(good)), crc),
			`t.npz: member "x.npy": data at byte 35: its compressed data ends too early, after 131 of 131 bytes: the archive is damaged`},
		{"deflated: no bytes", member(nil, 8, 0, 0), `t.npz: member "x.npy" is not a .npy file: it starts with ""`},
		{"encrypted", flags(1), `t.npz: member "x.npy" at byte 0: it is encrypted`},
		{"strongly encrypted", flags(65), `t.npz: member "x.npy" at byte 0: it is encrypted`},
		{"a patch", flags(32), `t.npz: member "x.npy" at byte 0: it is a patch of another file`},
		{"bzip2", member(good, 12, int64(len(good)), crc),
			`t.npz: member "x.npy" at byte 0: it is compressed with method 12 (bzip2); only stored and deflated members can be read`},
		{"Zstandard", member(good, 93, int64(len(good)), crc),
			`t.npz: member "x.npy" at byte 0: it is compressed with method 93 (Zstandard); only stored and deflated members can be read`},
		{"method 1", member(good, 1, int64(len(good)), crc),
			`t.npz: member "x.npy" at byte 0: it is compressed with method 1; only stored and deflated members can be read`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := temp(t)
			check(t, os.WriteFile(path, tt.b, 0o666))
			a, err := Open(path, mmap.ReadOnly)
			if err != nil {
				t.Errorf("%s: Open: %v", tt.name, err)
				return
			}
			a.MaxMember = 1 << 19
			x, err := a.Array("x")
			if got := strings.ReplaceAll(fmt.Sprint(err), path, "t.npz"); got != tt.want || err == nil {
				t.Errorf("%s: %v\ngot  %s\nwant %s", tt.name, x, got, tt.want)
			}
			if _, ok := errors.AsType[*array.FormatError](err); !ok && !errors.Is(err, ErrNotArray) {
				t.Errorf("%s: the error is a %T", tt.name, err)
			}
			if _, err := a.Array("good"); err != nil {
				t.Errorf("%s: the other member: %v", tt.name, err)
			}
			// An archive behind a reader has the same errors, and so has Remote, unless the member is compressed.
			r, err := NewReader(&far.File{B: tt.b}, int64(len(tt.b)))
			if err != nil {
				t.Errorf("%s: NewReader: %v", tt.name, err)
				return
			}
			r.MaxMember = a.MaxMember
			if _, err := r.Array("x"); strings.Replace(fmt.Sprint(err), "far", "t.npz", 1) != tt.want {
				t.Errorf("%s: NewReader:\ngot  %v\nwant %s", tt.name, err, tt.want)
			}
			want := tt.want
			if m := must(a.find("x")); m.Method != 0 && m.Err == nil {
				want = `t.npz: member "x.npy" is compressed, and selections of it cannot be requested: unsupported operation; ` +
					`use Archive.Array, or stream it: array.NewReader of Archive.Open`
			}
			_, err1 := r.Remote("x")
			_, err2 := a.Remote("x")
			for _, err := range []error{err1, err2} {
				got := strings.Replace(strings.Replace(fmt.Sprint(err), path, "t.npz", 1), "far", "t.npz", 1)
				if got != want {
					t.Errorf("%s: Remote:\ngot  %s\nwant %s", tt.name, got, want)
				}
			}
			check(t, a.Close())
		})
	}
}

// For an archive with a malformed structure, Open returns an error that names the file.
func TestHostileOpen(t *testing.T) {
	path := temp(t)
	b := func() []byte { r := newRaw(); r.add("x.npy", npyFile(1), 0); return r.bytes() }()
	copy(b[30:], "../..")
	check(t, os.WriteFile(path, b, 0o666))
	_, err := Open(path, mmap.ReadOnly)
	want := `t.npz: member "x.npy" at byte 0: the local header calls it "../.."`
	if e, ok := errors.AsType[*array.FormatError](err); !ok || strings.ReplaceAll(err.Error(), path, "t.npz") != want ||
		e.Path != path {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// If another process truncates the file, methods return errors and do not crash the program.
func TestTruncated(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	path := temp(t)
	check(t, Save(path, map[string]array.Array{"a": numbers(100_000), "b": numbers(100_000)}))
	a, err := Open(path, mmap.ReadWrite)
	check(t, err)
	defer a.Close()
	must(a.Array("a"))
	if err := os.Truncate(path, 100); err != nil {
		t.Skip(err) // Windows
	}
	_, err1 := a.Array("b")
	_, err2 := a.Repair()
	_, err3 := a.Member("b")
	for i, err := range []error{a.Verify("a"), a.Sync(), err1, err2, err3} {
		if !errors.Is(err, mmap.ErrUnavailable) {
			t.Errorf("%d: %v", i, err)
		}
	}
}
