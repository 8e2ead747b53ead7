package zipfile

import (
	"bytes"
	"slices"
	"testing"
)

// TestOneByte tests that if any single byte of an archive is damaged, Parse refuses the archive or returns the same
// members: Parse checks each field of the structure against another field, or does not use the field. The exception is
// the length of the extra fields of a local header, which is stored only there. If it is wrong, all readers find the
// data at a wrong position, and the CRC differs.
func TestOneByte(t *testing.T) {
	crc := uint64(Checksum([]byte(content[1])))
	step := 1
	if testing.Short() {
		step = 17 // includes 0 and 255
	}
	n, c := uint64(len(content[1])), uint64(len(deflate(content[1])))
	for name, s := range map[string]*sample{
		"aligned":    newSample(Aligned),
		"savez":      newSample(Savez),
		"zip64":      newSample(Aligned).zip64(),
		"descriptor": newSample(Aligned).descriptor(1, descriptorMagic+le("444", crc, c, n)),
	} {
		t.Run(name, func(t *testing.T) {
			want, err := Parse(s.b)
			if err != nil {
				t.Fatal(err)
			}
			damaged := bytes.Clone(s.b)
			refused, unusable := 0, 0
			for at := range damaged {
				if slices.ContainsFunc(s.local, func(local int) bool { return at == local+28 || at == local+29 }) {
					continue
				}
				for v := 0; v < 256; v += step {
					if damaged[at] = byte(v); v == int(s.b[at]) {
						continue
					}
					members, err := Parse(damaged)
					if err != nil {
						refused++
						continue
					}
					if len(members) != len(want) {
						t.Fatalf("%s: with %#x at byte %d the archive has %d members", name, v, at, len(members))
					}
					for i, m := range members {
						w := want[i]
						if m.Err != nil {
							unusable++
						} else if m.Name != w.Name || m.Method != w.Method || m.Data != w.Data || m.Compressed != w.Compressed ||
							m.Size != w.Size {
							t.Errorf("%s: with %#x at byte %d the member is %+v, want %+v", name, v, at, m, w)
						}
					}
				}
				damaged[at] = s.b[at]
			}
			t.Logf("%s: %d damages, %d refused, %d members unusable", name, 255/step*len(damaged), refused, unusable)
		})
	}
}
