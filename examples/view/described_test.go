package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/index"
)

// A describedInfo holds those parts of an info that come from the description file.
type describedInfo struct {
	Unit, Described string
	FlipY           bool
	Axes            []struct {
		Name, Unit string
		Valued     bool
	}
}

// TestDescribed tests messages about errors in description files. A message names the file, the error and its solution.
// The valid part of the file is used, and requests for the values of an axis succeed.
func TestDescribed(t *testing.T) {
	dir := t.TempDir()
	a := save(t, filepath.Join(dir, "a.npy"), "<f4", index.C, fillRamp, 3, 4)
	save(t, filepath.Join(dir, "four.npy"), "<i2", index.C, fillRamp, 4)
	save(t, filepath.Join(dir, "three.npy"), "<i2", index.C, fillRamp, 3)
	save(t, filepath.Join(dir, "square.npy"), "<i2", index.C, fillRamp, 4, 4)
	if err := os.WriteFile(filepath.Join(dir, "bad.npy"), []byte("no array"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := enter(t, dir)
	id := s.id(filepath.Base(dir), "a.npy")
	for _, tt := range []struct {
		file, want string
		axes       string // names, with the value at index 2 if the axis has values
	}{
		{`{"unit": "K", "axes": ["y", {"name": "x", "values": "four.npy"}]}`, "", "y|x 2"},
		{"\ufeff" + `{"unit": "K", "origin": "upper", "aspect": 2, "axes": [null, {"values": ["a", "b", 2.5, "d"]}]}`, "",
			"| 2.5"},
		{`{"unit": "K", "axes": ["y", {"name": "x", "values": "fuor.npy"}]}`,
			`axis 1: no other array "fuor.npy" is listed next to it: correct the name, or open that file, too`, "y|x"},
		{`{"unit": "K", "axes": ["y", {"name": "x", "values": "a.npy"}]}`,
			`axis 1: no other array "a.npy" is listed next to it: correct the name, or open that file, too`, "y|x"},
		{`{"unit": "K", "axes": [{"name": "y", "values": {"start": 1, "step": 2}}, {"name": "x", "values": "three.npy"}]}`,
			"axis 1: three.npy is <i2 · 3, and the array has 4 elements there: " +
				"want an array of one dimension, with one for each", "y 5|x"},
		{`{"unit": "K", "axes": ["y", {"name": "x", "values": "square.npy"}]}`,
			"axis 1: square.npy is <i2 · 4 × 4, and the array has 4 elements there: " +
				"want an array of one dimension, with one for each", "y|x"},
		{`{"unit": "K", "axes": ["y", {"name": "x", "values": "bad.npy"}]}`,
			"axis 1: bad.npy cannot be read: text, not a .npy file; " +
				"npy convert -dtype D reads tables of numbers in CSV, or written by numpy.savetxt", "y|x"},
		{`{"unit": "K", "axes": ["y", {"name": "x", "values": [1, 2, 3]}]}`,
			"axis 1: 3 values, and the array has 4 elements there: want one for each", "y|x"},
		{`{"unit": "K", "axes": ["y", {"name": "x", "values": [1, [2], 3, 4]}]}`,
			"axis 1: value 1 is a list: want numbers and texts", "y|x"},
		{`{"unit": "K", "axes": ["y", {"name": "x", "values": {"start": 1}}]}`,
			`axis 1: "values" have no start and step: want two numbers, such as {"start": -45, "step": 0.5}`, "y|x"},
		{`{"unit": "K", "axes": ["y", {"name": "x", "values": {"start": "1", "step": 2}}]}`,
			`axis 1: "values" have no start and step: want two numbers, such as {"start": -45, "step": 0.5}`, "y|x"},
		{`{"unit": "K", "axes": ["y", {"name": "x", "values": true}]}`,
			`axis 1: "values" is true: want a list, the name of an array, or {"start": -45, "step": 0.5}`, "y|x"},
		{`{"unit": "K", "axes": ["y", {"nmae": "x"}]}`,
			`axis 1: unknown key "nmae": want "name", "unit" or "values"`, "y|"},
		{`{"unit": "K", "axes": ["y", 7]}`,
			`axis 1 is the number 7: want its name in quotes, or an object with "name", "unit" and "values"`, "y|"},
		{`{"unit": "K", "axes": ["y"]}`,
			`"axes" has 1 entries, and the array 2 dimensions: want one for each, null for one without a name`, "|"},
		{`{"unit": "K", "axes": {"y": 1}}`,
			`"axes" is an object: want a list with the name of each axis, such as ["y", "x"]`, "|"},
		{`{"unit": "K", "origin": "bottom", "axes": ["y", "x"]}`,
			`"origin" is "bottom": want "lower", with the first row at the bottom, or "upper"`, "y|x"},
		{`{"unit": "K", "origin": 1}`, `"origin" is the number 1: want "lower", with the first row at the bottom, or "upper"`,
			"|"},
		{`{"unit": "K", "aspect": 0}`,
			`"aspect" is the number 0: want the height of an element over its width, from 1/64 to 64`, "|"},
		{`{"unit": "K", "aspect": "equal"}`,
			`"aspect" is "equal": want the height of an element over its width, from 1/64 to 64`, "|"},
		{`{"unit": "K", "labels": {"x": "water"}}`, `"labels": "x" is not an integer: want one, such as "7"`, "|"},
		{`{"unit": "K", "labels": {"7": 7}}`, `"labels": "7" is the number 7: want text in quotes`, "|"},
		{`{"unit": "K", "labels": ["water"]}`,
			`"labels" is a list: want an object with the text of integers, such as {"7": "water"}`, "|"},
		{`{"unit": "K", "units": "K", "axis": [], "Axes": []}`,
			`unknown key "Axes": want "unit", "axes", "origin", "aspect" or "labels"; and 2 more`, "|"},
		{`{"unit": 5}`, `"unit" is the number 5: want text in quotes`, "|"},
		{`["y", "x"]`, `has a list: want an object, such as {"unit": "K", "axes": ["y", "x"]}`, "|"},
		{"{\"unit\": \"K\",\n \"axes\": [\"y\" \"x\"]}", `line 2 is not JSON: invalid character '"' after array element`,
			"|"},
		{``, "line 1 is not JSON: unexpected end of JSON input", "|"},
		{`{"unit": "K",` + "\n\n" + `"aspect": 1e999}`,
			"line 3: the number 1e999 is out of range: want one that float64 can represent",
			"|"},
		{`{"unit": "` + strings.Repeat("K", 1<<20) + `"}`,
			"more than 1048576 bytes; store long lists of values in arrays, and refer to the arrays by name", "|"},
	} {
		if err := os.WriteFile(a+".json", []byte(tt.file), 0o600); err != nil {
			t.Fatal(err)
		}
		var got describedInfo
		s.getJSON(&got, "/api/array/"+id)
		want := tt.want
		if want != "" {
			want = "a.npy.json: " + want
		}
		if got.Described != want {
			t.Errorf("%.80s:\ngot  %s\nwant %s", tt.file, got.Described, want)
		}
		if isK := got.Unit == "K"; isK != (strings.Contains(tt.file, `"unit": "K"`) && !strings.Contains(want, " line ")) {
			t.Errorf("%.80s: unit %.20q", tt.file, got.Unit)
		}
		if axes := s.axisNames(id, got, 2); axes != tt.axes {
			t.Errorf("%.80s: axes %s, want %s", tt.file, axes, tt.axes)
		}
	}

	// If the array of values becomes shorter later, the texts are indices, and Described says why.
	if err := os.WriteFile(a+".json", []byte(`{"axes": ["y", {"name": "x", "values": "four.npy"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var now describedInfo
	s.getJSON(&now, "/api/array/"+id)
	save(t, filepath.Join(dir, "four.npy"), "<i2", index.C, fillRamp, 2)
	var texts struct {
		Texts     []string
		Described string
	}
	s.getJSON(&texts, "/api/array/"+id+"/axis?axis=1&index=3,1")
	if !now.Axes[1].Valued || !cmp.Equal(texts.Texts, []string{"3", "1"}) ||
		!strings.HasPrefix(texts.Described, "a.npy.json: axis 1: four.npy is <i2 · 2, and") {
		t.Errorf("before %+v, then %+v", now, texts)
	}
}

// axisNames returns the names of axes, with the value at index at if the axis has values.
func (s *session) axisNames(id string, d describedInfo, at int) string {
	s.t.Helper()
	var all []string
	for k, x := range d.Axes {
		if x.Valued {
			var texts struct{ Texts []string }
			s.getJSON(&texts, fmt.Sprintf("/api/array/%s/axis?axis=%d&index=%d", id, k, at))
			x.Name += " " + texts.Texts[0]
		}
		all = append(all, x.Name)
	}
	return strings.Join(all, "|")
}

// TestDescribedMembers tests the description files of archives.
func TestDescribedMembers(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "d.npz")
	m, err := array.FromSlice(make([]float64, 12), 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	lon, err := array.FromSlice([]float64{1, 2, 3.5, 4})
	if err != nil {
		t.Fatal(err)
	}
	if err := npz.Save(path, map[string]array.Array{"m": m.Array(), "lon": lon.Array()}); err != nil {
		t.Fatal(err)
	}
	s := enter(t, path)
	id := s.id("d.npz", "m")
	for _, tt := range []struct{ file, want, axes string }{
		{`{}`, "", "|lon 3.5"},
		{`{"m": {"axes": ["y", "lon"]}}`, "", "y|lon 3.5"},
		{`{"m": {"axes": ["y", {"name": "x", "values": "lat"}]}}`,
			`axis 1: no other array "lat" is listed next to it: correct the name, or open that file, too`, "y|x"},
		{`{"axes": ["y", "x"]}`, `has "axes", but the archive has no such member: want one of "lon" or "m"`, "|lon 3.5"},
		{`{"m": ["y", "x"]}`, `has a list: want an object, such as {"unit": "K", "axes": ["y", "x"]}`, "|lon 3.5"},
		{`[]`, `has a list: want an object with the names of members, such as {"m": {"unit": "K"}}`, "|lon 3.5"},
	} {
		if err := os.WriteFile(path+".json", []byte(tt.file), 0o600); err != nil {
			t.Fatal(err)
		}
		var got describedInfo
		s.getJSON(&got, "/api/array/"+id)
		want := tt.want
		if want != "" {
			want = "d.npz.json: " + want
		}
		if axes := s.axisNames(id, got, 2); got.Described != want || axes != tt.axes {
			t.Errorf("%s: axes %s, want %s\ngot  %s\nwant %s", tt.file, axes, tt.axes, got.Described, want)
		}
	}
}
