package zipfile

import (
	"bytes"
	"os"
	"runtime"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

// FuzzArchive tests that Parse returns an error with an offset in the file, or members that lie in the file and do not
// overlap, for any bytes. The memory that it takes must be proportional to the file. Inflating must not panic.
func FuzzArchive(f *testing.F) {
	for _, name := range []string{"savez-old.npz", "savez-new.npz"} {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add(newSample(Aligned).zip64().b)
	f.Add(newSample(Aligned).descriptor(1, descriptorMagic+le("444", 0, 14, 28)).b)
	f.Add(newSample(Savez).directoryExtra(0, le("228", 1, 8, 9)).b)
	r := oracle.Rand(f, 43)
	for range 20 {
		f.Add(randomArchive(r))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		members, err := Parse(b)
		runtime.ReadMemStats(&after)
		// A member takes at least 76 bytes of the file. It takes 144 bytes of memory, a pointer for sorting, and memory for
		// its name and header. The characters of code page 437 take up to three bytes in UTF-8.
		if used := after.TotalAlloc - before.TotalAlloc; used > uint64(20*len(b)+1<<16) {
			t.Errorf("Parse took %d bytes of memory for an archive of %d bytes", used, len(b))
		}
		if err != nil {
			if e, ok := err.(*Error); !ok || e.Offset < 0 || e.Offset > int64(len(b)) || members != nil {
				t.Fatalf("%d members and %#v", len(members), err)
			}
			return
		}
		end := 0
		for _, m := range members {
			if m.Offset < 0 || m.Data < m.Offset+localLen || m.End < m.Data+m.Compressed || m.End > len(b) || m.Compressed < 0 ||
				m.Size < 0 {
				t.Fatalf("%+v in an archive of %d bytes", m, len(b))
			}
			end += m.End - m.Offset
			for _, at := range m.CRCAt {
				if at < 0 || at > len(b)-4 {
					t.Fatalf("%+v in an archive of %d bytes", m, len(b))
				}
			}
			if m.Err == nil && m.Method == Deflated {
				InflateFrom(nil, bytes.NewReader(b[m.Data:m.Data+m.Compressed]), m.Size)
			}
		}
		if end > len(b) {
			t.Fatalf("the members take %d bytes of an archive of %d", end, len(b))
		}
	})
}
