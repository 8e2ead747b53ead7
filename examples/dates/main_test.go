package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// TestSince tests files that NumPy writes, with dates of several units and text of both kinds, in either byte order.
func TestSince(t *testing.T) {
	p := oracle.Start(t)
	const want = "2026-05-01T00:00:00Z \"Zo\u00eb\"\n2262-05-01T00:00:00Z \"\"\n"
	for _, d := range []string{
		`[("time", "<M8[D]"), ("name", "<U12")]`,
		`[("name", ">U3"), ("n", "i2"), ("time", ">M8[us]")]`,
		`[("name", "S3"), ("time", ">M8[15m]")]`,
	} {
		path,
			err := p.Save(`(lambda a: [a["time"].__setitem__(slice(None), ["2026-04-30", "2026-05-01", "NaT", "2262-05-01"]), a["name"].__setitem__(slice(None), `+
			`["old", "Zo\xeb".encode("latin-1") if a["name"].dtype.kind == "S" else "Zo\xeb", "none", ""]), a][2])(np.zeros(4, `+d+`))`, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := since("2026-05-01", path); err != nil || strings.ReplaceAll(string(got), "ë",
			`\u00eb`) != strings.ReplaceAll(want, "ë", `\u00eb`) {
			t.Errorf("%s: %s, %v; want %s", d, got, err, want)
		}
		if got, err := since("0001-01-01", path); err != nil || strings.Count(string(got), "\n") != 3 { // NaT is skipped
			t.Errorf("%s: %s, %v; want 3 lines", d, got, err)
		}
	}
}

func TestRefuses(t *testing.T) {
	type record struct {
		Time int64     `npy:"time,M8[D]"`
		Name [2]uint32 `npy:"name,U2"`
	}
	type number struct {
		Time int64     `npy:"time"`
		Name [2]uint32 `npy:"name,U2"`
	}
	path := filepath.Join(t.TempDir(), "t.npy")
	save := func(a array.Array, err error) {
		if err == nil {
			err = array.Save(path, a)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		date string
		make func() (array.Array, error)
		want string
	}{
		{"May", func() (array.Array, error) { return array.Array{}, nil }, "DAY: parsing time \"May\""},
		{"2026-05-01", func() (array.Array, error) {
			v, err := array.FromSlice([]record{{Time: 30000, Name: [2]uint32{'x', 0x110000}}})
			return v.Array(), err
		}, path + ": "},
		{"2026-05-01", func() (array.Array, error) {
			v, err := array.FromSlice([]number{{}})
			return v.Array(), err
		}, path + ": field \"time\" has dtype " + dtype.Int64.String() + ", want M8"},
		{"2026-05-01", func() (array.Array, error) {
			v, err := array.FromSlice([]int8{1})
			return v.Array(), err
		}, path + ": "},
	} {
		if tt.date != "May" {
			save(tt.make())
		}
		if got, err := since(tt.date, path); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s, %v; want %s", got, err, tt.want)
		}
	}
}
