package npz

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/mmap"
)

// crcErrors returns the names of the members that archive/zip cannot read without an error.
func crcErrors(t testing.TB, path string) (bad []string) {
	t.Helper()
	z, err := zip.OpenReader(path)
	check(t, err)
	defer z.Close()
	for _, f := range z.File {
		r, err := f.Open()
		check(t, err)
		if _, err := io.Copy(io.Discard, r); err != nil {
			bad = append(bad, f.Name)
		}
		r.Close()
	}
	return bad
}

// saveWithDescriptors creates an archive whose members have descriptors, like the archives that Python writes to a
// pipe.
func saveWithDescriptors(t testing.TB, path string, names ...string) {
	t.Helper()
	f, err := os.Create(path)
	check(t, err)
	w := zip.NewWriter(f)
	for _, name := range names {
		m, err := w.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
		check(t, err)
		check(t, array.Write(m, numbers(100)))
	}
	check(t, w.Close())
	check(t, f.Close())
}

// After an edit of elements the CRC is stale: Verify reports it, and Sync, Close and Repair correct every copy in the
// archive.
func TestSync(t *testing.T) {
	for _, kind := range []string{"aligned", "savez", "descriptors", "large"} {
		t.Run(kind, func(t *testing.T) {
			path := temp(t)
			n := 100
			switch kind {
			case "descriptors":
				saveWithDescriptors(t, path, "x", "y")
			case "large":
				n = partSize/8 + 1000 // needs two parts
				fallthrough
			default:
				cfg := SaveConfig{}
				if kind == "savez" {
					cfg.Format = Savez
				}
				check(t, cfg.Save(path, map[string]array.Array{"x": numbers(n), "y": numbers(100)}))
			}
			before := must(os.ReadFile(path))
			a, err := Open(path, mmap.ReadWrite)
			check(t, err)
			v := must(array.As[float64](must(a.Array("x"))))
			check(t, a.Sync()) // nothing has changed
			if string(before) != string(must(os.ReadFile(path))) {
				t.Error("Sync without an edit changed the file")
			}
			edit := func(x float64) {
				t.Helper()
				v.SetAt(x, n-1)
				err := a.Verify("x")
				if err == nil || !strings.Contains(err.Error(),
					"it was edited and not synced, or is damaged; Repair updates the CRC") {
					t.Errorf("Verify of a stale member: %v", err)
				}
				check(t, a.Verify("y"))
				if diff := cmp.Diff([]string{"x.npy"}, crcErrors(t, path)); diff != "" {
					t.Errorf("archive/zip: (-want +got)\n%s", diff)
				}
			}
			checkAll := func() {
				t.Helper()
				if bad := crcErrors(t, path); bad != nil {
					t.Errorf("stale: %v", bad)
				}
			}
			edit(77)
			crc := must(a.Member("x")).CRC
			check(t, a.Sync())
			check(t, a.Verify("x"))
			if got := must(a.Member("x")).CRC; got == crc {
				t.Error("Member has the old CRC")
			}
			checkAll()
			edit(78) // the member is still marked
			names, err := a.Repair()
			if err != nil || !slices.Equal(names, []string{"x.npy"}) {
				t.Errorf("Repair: %v, %v", names, err)
			}
			checkAll()
			names, err = a.Repair()
			if err != nil || names != nil {
				t.Errorf("Repair: %v, %v", names, err)
			}
			edit(79)
			check(t, a.Close())
			checkAll()

			a, err = Open(path, mmap.ReadOnly)
			check(t, err)
			defer a.Close()
			if got := data(t, must(a.Array("x"))); got[n-1] != 79 || got[0] != 0.5 {
				t.Errorf("got %v, want 79", got[n-1])
			}
			if _, err := a.Repair(); !errors.Is(err, array.ErrReadOnly) {
				t.Errorf("Repair of a read-only archive: %v, want ErrReadOnly", err)
			}
		})
	}
}

// TestVerify tests that Verify names the place of a CRC that differs, and that Repair corrects it there.
func TestVerify(t *testing.T) {
	path := temp(t)
	saveWithDescriptors(t, path, "x")
	original := must(os.ReadFile(path))
	a, err := Open(path, mmap.ReadOnly)
	check(t, err)
	at := a.members[0].CRCAt
	crc := must(a.Member("x")).CRC
	check(t, a.Close())
	if at[0] == 0 || at[1] != 0 || at[2] == 0 {
		t.Fatalf("the CRC is at %v, want it in the directory and the descriptor only", at)
	}
	for i, place := range map[int]string{0: "the directory", 2: "the descriptor"} {
		b := slices.Clone(original)
		b[at[i]] ^= 1
		check(t, os.WriteFile(path, b, 0o666))
		a, err := Open(path, mmap.ReadWrite)
		check(t, err)
		want := fmt.Sprintf(`%s: member "x.npy": data at byte 35: its CRC-32 is %#08x, and %s says %#08x: it was edited and not synced, or is damaged; Repair updates the CRC`, path, crc, place, crc^1)
		if err := a.Verify("x"); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		must(a.Repair())
		check(t, a.Verify("x"))
		check(t, a.Close())
		if string(must(os.ReadFile(path))) != string(original) {
			t.Errorf("after Repair of %s the file differs from the original", place)
		}
	}
}

// Repair does not change the CRC of a damaged compressed member.
func TestVerifyCompressed(t *testing.T) {
	path := temp(t)
	check(t, SaveConfig{Compress: true}.Save(path, map[string]array.Array{"x": numbers(1000)}))
	b := must(os.ReadFile(path))
	b[14]++ // the CRC of the local header
	check(t, os.WriteFile(path, b, 0o666))
	a, err := Open(path, mmap.ReadWrite)
	check(t, err)
	defer a.Close()
	if names, err := a.Repair(); err != nil || names != nil {
		t.Errorf("Repair: %v, %v", names, err)
	}
	if err := a.Verify("x"); err == nil || !strings.HasSuffix(err.Error(), ": the archive is damaged") {
		t.Errorf("Verify: %v", err)
	}
}
