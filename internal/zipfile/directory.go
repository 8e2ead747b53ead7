package zipfile

import (
	"bytes"
	"fmt"
	"math"
	"unicode/utf8"
)

// readDirectory reads the records of the directory, which must fill it exactly.
func readDirectory(w window, e endRecords) ([]Member, error) {
	members := make([]Member, 0, e.members) // findEnd has checked that this many records fit
	var buf []byte
	at := e.start
	for k := range e.members {
		if !w.hasMagic(at, directoryLen, directoryMagic) {
			return nil, errorf("directory", at, "missing record of member %d of %d", k+1, e.members)
		}
		var rec [directoryLen]byte
		copy(rec[:], w.from(at))
		name, extra, comment := int(u16(rec[28:])), int(u16(rec[30:])), int(u16(rec[32:]))
		if name+extra+comment > e.stop-at-directoryLen {
			return nil, errorf("directory", at, "the record of member %d ends past the directory", k+1)
		}
		buf = append(buf[:0], w.from(at + directoryLen)[:name+extra]...)
		var m Member
		if err := m.readRecord(&rec, buf[:name], buf[name:], at, e); err != nil {
			return nil, err
		}
		members = append(members, m)
		at += directoryLen + name + extra + comment
	}
	if at != e.stop {
		return nil, errorf("directory", at, "%d bytes follow its %d members", e.stop-at, e.members)
	}
	return members, nil
}

// readRecord reads the record of the directory at byte at.
func (m *Member) readRecord(rec *[directoryLen]byte, name, extra []byte, at int, e endRecords) error {
	m.Flags, m.Method, m.CRC = u16(rec[8:]), u16(rec[10:]), u32(rec[16:])
	m.CRCAt[0] = at + 16
	text, bad := decodeName(name, m.Flags)
	if bad != "" {
		return errorf("directory", at, "%s", bad)
	}
	m.Name = text
	fail := func(format string, args ...any) error {
		return errorf("directory", at, "member %s: "+format, append([]any{Quote(m.Name)}, args...)...)
	}
	z, bad := m.readExtra(extra)
	if bad != "" {
		return fail("%s", bad)
	}
	size, compressed, offset := uint64(u32(rec[24:])), uint64(u32(rec[20:])), uint64(u32(rec[42:]))
	disk := uint32(u16(rec[34:]))
	for _, v := range []*uint64{&size, &compressed, &offset} { // the zip64 field holds the full values, in this order
		if *v != full32 || z == nil {
			continue
		}
		if len(z) < 8 {
			return fail("its zip64 field is too short")
		}
		*v, z = u64(z), z[8:]
	}
	if disk == full16 && len(z) >= 4 {
		disk = u32(z)
	}
	switch room := uint64(e.start - e.prefix); {
	case disk != 0:
		return fail("it is on another disk")
	case offset > room || localLen > room-offset:
		return fail("its local header at byte %d is not before the directory", offset)
	case compressed > room-offset-localLen:
		return fail("its %d bytes at offset %d end past the start of the directory", compressed, offset)
	case size > math.MaxInt64:
		return fail("its size of %d bytes overflows", size)
	case m.Method == Stored && m.Flags&flagEncrypted == 0 && size != compressed:
		return fail("it is stored uncompressed, but its size is %d bytes and its stored size is %d", size, compressed)
	}
	m.Size, m.Compressed, m.Offset = int64(size), int(compressed), e.prefix+int(offset)
	m.Err = m.checkUsable()
	return nil
}

// checkUsable returns an error if the content cannot be read.
func (m *Member) checkUsable() error {
	reason := ""
	switch {
	case m.Flags&(flagEncrypted|flagStrong) != 0:
		reason = "it is encrypted"
	case m.Flags&flagPatch != 0:
		reason = "it is a patch of another file"
	case m.Method != Stored && m.Method != Deflated:
		reason = "it is compressed with method " + methodName(m.Method) + "; only stored and deflated members can be read"
	case m.Method == Deflated && m.Size > MaxRatio*int64(m.Compressed): // files are too short for an overflow
		reason = fmt.Sprintf("it claims %d bytes, more than %d times the %d that it takes; deflated data never does", m.Size,
			MaxRatio, m.Compressed)
	default:
		return nil
	}
	return &Error{"member " + Quote(m.Name), int64(m.Offset), reason}
}

func methodName(method uint16) string {
	names := map[uint16]string{9: "deflate64", 12: "bzip2", 14: "LZMA", 93: "Zstandard", 95: "xz", 99: "AES"}
	if name, ok := names[method]; ok {
		return fmt.Sprintf("%d (%s)", method, name)
	}
	return fmt.Sprint(method)
}

// readExtra returns the zip64 field among the extra fields, or nil if it is missing. If the fields are malformed, bad
// says why. Trailing bytes that are too short for a field are ignored: older versions of zipalign pad with zeros.
//
// A Unicode path field repeats the name, and some readers prefer it. Which readers do so depends on its version, its
// checksum and the flags. So readExtra accepts it only with the name of m.
func (m *Member) readExtra(extra []byte) (zip64 []byte, bad string) {
	for len(extra) >= 4 {
		id, n := u16(extra), int(u16(extra[2:]))
		extra = extra[4:]
		switch {
		case n > len(extra):
			return nil, fmt.Sprintf("its extra field %#x of %d bytes is longer than the remaining %d bytes", id, n, len(extra))
		case id == extraZip64 && zip64 != nil:
			return nil, "it has two zip64 fields"
		case id == extraZip64:
			zip64 = extra[:n:n]
		case id == extraUnicodePath && n < 5:
			return nil, fmt.Sprintf("its Unicode path field of %d bytes is too short", n)
		case id == extraUnicodePath && string(extra[5:n]) != m.Name:
			return nil, "its Unicode path field calls it " + Quote(string(extra[5:n]))
		}
		extra = extra[n:]
	}
	return zip64, ""
}

// decodeName returns a name as text, decoded like in Python. If it cannot be decoded, bad says why.
func decodeName(name []byte, flags uint16) (text, bad string) {
	if bytes.IndexByte(name, 0) >= 0 {
		return "", fmt.Sprintf("the name %s contains a NUL, at which some readers end the name", Quote(string(name)))
	}
	if flags&flagUTF8 != 0 {
		if !utf8.Valid(name) {
			return "", fmt.Sprintf("the name %s is not UTF-8, as its flags say", Quote(string(name)))
		}
		return string(name), ""
	}
	var b []byte
	for _, c := range name {
		if c < 0x80 {
			b = append(b, c)
			continue
		}
		b = utf8.AppendRune(b, cp437[c-0x80])
	}
	return string(b), ""
}

// cp437 is the upper half of code page 437, the encoding of names without the UTF-8 flag.
var cp437 = []rune("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0")
