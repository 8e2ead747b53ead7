package index

import (
	"encoding/json"
	"flag"
	"slices"
	"strings"
	"testing"
)

func TestSelectionText(t *testing.T) {
	for _, tt := range []struct {
		sel  Selection
		want string
	}{
		{nil, ""},
		{Selection{}, ""},
		{Selection{At(0), At(-1)}, "0, -1"},
		{Selection{Range(1, 10).Every(2), Ellipsis, Reverse(), NewAxis, Colon}, "1:10:2, ..., ::-1, None, :"},
	} {
		text, err := tt.sel.MarshalText()
		if err != nil || string(text) != tt.want || text == nil || tt.sel.String() != tt.want {
			t.Errorf("%#v is %q and %q, want %q; error %v", tt.sel, text, tt.sel, tt.want, err)
		}
		back := Selection{At(9)}
		if err := back.UnmarshalText(text); err != nil || !slices.Equal(back, tt.sel) {
			t.Errorf("%q is read as %v, error %v", text, back, err)
		}
	}
	for _, tt := range []struct {
		sel  Selection
		want string
	}{
		{Selection{Every(0)}, `index: selection "::0" at character 3: slice step is zero`},
		{Selection{Ellipsis, Ellipsis}, `index: selection "..., ..." at character 6: more than one '...'`},
		{slices.Repeat(Selection{At(0)}, maxSelectors+1), `index: selection ..."0` + strings.Repeat(", 0", 33) +
			`" at character 388: more than 129 selectors`},
	} {
		text, err := tt.sel.MarshalText()
		wantError(t, "MarshalText", err, tt.want, nil)
		if text != nil {
			t.Errorf("text %q with an error", text)
		}
	}
	sel := Selection{At(9)}
	wantError(t, "UnmarshalText", sel.UnmarshalText([]byte("x")),
		`index: selection "x" at character 1: want an integer, ':', '...' or None`, nil)
	if !slices.Equal(sel, Selection{At(9)}) {
		t.Errorf("selection %v after an error", sel)
	}
}

func TestSelectionJSON(t *testing.T) {
	type job struct {
		Select Selection
		Order  Order
	}
	for _, tt := range []struct {
		text string
		want job
		back string
	}{
		{`{"Select":"[::2, 0]","Order":"f"}`, job{Selection{Every(2), At(0)}, F}, `{"Select":"::2, 0","Order":"F"}`},
		{`{"Select":"","Order":"C"}`, job{}, `{"Select":"","Order":"C"}`},
		{`{"Select":null}`, job{}, `{"Select":"","Order":"C"}`},
	} {
		got := job{Select: Selection{At(9)}}
		err := json.Unmarshal([]byte(tt.text), &got)
		if err != nil || !slices.Equal(got.Select, tt.want.Select) || got.Order != tt.want.Order {
			t.Errorf("%s is read as %v, error %v", tt.text, got, err)
		}
		if back, err := json.Marshal(got); err != nil || string(back) != tt.back {
			t.Errorf("%s becomes %s, error %v", tt.text, back, err)
		}
	}
	if err := json.Unmarshal([]byte(`{"Order":1}`), &job{}); err == nil {
		t.Error("a number is accepted as an order")
	}
}

func TestSelectionFlag(t *testing.T) {
	var out strings.Builder
	set := flag.NewFlagSet("test", flag.ContinueOnError)
	set.SetOutput(&out)
	var sel Selection
	var order Order
	set.TextVar(&sel, "select", Selection{From(1)}, "`elements`")
	set.TextVar(&order, "order", F, "`order`")
	if !slices.Equal(sel, Selection{From(1)}) || order != F {
		t.Errorf("defaults %v and %v", sel, order)
	}
	err := set.Parse([]string{"-select=..., -1", "-order=C"})
	if err != nil || !slices.Equal(sel, Selection{Ellipsis, At(-1)}) || order != C {
		t.Errorf("%v and %v, error %v", sel, order, err)
	}
	if err := set.Parse([]string{"-order=A"}); err == nil {
		t.Error("A is accepted as an order")
	}
	for _, want := range []string{"elements (default 1:)", "order (default F)"} {
		if usage := out.String(); !strings.Contains(usage, want) {
			t.Errorf("usage without %q: %s", want, usage)
		}
	}
}
