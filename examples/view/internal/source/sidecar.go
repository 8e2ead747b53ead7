package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A sidecar collects the problems of a description file. The valid parts of the file are used.
type sidecar struct {
	name     string
	problems []string
}

// addProblem records a problem and how to solve it.
func (s *sidecar) addProblem(format string, args ...any) {
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

// err returns an error that describes the first problem and gives the number of further ones, or nil if there are no
// problems.
func (s *sidecar) err() error {
	switch n := len(s.problems); n {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("%s: %s", s.name, s.problems[0])
	default:
		return fmt.Errorf("%s: %s; and %d more", s.name, s.problems[0], n-1)
	}
}

// read reads the description file of a, if it exists.
func (a *Array) read() (*Description, *sidecar) {
	s := &sidecar{name: filepath.Base(a.Path) + ".json"}
	b, err := a.sidecar()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Description{}, s
	case err != nil:
		s.addProblem("%s", Text(err))
		return &Description{}, s
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		line := func(offset int64) int { return 1 + bytes.Count(b[:min(int(offset), len(b))], []byte("\n")) }
		if e, ok := errors.AsType[*json.SyntaxError](err); ok {
			s.addProblem("line %d is not JSON: %v", line(e.Offset), err)
		} else if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok { // its message would name Go types
			s.addProblem("line %d: the %s is out of range: want one that float64 can represent", line(e.Offset), e.Value)
		}
		return &Description{}, s
	}
	if a.Member == "" {
		return s.description(v), s
	}
	each, ok := v.(map[string]any)
	if !ok {
		s.addProblem(`has %s: want an object with the names of members, such as {%q: {"unit": "K"}}`, describeJSON(v),
			a.Member)
	}
	if all, err := a.archive(); err == nil {
		for _, name := range slices.Sorted(maps.Keys(each)) {
			if !slices.Contains(all.names, name) {
				s.addProblem("has %q, but the archive has no such member: want one of %s", clip(name), quoteNames(all.names))
			}
		}
	}
	if v, ok = each[a.Member]; !ok {
		return &Description{}, s
	}
	return s.description(v), s
}

// sidecar returns the content of the description file of a. Arrays on web servers have none.
func (a *Array) sidecar() ([]byte, error) {
	if a.url != "" {
		return nil, fs.ErrNotExist
	}
	f, err := place{a.at.folder, a.at.name + ".json"}.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file; remove it, or replace it with a file")
	}
	b, err := io.ReadAll(io.LimitReader(f, maxDescription+1))
	if err == nil && len(b) > maxDescription {
		err = fmt.Errorf("more than %d bytes; store long lists of values in arrays, and refer to the arrays by name",
			maxDescription)
	}
	return bytes.TrimPrefix(b, []byte("\ufeff")), err
}

// describeJSON describes a JSON value for an error message.
func describeJSON(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return strconv.Quote(clip(v))
	case float64:
		return "the number " + strconv.FormatFloat(v, 'g', -1, 64)
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return fmt.Sprint(v)
}

// quoteNames formats a list of names for an error message.
func quoteNames(names []string) string {
	const most = 6
	var b strings.Builder
	for i, name := range names {
		switch {
		case i == most:
			return b.String() + " …"
		case i > 0 && i == len(names)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(clip(name)))
	}
	return b.String()
}

// checkKeys records a problem for each key of o that is not in keys.
func (s *sidecar) checkKeys(where string, o map[string]any, keys ...string) {
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(keys, key) {
			s.addProblem("%sunknown key %q: want %s", where, clip(key), quoteNames(keys))
		}
	}
}

// text returns v, the value of key, if it is a string, and shortens it if it is long. If v has another type, text
// records a problem and returns "".
func (s *sidecar) text(where, key string, v any) string {
	text, ok := v.(string)
	if !ok && v != nil {
		s.addProblem("%s%q is %s: want text in quotes", where, key, describeJSON(v))
	}
	return clip(text)
}

func (s *sidecar) description(v any) *Description {
	d := &Description{}
	o, ok := v.(map[string]any)
	if !ok && v != nil {
		s.addProblem(`has %s: want an object, such as {"unit": "K", "axes": ["y", "x"]}`, describeJSON(v))
	}
	s.checkKeys("", o, "unit", "axes", "origin", "aspect", "labels")
	d.Unit = s.text("", "unit", o["unit"])
	d.Origin, _ = o["origin"].(string)
	if v := o["origin"]; v != nil && d.Origin != "lower" && d.Origin != "upper" {
		s.addProblem(`"origin" is %s: want "lower", with the first row at the bottom, or "upper"`, describeJSON(v))
	}
	d.Aspect = 1
	if v := o["aspect"]; v != nil {
		if x, ok := v.(float64); ok && x >= 1.0/64 && x <= 64 {
			d.Aspect = x
		} else {
			s.addProblem(`"aspect" is %s: want the height of an element over its width, from 1/64 to 64`, describeJSON(v))
		}
	}
	d.Labels = s.labels(o["labels"])
	axes, ok := o["axes"].([]any)
	if !ok && o["axes"] != nil {
		s.addProblem(`"axes" is %s: want a list with the name of each axis, such as ["y", "x"]`, describeJSON(o["axes"]))
	}
	for k, v := range axes {
		d.Axes = append(d.Axes, s.axis(k, v))
	}
	if axes != nil && d.Axes == nil {
		d.Axes = []Axis{}
	}
	return d
}

func (s *sidecar) labels(v any) map[string]string {
	o, ok := v.(map[string]any)
	switch {
	case v == nil:
		return nil
	case !ok:
		s.addProblem(`"labels" is %s: want an object with the text of integers, such as {"7": "water"}`, describeJSON(v))
		return nil
	case len(o) > maxLabels:
		s.addProblem(`"labels" has %d entries: want at most %d`, len(o), maxLabels)
		return nil
	}
	labels := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if n, err := strconv.ParseInt(key, 10, 64); err != nil || strconv.FormatInt(n, 10) != key {
			s.addProblem(`"labels": %q is not an integer: want one, such as "7"`, clip(key))
		}
		labels[key] = s.text(`"labels": `, key, o[key])
	}
	return labels
}

func (s *sidecar) axis(k int, v any) (x Axis) {
	switch v := v.(type) {
	case nil:
	case string:
		x.Name = clip(v)
	case map[string]any:
		where := fmt.Sprintf("axis %d: ", k)
		s.checkKeys(where, v, "name", "unit", "values")
		x.Name, x.Unit = s.text(where, "name", v["name"]), s.text(where, "unit", v["unit"])
		s.values(where, v["values"], &x)
	default:
		s.addProblem(`axis %d is %s: want its name in quotes, or an object with "name", "unit" and "values"`, k,
			describeJSON(v))
	}
	return x
}

// values parses the values of an axis: a list of texts and numbers, the name of an array, or a start and a step.
func (s *sidecar) values(where string, v any, x *Axis) {
	switch v := v.(type) {
	case nil:
	case string:
		x.values = v
	case []any:
		texts := make([]string, len(v))
		for i, v := range v {
			switch v := v.(type) {
			case string:
				texts[i] = clip(v)
			case float64:
				texts[i] = strconv.FormatFloat(v, 'g', -1, 64)
			default:
				s.addProblem("%svalue %d is %s: want numbers and texts", where, i, describeJSON(v))
				return
			}
		}
		x.Texts = texts
	case map[string]any:
		s.checkKeys(where, v, "start", "step")
		start, hasStart := v["start"].(float64)
		step, _ := v["step"].(float64)
		if !hasStart || step == 0 {
			s.addProblem(`%s"values" have no start and step: want two numbers, such as {"start": -45, "step": 0.5}`, where)
			return
		}
		x.Start, x.Step = start, step
	default:
		s.addProblem(`%s"values" is %s: want a list, the name of an array, or {"start": -45, "step": 0.5}`, where,
			describeJSON(v))
	}
}
