package surface

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// surface returns the lines of a package in surface.txt, sorted.
func surface(pkg *types.Package) []string {
	w := &writer{pkg: pkg}
	for _, name := range pkg.Scope().Names() {
		obj := pkg.Scope().Lookup(name)
		if !obj.Exported() {
			continue
		}
		switch obj := obj.(type) {
		case *types.Const:
			w.line(name, "const %s = %s", w.text(obj.Type()), obj.Val().ExactString())
		case *types.Var:
			w.line(name, "var %s", w.text(obj.Type()))
		case *types.Func:
			w.line(name, "%s", w.text(obj.Type()))
		case *types.TypeName:
			w.typeName(obj)
		}
	}
	slices.Sort(w.lines)
	return w.lines
}

// A writer collects the lines of a package.
type writer struct {
	pkg   *types.Package
	lines []string
}

func (w *writer) line(name, format string, args ...any) {
	w.lines = append(w.lines, w.pkg.Name()+"."+name+" "+fmt.Sprintf(format, args...))
}

// typeName writes the lines of a type, of its fields and of its methods.
func (w *writer) typeName(obj *types.TypeName) {
	if alias, ok := obj.Type().(*types.Alias); ok {
		w.line(obj.Name(), "type %s= %s", w.params(alias.TypeParams(), " "), w.text(alias.Rhs()))
		return
	}
	named := obj.Type().(*types.Named)
	params := w.params(named.TypeParams(), " ")
	switch u := named.Underlying().(type) {
	case *types.Struct:
		equality := ""
		if types.Comparable(named) {
			equality = ", comparable"
		}
		w.line(obj.Name(), "type %sstruct%s", params, equality)
		w.fields(obj, u)
	case *types.Interface:
		w.line(obj.Name(), "type %sinterface%s", params, w.typeSet(u))
		for m := range u.Methods() { // including the methods of embedded interfaces
			if m.Exported() {
				w.line(obj.Name()+"."+m.Name(), "method %s", w.text(m.Type()))
			} else {
				w.line(obj.Name()+"."+m.Name(), "method that no other package can declare")
			}
		}
		return
	default:
		w.line(obj.Name(), "type %s%s", params, w.text(u))
	}
	w.methods(obj, named)
}

// fields writes the lines of the exported fields of a struct, including those promoted by its unexported embedded
// fields.
func (w *writer) fields(of *types.TypeName, s *types.Struct) {
	for i := range s.NumFields() {
		f := s.Field(i)
		if !f.Exported() {
			if u, ok := deref(f.Type()).Underlying().(*types.Struct); ok && f.Embedded() {
				w.fields(of, u)
			}
			continue
		}
		// A field at a lesser depth may hide this one.
		if found, _, _ := types.LookupFieldOrMethod(of.Type(), true, w.pkg, f.Name()); found == nil ||
			found.Pos() != f.Pos() {
			continue
		}
		kind, tag := "field", ""
		if f.Embedded() {
			kind = "embedded"
		}
		if s.Tag(i) != "" {
			tag = " `" + s.Tag(i) + "`"
		}
		w.line(of.Name()+"."+f.Name(), "%s %s%s", kind, w.text(f.Type()), tag)
	}
}

// methods writes the lines of the methods of a type and of its pointer type, except methods promoted by an exported
// embedded field.
func (w *writer) methods(of *types.TypeName, named *types.Named) {
	if params := named.TypeParams(); params.Len() > 0 {
		// Instantiate the type with its own type parameters, so that its methods use these instead of the names in their
		// receivers.
		var args []types.Type
		for p := range params.TypeParams() {
			args = append(args, p)
		}
		named = instance(named, args)
	}
	values := types.NewMethodSet(named)
	for m := range types.NewMethodSet(types.NewPointer(named)).Methods() {
		if !m.Obj().Exported() || throughExported(named, m.Index()) {
			continue
		}
		receiver := "*"
		if values.Lookup(w.pkg, m.Obj().Name()) != nil {
			receiver = ""
		}
		w.line(of.Name()+"."+m.Obj().Name(), "method (%s%s) %s", receiver, w.text(named), w.text(m.Type()))
	}
}

// instance returns a generic type instantiated with args. It panics if args do not satisfy the constraints.
func instance(generic *types.Named, args []types.Type) *types.Named {
	t, err := types.Instantiate(nil, generic, args, false)
	if err != nil {
		panic(err)
	}
	return t.(*types.Named)
}

// throughExported reports whether an embedded field on the path to a method is exported.
func throughExported(t types.Type, path []int) bool {
	for _, i := range path[:len(path)-1] {
		f := deref(t).Underlying().(*types.Struct).Field(i)
		if f.Exported() {
			return true
		}
		t = f.Type()
	}
	return false
}

// deref returns the type that a pointer type points to, and other types unchanged.
func deref(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// text returns a type in Go's syntax, without names of parameters.
func (w *writer) text(t types.Type) string {
	if sig, ok := t.(*types.Signature); ok {
		s := w.typeString(withoutNames(sig))
		return "func" + w.params(sig.TypeParams(), "") + strings.TrimPrefix(s, "func")
	}
	return w.typeString(withoutNames(t))
}

func (w *writer) typeString(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == w.pkg {
			return ""
		}
		return p.Name()
	})
}

// params returns type parameters with their constraints in brackets, followed by end. It returns "" if list is empty.
func (w *writer) params(list *types.TypeParamList, end string) string {
	var all []string
	for p := range list.TypeParams() {
		all = append(all, p.Obj().Name()+" "+w.text(p.Constraint()))
	}
	if all == nil {
		return ""
	}
	return "[" + strings.Join(all, ", ") + "]" + end
}

// withoutNames returns t without names of parameters and results, without aliases, and without the type parameters of a
// function.
func withoutNames(t types.Type) types.Type {
	switch t := types.Unalias(t).(type) {
	case *types.Signature:
		return types.NewSignatureType(nil, nil, nil, tupleWithoutNames(t.Params()), tupleWithoutNames(t.Results()),
			t.Variadic())
	case *types.Pointer:
		return types.NewPointer(withoutNames(t.Elem()))
	case *types.Slice:
		return types.NewSlice(withoutNames(t.Elem()))
	case *types.Array:
		return types.NewArray(withoutNames(t.Elem()), t.Len())
	case *types.Map:
		return types.NewMap(withoutNames(t.Key()), withoutNames(t.Elem()))
	case *types.Chan:
		return types.NewChan(t.Dir(), withoutNames(t.Elem()))
	case *types.Interface:
		if t.Empty() {
			return types.Universe.Lookup("any").Type()
		}
		return t
	case *types.Named:
		if t.TypeArgs().Len() == 0 {
			return t
		}
		var args []types.Type
		for arg := range t.TypeArgs().Types() {
			args = append(args, withoutNames(arg))
		}
		return instance(t.Origin(), args)
	default:
		return t
	}
}

func tupleWithoutNames(list *types.Tuple) *types.Tuple {
	var vars []*types.Var
	for v := range list.Variables() {
		vars = append(vars, types.NewParam(v.Pos(), v.Pkg(), "", withoutNames(v.Type())))
	}
	return types.NewTuple(vars...)
}

// typeSet returns a space followed by the sorted terms of a constraint, or "" if the interface has only methods.
func (w *writer) typeSet(t *types.Interface) string {
	if t.IsMethodSet() {
		return ""
	}
	var all []string
	for e := range t.EmbeddedTypes() {
		if terms := w.terms(e); terms != nil {
			slices.Sort(terms)
			all = append(all, strings.Join(slices.Compact(terms), " | "))
		}
	}
	if all == nil {
		return " comparable" // an interface that embeds nothing
	}
	return " " + strings.Join(all, "; ")
}

// terms returns the terms of an embedded element of a constraint, or nil for an interface that has only methods.
func (w *writer) terms(t types.Type) (all []string) {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		if set := w.typeSet(u); set != "" {
			all = strings.Split(set[1:], " | ")
		}
	case *types.Union:
		for term := range u.Terms() {
			if types.IsInterface(term.Type()) {
				all = append(all, w.terms(term.Type())...)
			} else if term.Tilde() {
				all = append(all, "~"+w.text(term.Type()))
			} else {
				all = append(all, w.text(term.Type()))
			}
		}
	default:
		all = []string{w.text(t)}
	}
	return all
}
