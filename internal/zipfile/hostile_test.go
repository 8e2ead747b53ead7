package zipfile

import (
	"fmt"
	"testing"
)

// TestHostile damages every field that describes the structure of an archive, and compares whole messages. Parse must
// reject each archive as a whole.
func TestHostile(t *testing.T) {
	aligned := func(edit func(s *sample)) []byte {
		s := newSample(Aligned)
		edit(s)
		return s.b
	}
	savez := func(edit func(s *sample)) []byte {
		s := newSample(Savez)
		edit(s)
		return s.b
	}
	crc := uint64(Checksum([]byte(content[0])))
	for _, tt := range []struct {
		name string
		b    []byte
		want string
	}{
		{"empty", nil,
			`an empty file, not a zip archive (.npz); the program that should have written it did not; write it again`},
		{"npy", []byte("\x93NUMPY\x01\x00v\x00{'descr"),
			`a .npy file, not a zip archive (.npz); use array.Open`},
		{"text", []byte("this is no archive"),
			`text, not a zip archive (.npz); it may say what went wrong where the file was made or downloaded`},
		{"Git LFS", []byte("version https://git-lfs.github.com/spec/v1\noid sha256:"),
			`a Git LFS pointer, not a zip archive (.npz); git lfs pull gets the file`},
		{"HTML", []byte("<!DOCTYPE html><html><head><title>Virus scan warning</title></head></html>\n"),
			`an HTML or XML page, not a zip archive (.npz); a server sent it instead of the file: read the page, and download the file again`},
		{"control characters", []byte("\x1b[2J\x00\x7f"),
			`archive at byte 0: not a zip archive (.npz): it starts with "\x1b[2J\x00\x7f" and has no end record`},
		{"cut before the directory", aligned(func(s *sample) { s.b = s.b[:s.dir[0]] }),
			`archive at byte 0: it has no end record: the file was truncated, or never written to its end`},
		{"cut in the directory", aligned(func(s *sample) { s.b = s.b[:s.dir[1]] }),
			`archive at byte 0: it has no end record: the file was truncated, or never written to its end`},
		{"cut in the end record", aligned(func(s *sample) { s.b = s.b[:len(s.b)-1] }),
			`end record at byte 342: the file ends inside it`},
		{"end record alone, of a large archive", []byte(endMagic + le("2222442", 0, 0, 3, 3, 150, 300, 0)),
			`end record at byte 0: the directory of 150 bytes does not fit the 0 bytes before the end records`},
		{"comment past the end", aligned(func(s *sample) { s.put16(s.end+20, 1) }),
			`end record at byte 342: its comment of 1 bytes ends past the end of the file: it was truncated`},
		{"end record inside of the comment", aligned(func(s *sample) {
			s.put16(s.end+20, 22)
			s.b = append(s.b, endMagic+le("2222442", 0, 0, 1, 1, 46, 0, 0)...)
		}), `directory at byte 318: missing record of member 1 of 1`},
		{"disk", aligned(func(s *sample) { s.put16(s.end+4, 1) }),
			`end record at byte 342: archives of several disks are not supported`},
		{"disk of the directory", aligned(func(s *sample) { s.put16(s.end+6, 1) }),
			`end record at byte 342: archives of several disks are not supported`},
		{"members on this disk", aligned(func(s *sample) { s.put16(s.end+8, 2) }),
			`end record at byte 342: archives of several disks are not supported`},
		{"fewer members", aligned(func(s *sample) { s.put16(s.end+8, 2).put16(s.end+10, 2) }),
			`directory at byte 294: 48 bytes follow its 2 members`},
		{"more members", aligned(func(s *sample) { s.put16(s.end+8, 4).put16(s.end+10, 4) }),
			`end record at byte 342: 4 members do not fit a directory of 150 bytes`},
		{"65535 members", aligned(func(s *sample) { s.put16(s.end+8, full16).put16(s.end+10, full16) }),
			`end record at byte 342: 65535 members do not fit a directory of 150 bytes`},
		{"directory larger than the file", aligned(func(s *sample) { s.put32(s.end+12, 1<<31) }),
			`end record at byte 342: the directory of 2147483648 bytes does not fit the 342 bytes before the end records`},
		{"directory shorter", aligned(func(s *sample) { s.extend(-1, 0) }),
			`directory at byte 193: missing record of member 1 of 3`},
		{"directory longer", aligned(func(s *sample) { s.extend(1, 0) }),
			`end record at byte 342: the directory ends here and has 151 bytes, so it does not start at byte 192`},
		{"directory before it starts", aligned(func(s *sample) { s.extend(0, 1) }),
			`end record at byte 342: the directory ends here and has 150 bytes, so it does not start at byte 193`},
		{"directory after it starts", aligned(func(s *sample) { s.extend(0, -1) }),
			`member "a.npy" at byte 1: missing local header`},
		{"gap before the end record", aligned(func(s *sample) { s.insert(s.end, "gap") }),
			`directory at byte 195: missing record of member 1 of 3`},

		{"zip64: several disks", aligned(func(s *sample) { s.zip64().put32(s.end+56+16, 2) }),
			`zip64 locator at byte 398: archives of several disks are not supported`},
		{"zip64: disk of the end record", aligned(func(s *sample) { s.zip64().put32(s.end+16, 1) }),
			`zip64 end record at byte 342: archives of several disks are not supported`},
		{"zip64: no end record", aligned(func(s *sample) { s.zip64().put(s.end, "XXXX") }),
			`zip64 locator at byte 398: no zip64 end record of 56 bytes before it`},
		{"zip64: longer end record", aligned(func(s *sample) { s.zip64().put64(s.end+4, 45) }),
			`zip64 end record at byte 342: it says that 45 more bytes follow, want 44`},
		{"zip64: end record elsewhere", aligned(func(s *sample) { s.zip64().put64(s.end+56+8, 77) }),
			`zip64 locator at byte 398: the zip64 end record is at byte 342, not at 77`},
		{"zip64: members differ", aligned(func(s *sample) { s.zip64().put16(s.end+76+10, 2) }),
			`end record at byte 418: it says 2 where the zip64 end record says 3`},
		{"zip64: offsets differ", aligned(func(s *sample) { s.zip64().put32(s.end+76+16, 0) }),
			`end record at byte 418: it says 0 where the zip64 end record says 192`},
		{"zip64: 2^62 members", aligned(func(s *sample) { s.zip64().put64(s.end+24, 1<<62).put64(s.end+32, 1<<62) }),
			`end record at byte 418: 4611686018427387904 members are more than the limit of 1048576`},
		{"zip64: directory of 2^64 bytes", aligned(func(s *sample) { s.zip64().put64(s.end+40, 1<<64-1) }),
			`end record at byte 418: the directory of 18446744073709551615 bytes does not fit the 342 bytes before the end records`},
		{"zip64: offset of 2^63", aligned(func(s *sample) { s.zip64().put64(s.end+48, 1<<63) }),
			`end record at byte 418: the directory ends here and has 150 bytes, so it does not start at byte 9223372036854775808`},

		{"record: no magic", aligned(func(s *sample) { s.put(s.dir[1], "PK\x01\x03") }),
			`directory at byte 243: missing record of member 2 of 3`},
		{"record: name past the directory", aligned(func(s *sample) { s.put16(s.dir[2]+28, 500) }),
			`directory at byte 294: the record of member 3 ends past the directory`},
		{"record: comment past the directory", aligned(func(s *sample) { s.put16(s.dir[2]+32, full16) }),
			`directory at byte 294: the record of member 3 ends past the directory`},
		{"record: extra field too long", aligned(func(s *sample) { s.directoryExtra(0, le("22", 7, 9)+"short") }),
			`directory at byte 192: member "a.npy": its extra field 0x7 of 9 bytes is longer than the remaining 5 bytes`},
		{"record: zip64 twice", aligned(func(s *sample) { s.directoryExtra(0, le("2222", 1, 0, 1, 0)) }),
			`directory at byte 192: member "a.npy": it has two zip64 fields`},
		{"record: zip64 too short", aligned(func(s *sample) {
			s.put32(s.dir[0]+24, full32).directoryExtra(0, le("224", 1, 4,
				5))
		}), `directory at byte 192: member "a.npy": its zip64 field is too short`},
		{"record: zip64 missing", aligned(func(s *sample) { s.put32(s.dir[0]+20, full32) }),
			`directory at byte 192: member "a.npy": its 4294967295 bytes at offset 0 end past the start of the directory`},
		{"record: size of 2^63", aligned(func(s *sample) {
			s.put32(s.dir[1]+24, full32).directoryExtra(1, le("228", 1, 8,
				1<<63))
		}), `directory at byte 243: member "b.npy": its size of 9223372036854775808 bytes overflows`},
		{"record: disk", aligned(func(s *sample) { s.put16(s.dir[1]+34, 1) }),
			`directory at byte 243: member "b.npy": it is on another disk`},
		{"record: disk in zip64", aligned(func(s *sample) {
			s.put16(s.dir[1]+34, full16).directoryExtra(1, le("224", 1, 4,
				5))
		}), `directory at byte 243: member "b.npy": it is on another disk`},
		{"record: offset past the directory", aligned(func(s *sample) { s.put32(s.dir[0]+42, uint32(s.dir[0]-29)) }),
			`directory at byte 192: member "a.npy": its local header at byte 163 is not before the directory`},
		{"record: offset of 2^64", aligned(func(s *sample) {
			s.put32(s.dir[0]+42, full32).directoryExtra(0, le("228", 1, 8,
				1<<64-1))
		}),
			`directory at byte 192: member "a.npy": its local header at byte 18446744073709551615 is not before the directory`},
		{"record: compressed size past the directory", aligned(func(s *sample) { s.put32(s.dir[1]+20, uint32(s.dir[0])) }),
			`directory at byte 243: member "b.npy": its 192 bytes at offset 69 end past the start of the directory`},
		{"record: stored with two sizes", aligned(func(s *sample) { s.put32(s.dir[0]+24, 500) }),
			`directory at byte 192: member "a.npy": it is stored uncompressed, but its size is 500 bytes and its stored size is 5`},
		{"record: NUL in the name", aligned(func(s *sample) { s.put(s.dir[0]+46, "a\x00") }),
			`directory at byte 192: the name "a\x00npy" contains a NUL, at which some readers end the name`},
		{"record: NUL before the name", aligned(func(s *sample) { s.put(s.dir[0]+46, "\x00") }),
			`directory at byte 192: the name "\x00.npy" contains a NUL, at which some readers end the name`},
		{"record: name not UTF-8", aligned(func(s *sample) { s.put(s.dir[2]+46, "\xff\xfe") }),
			`directory at byte 294: the name "\xff\xfe" is not UTF-8, as its flags say`},

		{"local: another offset", aligned(func(s *sample) { s.put32(s.dir[1]+42, uint32(s.local[1]+1)) }),
			`member "b.npy" at byte 70: missing local header`},
		{"local: an offset in the member before", aligned(func(s *sample) { s.put32(s.dir[1]+42, uint32(s.local[1]-1)) }),
			`member "a.npy" at byte 0: its 5 bytes of data end past byte 68, where the next record starts`},
		{"local: longer name", aligned(func(s *sample) { s.put16(s.local[0]+26, 6) }),
			`member "a.npy" at byte 0: its 5 bytes of data end past byte 69, where the next record starts`},
		{"local: longer name and shorter field", aligned(func(s *sample) {
			s.put16(s.local[0]+26, 9).put16(s.local[0]+28, 25)
		}),
			`member "a.npy" at byte 0: in the local header the name "a.npy5\xd9\x19\x00" contains a NUL, at which some readers end the name`},
		{"local: another name", aligned(func(s *sample) { s.put(s.local[0]+30, "../..") }),
			`member "a.npy" at byte 0: the local header calls it "../.."`},
		{"local: name of control characters", aligned(func(s *sample) { s.put(s.local[0]+30, "\x1b[2J\x07") }),
			`member "a.npy" at byte 0: the local header calls it "\x1b[2J\a"`},
		{"local: another encoding of the name", aligned(func(s *sample) { s.put16(s.local[2]+6, 0) }),
			`member "é" at byte 118: the local header calls it "├⌐"`},
		{"local: another method", aligned(func(s *sample) { s.put16(s.local[0]+8, Deflated) }),
			`member "a.npy" at byte 0: the local header says method 8, the directory 0`},
		{"local: encrypted", aligned(func(s *sample) { s.put16(s.local[0]+6, flagEncrypted) }),
			`member "a.npy" at byte 0: the local header has flags 0x1, the directory 0x0`},
		{"local: a descriptor", aligned(func(s *sample) { s.put16(s.local[0]+6, flagDescriptor) }),
			`member "a.npy" at byte 0: the local header has flags 0x8, the directory 0x0`},
		{"local: another size", aligned(func(s *sample) { s.put32(s.local[1]+22, 29) }),
			`member "b.npy" at byte 69: the local header says size 29 and compressed size 14, the directory 28 and 14`},
		{"local: another compressed size", aligned(func(s *sample) { s.put32(s.local[0]+18, 6) }),
			`member "a.npy" at byte 0: the local header says size 5 and compressed size 6, the directory 5 and 5`},
		{"local: extra field too long", aligned(func(s *sample) { s.put16(s.local[0]+35+2, 999) }),
			`member "a.npy" at byte 0: its extra field 0xd935 of 999 bytes is longer than the remaining 25 bytes`},
		{"local: data past the directory", aligned(func(s *sample) { s.put16(s.local[2]+28, full16) }),
			`member "é" at byte 118: its 0 bytes of data end past byte 192, where the next record starts`},
		{"local: zip64 too short", savez(func(s *sample) { s.put16(s.local[0]+35+2, 4).put32(s.local[0]+35+8, 8<<16|7) }),
			`member "a.npy" at byte 0: its zip64 field is too short`},
		{"local: zip64 with another size", savez(func(s *sample) { s.put64(s.local[0]+35+4, 6) }),
			`member "a.npy" at byte 0: the local header says size 6 and compressed size 5, the directory 5 and 5`},
		{"descriptor missing", aligned(func(s *sample) { s.descriptor(0, "") }),
			`member "a.npy" at byte 0: its data is not followed by a descriptor that says the sizes of the directory`},
		{"descriptor cut short", aligned(func(s *sample) {
			s.descriptor(1, descriptorMagic+le("44", 0,
				uint64(len(deflate(content[1])))))
		}), `member "b.npy" at byte 69: its data is not followed by a descriptor that says the sizes of the directory`},
		{"descriptor that ends in the next record", aligned(func(s *sample) { // the magic of the record is the size
			s.descriptor(1, descriptorMagic+le("44", 0, uint64(len(deflate(content[1])))))
			s.put(s.dir[1]+24, localMagic).put(s.local[1]+22, localMagic)
		}), `member "b.npy" at byte 69: its data is not followed by a descriptor that says the sizes of the directory`},
		{"descriptor with another size", aligned(func(s *sample) { s.descriptor(0, descriptorMagic+le("444", crc, 5, 6)) }),
			`member "a.npy" at byte 0: its data is not followed by a descriptor that says the sizes of the directory`},
		{"no compressed size and no descriptor", aligned(func(s *sample) { s.put32(s.local[1]+18, 0) }),
			`member "b.npy" at byte 69: the local header says size 28 and compressed size 0, the directory 28 and 14`},
		{"descriptor, and another size alone before", aligned(func(s *sample) {
			s.descriptor(1, descriptorMagic+le("444", 0, uint64(len(deflate(content[1]))), 28)).put32(s.local[1]+18,
				0).put32(s.local[1]+22, 29)
		}), `member "b.npy" at byte 69: the local header says size 29 and compressed size 0, the directory 28 and 14`},
		{"descriptor, and another compressed size alone before", aligned(func(s *sample) {
			s.descriptor(1, descriptorMagic+le("444", 0, uint64(len(deflate(content[1]))), 28)).put32(s.local[1]+18,
				13).put32(s.local[1]+22, 0)
		}), `member "b.npy" at byte 69: the local header says size 0 and compressed size 13, the directory 28 and 14`},

		// unzip 6.0, bsdtar 3.6.2, 7z 26.02 and Python 3.12 use these fields, each under different conditions; Python 3.11
		// and Go ignore them.
		{"Unicode path of another name", aligned(func(s *sample) { s.directoryExtra(0, unicodePath("a.npy", "b.npy")) }),
			`directory at byte 192: member "a.npy": its Unicode path field calls it "b.npy"`},
		{"Unicode path of another name, whose checksum is wrong", aligned(func(s *sample) {
			s.directoryExtra(0,
				unicodePath("x", "b.npy"))
		}), `directory at byte 192: member "a.npy": its Unicode path field calls it "b.npy"`},
		{"Unicode path of another version", aligned(func(s *sample) {
			s.directoryExtra(0, le("221", extraUnicodePath, 10, 0)+unicodePath("a.npy", "b.npy")[5:])
		}), `directory at byte 192: member "a.npy": its Unicode path field calls it "b.npy"`},
		{"Unicode path beside the UTF-8 flag", aligned(func(s *sample) { s.directoryExtra(2, unicodePath("é", "e")) }),
			`directory at byte 294: member "é": its Unicode path field calls it "e"`},
		{"Unicode path without a name", aligned(func(s *sample) { s.directoryExtra(0, unicodePath("a.npy", "")) }),
			`directory at byte 192: member "a.npy": its Unicode path field calls it ""`},
		{"Unicode path that is not UTF-8", aligned(func(s *sample) { s.directoryExtra(0, unicodePath("a.npy", "\xff.npy")) }),
			`directory at byte 192: member "a.npy": its Unicode path field calls it "\xff.npy"`},
		{"Unicode path with a NUL", aligned(func(s *sample) { s.directoryExtra(0, unicodePath("a.npy", "a.npy\x00")) }),
			`directory at byte 192: member "a.npy": its Unicode path field calls it "a.npy\x00"`},
		{"Unicode path too short", aligned(func(s *sample) { s.directoryExtra(0, le("221", extraUnicodePath, 1, 1)) }),
			`directory at byte 192: member "a.npy": its Unicode path field of 1 bytes is too short`},
		{"Unicode path, the second of two", aligned(func(s *sample) {
			s.directoryExtra(0, unicodePath("a.npy",
				"a.npy")+unicodePath("a.npy", "b.npy"))
		}), `directory at byte 192: member "a.npy": its Unicode path field calls it "b.npy"`},
		{"Unicode path in the local header", aligned(func(s *sample) { s.localExtra(1, unicodePath("b.npy", "a.npy")) }),
			`member "b.npy" at byte 69: its Unicode path field calls it "a.npy"`},
		{"Unicode path that decodes a name", aligned(func(s *sample) {
			s.put16(s.dir[2]+8, 0).put16(s.local[2]+6, 0).directoryExtra(2, unicodePath("é", "é"))
		}), `directory at byte 294: member "├⌐": its Unicode path field calls it "é"`},
		{"two records of one member", aligned(func(s *sample) {
			s.put(s.dir[1], string(s.b[s.dir[0]:s.dir[1]]))
		}), `member "a.npy" at byte 0: its 5 bytes of data end past byte 0, where the next record starts`},
		{"members that overlap", aligned(func(s *sample) { // b.npy starts within the data of a.npy
			n := uint32(s.local[1] - s.local[0])
			for _, at := range []int{s.dir[0] + 20, s.dir[0] + 24, s.local[0] + 18, s.local[0] + 22} {
				s.put32(at, n)
			}
		}), `member "a.npy" at byte 0: its 69 bytes of data end past byte 69, where the next record starts`},
		{"a member in the data of another", aligned(func(s *sample) {
			inner := s.b[s.local[0]:s.local[1]]
			s.insert(s.local[1], string(inner))
			n := uint32(5 + len(inner))
			for _, at := range []int{s.dir[0] + 20, s.dir[0] + 24, s.local[0] + 18, s.local[0] + 22} {
				s.put32(at, n)
			}
			s.extend(0, len(inner))
			s.put(s.dir[1], string(s.b[s.dir[0]:s.dir[1]])).put32(s.dir[1]+42, uint32(s.local[0]+len(inner)))
			s.put32(s.dir[1]+20, 5).put32(s.dir[1]+24, 5).put32(s.dir[2]+42, uint32(s.local[2]))
		}), `member "a.npy" at byte 0: its 74 bytes of data end past byte 69, where the next record starts`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(tt.b)
			if got := fmt.Sprint(err); got != tt.want {
				t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
			}
		})
	}
}
