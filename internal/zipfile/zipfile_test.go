package zipfile

import (
	"archive/zip"
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// readMembers returns the content of the members, or their errors.
func readMembers(t *testing.T, b []byte) []string {
	t.Helper()
	members, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, m := range members {
		text := b[m.Data : m.Data+m.Compressed]
		err := m.Err
		if err == nil && m.Method == Deflated {
			inflated := make([]byte, m.Size)
			_, err = InflateFrom(inflated, bytes.NewReader(text), m.Size)
			text = inflated
		}
		if err == nil && Checksum(text) != m.CRC {
			err = fmt.Errorf("CRC %#x, want %#x", Checksum(text), m.CRC)
		}
		if err != nil {
			text = []byte(err.Error())
		}
		texts = append(texts, string(text))
	}
	return texts
}

// TestParse tests that Parse returns the members of archives that differ from a plain one in ways that do not change
// the members.
func TestParse(t *testing.T) {
	crc, n := uint64(Checksum([]byte(content[1]))), uint64(len(content[1]))
	c := uint64(len(deflate(content[1])))
	for _, tt := range []struct {
		name string
		edit func(s *sample)
	}{
		{"plain", func(s *sample) {}},
		{"comment", func(s *sample) { s.put16(s.end+20, 7); s.b = append(s.b, "comment"...) }},
		{"longest comment", func(s *sample) { s.put16(s.end+20, full16); s.b = append(s.b, make([]byte, full16)...) }},
		{"trailing bytes", func(s *sample) { s.b = append(s.b, "which Python ignores"...) }},
		{"prefix", func(s *sample) { s.b = append([]byte("#!/bin/sh\nexit\n"), s.b...) }},
		{"prefix, offsets that count it", func(s *sample) {
			s.insert(0, "#!/bin/sh\n")
			for i, at := range s.dir {
				s.put32(at+42, uint32(s.local[i]))
			}
			s.extend(0, 10)
		}},
		{"zip64", func(s *sample) { s.zip64() }},
		{"zip64 and prefix", func(s *sample) { s.zip64(); s.b = append([]byte("prefix"), s.b...) }},
		{"zip64 and the same numbers in the end record", func(s *sample) {
			s.zip64().put16(s.end+76+8, 3).put16(s.end+76+10, 3).put32(s.end+76+12, uint32(s.end-s.dir[0])).put32(s.end+76+16,
				uint32(s.dir[0]))
		}},
		{"zip64 sizes", func(s *sample) {
			s.put32(s.dir[1]+20, full32).put32(s.dir[1]+24, full32).put32(s.dir[1]+42, full32)
			s.directoryExtra(1, le("22888", 1, 24, n, c, uint64(s.local[1])))
		}},
		{"zip64 for the offset only", func(s *sample) {
			s.put32(s.dir[1]+42, full32).directoryExtra(1, le("22222228", 9, 2, 5, 7, 0, 1, 8, uint64(s.local[1])))
		}},
		{"zip64 field that is not needed", func(s *sample) { s.directoryExtra(1, le("228", 1, 8, 77)) }},
		{"extra fields padded with zeros", func(s *sample) { s.directoryExtra(0, "\x00\x00\x00") }},
		{"gap between members", func(s *sample) {
			s.insert(s.local[1], "gap").extend(0, 3)
			s.put32(s.dir[1]+42, uint32(s.local[1])).put32(s.dir[2]+42, uint32(s.local[2]))
		}},
		{"descriptor", func(s *sample) { s.descriptor(1, descriptorMagic+le("444", crc, c, n)) }},
		{"descriptor of 64 bits", func(s *sample) { s.descriptor(1, descriptorMagic+le("488", crc, c, n)) }},
		{"descriptor without magic", func(s *sample) { s.descriptor(1, le("444", crc, c, n)) }},
		{"descriptor of 64 bits without magic", func(s *sample) { s.descriptor(1, le("488", crc, c, n)) }},
		{"descriptor of an empty member", func(s *sample) { s.descriptor(2, descriptorMagic+le("444", 0, 0, 0)) }},
		{"descriptor, and zeros in zip64 before, as Python writes to a pipe", func(s *sample) {
			*s = *newSample(Savez)
			s.descriptor(1, descriptorMagic+le("488", crc, c, n)).put32(s.local[1]+14, 0).put64(s.local[1]+39,
				0).put64(s.local[1]+47, 0)
		}},
		{"descriptor, and no sizes before", func(s *sample) {
			s.descriptor(1, descriptorMagic+le("444", crc, c, n)).put32(s.local[1]+14, 0).put32(s.local[1]+18,
				0).put32(s.local[1]+22, 0)
		}},
		{"descriptor, and the size alone before", func(s *sample) {
			s.descriptor(1, descriptorMagic+le("444", crc, c, n)).put32(s.local[1]+14, 0).put32(s.local[1]+18, 0)
		}},
		{"descriptor, and the compressed size alone before", func(s *sample) {
			s.descriptor(1, descriptorMagic+le("444", crc, c, n)).put32(s.local[1]+14, 0).put32(s.local[1]+22, 0)
		}},
		{"Unicode path", func(s *sample) {
			s.directoryExtra(0, unicodePath("a.npy", "a.npy")).localExtra(1, unicodePath("b.npy", "b.npy"))
		}},
		{"Unicode path beside the UTF-8 flag", func(s *sample) { s.directoryExtra(2, unicodePath("é", "é")) }},
		{"Unicode path twice", func(s *sample) {
			s.directoryExtra(1, unicodePath("b.npy", "b.npy")+unicodePath("b.npy",
				"b.npy"))
		}},
		{"Unicode path with a wrong checksum", func(s *sample) { s.directoryExtra(1, unicodePath("a.npy", "b.npy")) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSample(Aligned)
			tt.edit(s)
			if diff := cmp.Diff(content, readMembers(t, s.b)); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.name, diff)
			}
		})
	}
}

// TestPrograms tests that Parse reads archives written by other programs: see testdata/README.md.
func TestPrograms(t *testing.T) {
	for name, member := range map[string]string{
		"zip-fd": "a.npy", "zip-pipe": "a.npy", "zip-stdin": "-", "bsdtar": "a.npy", "bsdtar-zip64": "a.npy",
		"7z-pipe": "a.npy",
	} {
		t.Run(name, func(t *testing.T) {
			b, err := os.ReadFile("testdata/" + name + ".npz")
			if err != nil {
				t.Fatal(err)
			}
			members, err := Parse(b)
			if err != nil || len(members) != 1 || members[0].Name != member {
				t.Errorf("%s: %+v, %v", name, members, err)
				return
			}
			if text := readMembers(t, b)[0]; len(text) != 320 || !strings.HasPrefix(text, "\x93NUMPY") {
				t.Errorf("%s: the content is %.50q", name, text)
			}
		})
	}
}

// TestMemberErrors tests that a problem of one member does not affect the remaining members.
func TestMemberErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(s *sample)
		want string
	}{
		{"encrypted", func(s *sample) { s.put16(s.dir[1]+8, 1).put16(s.local[1]+6, 1) },
			`member "b.npy" at byte 69: it is encrypted`},
		{"strong encryption", func(s *sample) { s.put16(s.dir[1]+8, 65).put16(s.local[1]+6, 65) },
			`member "b.npy" at byte 69: it is encrypted`},
		{"patch", func(s *sample) { s.put16(s.dir[1]+8, 32).put16(s.local[1]+6, 32) },
			`member "b.npy" at byte 69: it is a patch of another file`},
		{"LZMA", func(s *sample) { s.put16(s.dir[1]+10, 14).put16(s.local[1]+8, 14) },
			`member "b.npy" at byte 69: it is compressed with method 14 (LZMA); only stored and deflated members can be read`},
		{"unknown method", func(s *sample) { s.put16(s.dir[1]+10, 77).put16(s.local[1]+8, 77) },
			`member "b.npy" at byte 69: it is compressed with method 77; only stored and deflated members can be read`},
		{"too good", func(s *sample) { s.put32(s.dir[1]+24, 14*1032+1).put32(s.local[1]+22, 14*1032+1) },
			`member "b.npy" at byte 69: it claims 14449 bytes, more than 1032 times the 14 that it takes; deflated data never does`},
		{"nearly too good", func(s *sample) { s.put32(s.dir[1]+24, 14*1032).put32(s.local[1]+22, 14*1032) },
			`it inflates to 28 bytes, and the directory says 14448`},
		{"too few bytes", func(s *sample) { s.put32(s.dir[1]+24, 29).put32(s.local[1]+22, 29) },
			`it inflates to 28 bytes, and the directory says 29`},
		{"too many bytes", func(s *sample) { s.put32(s.dir[1]+24, 27).put32(s.local[1]+22, 27) },
			`it inflates to more than the 27 bytes that the directory says`},
		{"no bytes", func(s *sample) { s.put32(s.dir[1]+24, 0).put32(s.local[1]+22, 0) },
			`it inflates to more than the 0 bytes that the directory says`},
		{"corrupt", func(s *sample) { s.b[s.local[2]-5] ^= 0xFF }, `its compressed data is corrupt at byte 11`},
		{"cut short", func(s *sample) {
			for _, at := range []int{s.dir[1] + 20, s.local[1] + 18} {
				s.put32(at, u32(s.b[at:])-6)
			}
		}, `its compressed data ends too early, after 6 of 28 bytes`},
		{"stale CRC", func(s *sample) { s.put32(s.dir[1]+16, 1) }, `CRC 0x96eda9d5, want 0x1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSample(Aligned)
			tt.edit(s)
			if diff := cmp.Diff([]string{content[0], tt.want, content[2]}, readMembers(t, s.b)); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tt.name, diff)
			}
		})
	}
}

// TestArchiveZip tests that archive/zip reads the output of AppendLocal and AppendDirectory, in every format, and that
// Parse and archive/zip agree about archives that archive/zip writes.
func TestArchiveZip(t *testing.T) {
	r := oracle.Rand(t, 41)
	for range oracle.Cases(t, 150) {
		b := randomArchive(r)
		z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		members, err := Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		if len(members) != len(z.File) {
			t.Fatalf("%d members, want %d", len(members), len(z.File))
		}
		for i, f := range z.File {
			at, err := f.DataOffset()
			if err != nil {
				t.Fatal(err)
			}
			m := members[i]
			want := Member{Name: f.Name, Flags: f.Flags, Method: f.Method, CRC: f.CRC32, Compressed: int(f.CompressedSize64),
				Size: int64(f.UncompressedSize64), Data: int(at)}
			got := m
			got.Offset, got.End, got.Limit, got.CRCAt = 0, 0, 0, [3]int{}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%q: (-want +got)\n%s", f.Name, diff)
			}
			for k, at := range m.CRCAt {
				if at != 0 && u32(b[at:]) != m.CRC {
					t.Errorf("%q: copy %d of the CRC, at byte %d, is %#x", f.Name, k, at, u32(b[at:]))
				}
			}
			if i+1 < len(members) && m.End != members[i+1].Offset {
				t.Errorf("%q: the member ends at byte %d, and the next one starts at byte %d", f.Name, m.End, members[i+1].Offset)
			}
			if streamed := f.Flags&flagDescriptor != 0; streamed != (m.CRCAt[2] != 0) {
				t.Errorf("%q: descriptor %v, CRC at %v", f.Name, streamed, m.CRCAt)
			}
			rc, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(rc)
			if err != nil || string(text) != readMembers(t, b)[i] {
				t.Errorf("%q: %q, %v", f.Name, text, err)
			}
		}
	}
}

// randomArchive returns a random archive, written by archive/zip or by this package.
func randomArchive(r *rand.Rand) []byte {
	var b bytes.Buffer
	if r.IntN(3) == 0 {
		f := Format(r.IntN(3))
		s := newSample(f)
		if r.IntN(2) == 0 {
			s.zip64()
		}
		return s.b
	}
	w := zip.NewWriter(&b)
	for k := range r.IntN(6) {
		h := &zip.FileHeader{Name: []string{"a", "dir/b.npy", "名前", "é.npy", "a", "dir/"}[r.IntN(6)], Method: []uint16{Stored,
			Deflated}[r.IntN(2)]}
		text := []byte(strings.Repeat(fmt.Sprint(k, "text"), max(0, r.IntN(100)-20))) // a fifth of the texts are empty
		if strings.HasSuffix(h.Name, "/") {
			h.Method, text = Stored, nil
		}
		if r.IntN(2) == 0 {
			f, _ := w.CreateHeader(h)
			f.Write(text)
			continue
		}
		h.Flags = flagUTF8
		h.CRC32, h.UncompressedSize64, h.CompressedSize64 = Checksum(text), uint64(len(text)), uint64(len(text))
		if h.Method == Deflated {
			text = deflate(string(text))
			h.CompressedSize64 = uint64(len(text))
		}
		f, _ := w.CreateRaw(h)
		f.Write(text)
	}
	w.SetComment(strings.Repeat("c", r.IntN(30)))
	w.Close()
	if r.IntN(4) == 0 { // archive/zip does not find a zip64 end record after a prefix
		return append(bytes.Repeat([]byte("x"), r.IntN(100)), b.Bytes()...)
	}
	return b.Bytes()
}

// TestGolden tests that the golden archives of golden.py are read, and that writing their members results in the same
// bytes.
func TestGolden(t *testing.T) {
	for name, f := range map[string]Format{"savez-old.npz": OldSavez, "savez-new.npz": Savez} {
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile("testdata/" + name)
			if err != nil {
				t.Fatal(err)
			}
			texts := readMembers(t, want)
			members, _ := Parse(want)
			var b []byte
			var entries []Entry
			for i, m := range members {
				n := int64(len(texts[i]))
				e := Entry{Name: m.Name, CRC: m.CRC, Compressed: n, Size: n, Offset: int64(len(b)), Zip64: f.NeedsZip64(n)}
				b = append(f.AppendLocal(b, &e), texts[i]...)
				entries = append(entries, e)
			}
			b = f.AppendDirectory(b, entries, int64(len(b)))
			if !bytes.Equal(b, want) {
				t.Errorf("%s: got\n%q\nwant\n%q", name, b, want)
			}
			if names := []string{members[0].Name, members[1].Name, members[2].Name}; !slices.Equal(names, []string{"x.npy",
				"é.npy", "empty.npy"}) {
				t.Errorf("%s: %q", name, names)
			}
		})
	}
}

// TestAligned tests that stored data is aligned for names of any length and members at any offset.
func TestAligned(t *testing.T) {
	for n := range 130 {
		for _, size := range []int64{0, 1, 1 << 32} {
			e := Entry{Name: strings.Repeat("n", n), Offset: int64(n * 7), Size: size, Compressed: size,
				Zip64: Aligned.NeedsZip64(size)}
			if end := e.Offset + int64(len(Aligned.AppendLocal(nil, &e))); end%Alignment != 0 {
				t.Errorf("name of %d bytes: the data starts at byte %d", n, end)
			}
			if e.Zip64 != (size > 1000) {
				t.Errorf("zip64 is %v for %d bytes", e.Zip64, size)
			}
		}
	}
}

// TestZip64 tests that archive/zip reads sizes and offsets beyond 32 bits, and more than 65,535 members. The archives
// lack the data of the members.
func TestZip64(t *testing.T) {
	for _, f := range []Format{Aligned, Savez, OldSavez} {
		for _, v := range []int64{1<<31 - 1, 1 << 31, full32 - 1, full32, 1 << 32, 1 << 50} {
			e := Entry{Name: "x", Size: v, Compressed: v, Offset: v, CRC: 7, Zip64: f.NeedsZip64(v)}
			dir := f.AppendDirectory(nil, []Entry{e}, 0)
			z, err := zip.NewReader(bytes.NewReader(dir), int64(len(dir)))
			if err != nil {
				t.Fatal(err)
			}
			if got := z.File[0]; got.UncompressedSize64 != uint64(v) || got.CompressedSize64 != uint64(v) || got.CRC32 != 7 {
				t.Errorf("format %d, %d bytes: archive/zip reads %+v", f, v, got.FileHeader)
			}
			dir = f.AppendDirectory(nil, nil, v)
			if has := bytes.Contains(dir, []byte(end64Magic)); has != (v > f.maxField32()) {
				t.Errorf("format %d, directory at byte %d: zip64 is %v", f, v, has)
			} else if has && (u16(dir[12:]) != 45 || u16(dir[14:]) != 45) {
				t.Errorf("format %d, directory at byte %d: made by version %d, needs %d; Python writes 45 and 45", f, v,
					u16(dir[12:]), u16(dir[14:]))
			}
		}
		entries := make([]Entry, 70_000)
		var b []byte
		for i := range entries {
			entries[i] = Entry{Name: fmt.Sprint(i), Offset: int64(len(b)), Zip64: f.NeedsZip64(0)}
			b = f.AppendLocal(b, &entries[i])
		}
		b = f.AppendDirectory(b, entries, int64(len(b)))
		members, err := Parse(b)
		if err != nil || len(members) != len(entries) || members[69_999].Name != "69999" {
			t.Errorf("format %d: %d members, %v", f, len(members), err)
		}
	}
}

func TestCombineCRC(t *testing.T) {
	r := oracle.Rand(t, 42)
	for range 200 {
		b := make([]byte, r.IntN(1<<r.IntN(14)))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		k := r.IntN(len(b) + 1)
		if got, want := CombineCRC(Checksum(b[:k]), Checksum(b[k:]), int64(len(b)-k)), crc32.ChecksumIEEE(b); got != want {
			t.Fatalf("%d and %d bytes: %#x, want %#x", k, len(b)-k, got, want)
		}
	}
}

// TestNames tests that the table of code page 437 equals Python's.
func TestNames(t *testing.T) {
	p := oracle.Start(t)
	var want string
	if err := p.Eval("bytes(range(128, 256)).decode('cp437')", nil, &want); err != nil {
		t.Fatal(err)
	}
	var all []byte
	for c := 128; c < 256; c++ {
		all = append(all, byte(c))
	}
	if got, bad := decodeName(all, 0); got != want || bad != "" {
		t.Errorf("got  %q %s\nwant %q", got, bad, want)
	}
}

// TestQuote tests that messages contain at most 60 bytes of a long name, and only whole characters.
func TestQuote(t *testing.T) {
	s := strings.Repeat("0123456789", 6)
	for name, want := range map[string]string{
		"a\x1b.npy":            `"a\x1b.npy"`,
		s:                      `"` + s + `"`,
		s + "x":                `"` + s + `"…`,
		s[:59] + "é":           `"` + s[:59] + `"…`,
		s[:58] + "é.npy":       `"` + s[:58] + `é"…`,
		strings.Repeat(s, 999): `"` + s + `"…`,
	} {
		t.Run(name, func(t *testing.T) {
			if got := Quote(name); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// TestRecordLen tests that the records of a directory have the lengths that RecordLen returns.
func TestRecordLen(t *testing.T) {
	for _, f := range []Format{Aligned, Savez, OldSavez} {
		for _, e := range []Entry{
			{Name: "a.npy"},
			{Name: strings.Repeat("é", 100), Size: 1 << 31, Compressed: 1 << 31, Offset: 7},
			{Name: "a", Size: 1 << 32, Compressed: 5},
			{Name: "a", Offset: 1 << 40},
			{Name: "a", Size: 1 << 40, Compressed: 1 << 40, Offset: 1 << 40},
		} {
			b := f.AppendDirectory(nil, []Entry{e, e}, 0)
			if got, want := 2*f.RecordLen(&e), int(u32(b[len(b)-endLen+12:])); got != want {
				t.Errorf("%v, %+v: %d bytes, want %d", f, e, got, want)
			}
		}
	}
}
