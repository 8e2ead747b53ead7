package npz

import (
	"bytes"
	"os"
	"strconv"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/zipfile"
	"github.com/ndmap/ndmap/mmap"
)

// zerosCRC returns the CRC-32 of data with the CRC crc followed by n zeros.
func zerosCRC(crc uint32, n int64) uint32 {
	zeros := make([]byte, 1<<20)
	one, rest := zipfile.Checksum(zeros), zipfile.Checksum(zeros[:n%(1<<20)])
	for range n >> 20 {
		crc = zipfile.CombineCRC(crc, one, 1<<20)
	}
	return zipfile.CombineCRC(crc, rest, n%(1<<20))
}

// sparse creates an archive of n float64 zeros, which take no disk space, followed by a small member.
func sparse(t *testing.T, f zipfile.Format, n int) string {
	t.Helper()
	path := temp(t)
	file, err := os.Create(path)
	check(t, err)
	defer file.Close()
	h, head, err := npy.New(dtype.Float64.WithByteOrder(dtype.LittleEndian), index.C, []int{n})
	check(t, err)
	small := npyFile(1, 2, 3)
	var entries []zipfile.Entry
	at := int64(0)
	for _, m := range []struct {
		name string
		b    []byte
		size int64
		crc  uint32
	}{
		{"large.npy", head, int64(len(head) + h.NBytes), zerosCRC(zipfile.Checksum(head), int64(h.NBytes))},
		{"small.npy", small, int64(len(small)), zipfile.Checksum(small)},
	} {
		e := zipfile.Entry{Name: m.name, CRC: m.crc, Compressed: m.size, Size: m.size, Offset: at,
			Zip64: f.NeedsZip64(m.size)}
		local := f.AppendLocal(nil, &e)
		if _, err := file.WriteAt(append(local, m.b...), at); err != nil {
			t.Fatal(err)
		}
		at += int64(len(local)) + m.size
		entries = append(entries, e)
	}
	if _, err := file.WriteAt(f.AppendDirectory(nil, entries, at), at); err != nil {
		t.Fatal(err)
	}
	return path
}

// A member of more than 4 GiB has its sizes in zip64 fields, and later members have their offsets there. NDMAP_LONG=1
// runs this test, which reads about 30 GiB.
func TestLargeMember(t *testing.T) {
	if !oracle.Long(t) {
		t.Skip("NDMAP_LONG is not set: see make long")
	}
	if strconv.IntSize < 64 {
		t.Skip("the file does not fit the address space")
	}
	p := oracle.Start(t)
	for _, f := range []zipfile.Format{zipfile.Aligned, zipfile.Savez, zipfile.OldSavez} {
		const n = 5 << 27 // 5 GiB
		path := sparse(t, f, n)
		a, err := Open(path, mmap.ReadWrite)
		check(t, err)
		check(t, a.Verify("large"))
		check(t, a.Verify("small"))
		v := must(array.As[float64](must(a.Array("large"))))
		v.SetAt(7, n-1)
		check(t, a.Close())
		check(t, p.Run(`
import zipfile
with zipfile.ZipFile(x) as z:
    assert z.testzip() is None
    assert z.read("small.npy")[-3:] == bytes([1, 2, 3])
    with z.open("large.npy") as f:
        f.seek(-8, 2)
        assert np.frombuffer(f.read(), "<f8")[0] == 7`, path, nil))
		check(t, os.Remove(path))
	}
}

// Add writes an array of more than 4 GiB with zip64 fields. The tests of internal/zipfile test the limits of sizes with
// small archives.
func TestLargeMemberAdd(t *testing.T) {
	if !oracle.Long(t) || strconv.IntSize < 64 {
		t.Skip("NDMAP_LONG is not set: see make long")
	}
	size := int64(5 << 30) // a variable, because the constant overflows a 32-bit int
	path := temp(t)
	one := must(array.FromSlice([]byte{7})).Array()
	large := must(one.Broadcast(int(size)))
	check(t, SaveConfig{NoSync: true, Compress: true}.Save(path, map[string]array.Array{"large": large, "small": one}))
	a, err := Open(path, mmap.ReadOnly)
	check(t, err)
	a.MaxMember = 6 << 30
	defer a.Close()
	check(t, a.Verify("large"))
	if got := must(a.Member("large")); got.Size != 5<<30+128 {
		t.Errorf("%+v", got)
	}
	var b bytes.Buffer
	check(t, array.Write(&b, must(a.Array("small"))))
	if !bytes.Equal(b.Bytes(), npyFile(7)) {
		t.Errorf("the member behind the large one is %q", b.Bytes())
	}
}
