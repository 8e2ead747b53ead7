package nd

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// A Joined presents several arrays, its members, as one array. The members may lie anywhere in memory, like the
// indirect dimensions of Cython and the suboffsets of PEP 3118 (https://peps.python.org/pep-3118/).
//
// The layout of a joined array describes a virtual memory that does not exist. Member k starts at byte k*Stride of this
// memory if Stack made the array, and at byte Starts[k] if Join did. A virtual offset is translated to an address only
// when an element is accessed. Selections, transposes and iteration therefore need no code for joined arrays, and plain
// arrays pay nothing.
//
// A view whose elements all lie in one member is a plain view of that member (see unjoin). In other views the member
// field is the number of the member that contains the first element. Operations need not check whether a view is
// joined: [Aligned], [Cursor.Walk] and [View.EachReduction] split it into plain arrays for them, and retype changes the
// type of all members.
type Joined struct {
	Members []View
	Stride  int   // for Stack: bytes from one member to the next; greater than their size, so no run crosses members
	Low     int   // offset of the lowest byte of a member from its first element
	Starts  []int // for Join: the start of each member and the end of the last; there are no gaps between members
}

// MaxMembers is the exclusive limit on the number of members of a joined array.
const MaxMembers = 1 << 24

// severalArrays is the part of an error message that explains why elements of a joined array cannot be accessed in
// place.
const severalArrays = "they are stored in several arrays (see Stack)"

// Stack joins members of one dtype and layout along a new first axis without copying elements. The error wraps
// [ErrShape] if the result is too large.
func Stack(members []View) (View, error) {
	first := &members[0]
	lo, hi := first.Layout.Bounds(first.ItemSize())
	j := &Joined{Members: members, Low: lo, Stride: 64}
	for j.Stride <= hi-lo && j.Stride <= math.MaxInt/2 {
		j.Stride *= 2
	}
	lay, err := addAxis(first.Layout, len(members), j.Stride, first.ItemSize())
	if (err != nil || j.Stride <= hi-lo || j.Stride > math.MaxInt/len(members)) && first.Layout.Size() > 0 {
		return View{}, fmt.Errorf("array: %w: a stack of %d arrays of %d bytes exceeds the address space", ErrShape,
			len(members), hi-lo)
	}
	if err != nil {
		return View{}, fmt.Errorf("array: %w", err)
	}
	return j.view(lay), nil
}

// Join concatenates the members along the first axis without copying elements. Each member has at least one element.
// length is the sum of the lengths of their first axes. stride is their common stride along the first axis, or 0 if
// each member has one row.
//
// The error wraps [ErrShape] if the layouts differ, if the first axis is not the slowest one in memory, or if the
// result is too large.
func Join(members []View, length, stride int) (View, error) {
	row, _ := members[0].Layout.Index(0)
	size := members[0].ItemSize()
	lo, hi := row.Bounds(size)
	switch {
	case size == 0: // the elements have no bytes, so their addresses do not matter
		shape := append([]int{length}, row.Shape()...)
		lay, err := index.NewLayout(shape, 0, index.C)
		return members[0].Derive(lay, 0, err)
	case stride == 0: // each member has one row
		stride = hi - lo
	}
	j := &Joined{Members: members, Low: lo, Starts: []int{0}}
	for k, v := range members {
		inner, _ := v.Layout.Index(0)
		differ := false
		for axis := range row.NDim() {
			differ = differ || row.Len(axis) > 1 && inner.Stride(axis) != row.Stride(axis)
		}
		switch n := v.Layout.Len(0); {
		case differ || n > 1 && v.Layout.Stride(0) != stride:
			return View{},
				fmt.Errorf("%s%w: layout %v of array %d does not match layout %v of array 0; only the length of the first axis may differ",
					Prefix(v.Store.Mem.Path), ErrShape, v.Layout, k, members[0].Layout)
		case stride < hi-lo:
			return View{},
				fmt.Errorf("%s%w: layout %v: the first axis must have the largest stride, and it must be positive; join transposed arrays",
					Prefix(v.Store.Mem.Path), ErrShape, v.Layout)
		case stride > 0 && j.Starts[k] > math.MaxInt-(n*stride):
			return View{}, fmt.Errorf("array: %w: the joined arrays exceed the address space", ErrShape)
		}
		j.Starts = append(j.Starts, j.Starts[k]+v.Layout.Len(0)*stride)
	}
	lay, err := addAxis(row, length, stride, size)
	switch {
	case err != nil:
		return View{}, fmt.Errorf("array: %w", err)
	case len(members) == 1:
		return members[0].subView(lay, 0), nil
	}
	return j.view(lay), nil
}

// addAxis returns lay with a new first axis. itemsize is the size of an element. The error wraps [ErrShape] if the
// number of bytes of all elements overflows an int. If there are no elements, the lengths of the axes do not matter.
func addAxis(lay index.Layout, length, stride, itemsize int) (index.Layout, error) {
	shape := append([]int{length}, lay.Shape()...)
	if _, _, err := index.Size(shape, itemsize); err != nil && lay.Size() > 0 {
		return lay, err
	}
	return index.Strided(shape, append([]int{stride}, lay.Strides()...))
}

// view returns the view of all members of j, with a layout in virtual memory.
func (j *Joined) view(lay index.Layout) View {
	first := &j.Members[0]
	mem := &strided.Memory{Path: first.Store.Mem.Path}
	v := View{P: first.P, Layout: lay, Store: NewStorage(mem, first.Store.DType), Read: ByMember, Write: ByMember}
	for k := range j.Members {
		mem.ReadOnly = mem.ReadOnly || j.Members[k].Store.Mem.ReadOnly
		if j.Members[k].Write == NoWrite {
			v.Write = NoWrite
		}
	}
	v.Store.Joined = j
	return v.unjoin()
}

// IsJoined reports whether st belongs to a joined array, whose elements lie in several memories.
func (st *Storage) IsJoined() bool { return st.Joined != nil }

// memberAxis returns the axis along which to split v into views that lie in fewer members, and -1 if all elements of v
// lie in one member or v is not joined.
func (v *View) memberAxis() int {
	if v.Store.Joined == nil || v.membersOf(1) == 1 {
		return -1
	}
	return slowestAxis(v.Layout)
}

// lenInMember returns the number of consecutive indices along an axis, starting at i, whose elements all lie in one
// member. It returns 0 if the elements of index i alone lie in several members.
func (a *View) lenInMember(axis, i int) int {
	left := a.Layout.Len(axis) - i
	if a.Store.Joined == nil || a.Layout.Size() == 0 {
		return left
	}
	if a.ItemSize() == 0 { // Bounds does not locate elements without bytes
		return 0
	}
	j, stride := a.Store.Joined, a.Layout.Stride(axis)
	sel := make([]index.Selector, axis+1) // colons
	sel[axis] = index.At(i)
	one, off, err := a.Layout.Select(sel...)
	lo, hi := Must(one, err).Bounds(a.ItemSize())
	first, _ := j.locate(a.P, off+lo, int(a.member))
	last, _ := j.locate(a.P, off+max(lo, hi-1), int(a.member))
	if first != last {
		return 0
	}
	// at is the virtual offset of the elements at index i.
	at := j.memberStart(int(a.member)) + strided.Distance(a.P, j.Members[a.member].P) - j.Low + off
	switch {
	case stride > 0:
		return min(left, 1+(j.memberStart(first+1)-at-hi)/stride)
	case stride < 0:
		return min(left, 1+(at+lo-j.memberStart(first))/-stride)
	}
	return left
}

// checkStraddle returns an error that wraps [ErrCopy] if an element, or one index of the slowest axis, would lie in two
// members of an array that Join made.
func (v *View) checkStraddle() error {
	if j := v.Store.Joined; j == nil || j.Starts == nil || v.ItemSize() == 0 || v.membersOf(v.ItemSize()) == 1 {
		return nil
	}
	axis := slowestAxis(v.Layout)
	for i := 0; v.Layout.NDim() > 0 && i < v.Layout.Len(axis); {
		n := v.lenInMember(axis, i)
		if n == 0 {
			return fmt.Errorf("%w: index %d of axis %d would span two of the joined arrays", ErrCopy, i, axis)
		}
		i += n
	}
	return nil
}

// membersOf returns the number of members that v spans, from the member with the first byte to the member with the last
// byte. itemsize is the size of an element.
func (v *View) membersOf(itemsize int) int {
	if v.Layout.Size() == 0 {
		return 1
	}
	lo, hi := v.Layout.Bounds(itemsize)
	first, _ := v.Store.Joined.locate(v.P, lo, int(v.member))
	last, _ := v.Store.Joined.locate(v.P, hi-1, int(v.member))
	return last - first + 1
}

// unjoin converts the joined array a to a plain array, with the access modes of the member, if all elements of a lie in
// one member. It returns other joined arrays, and arrays without elements, unchanged.
func (a View) unjoin() View {
	if a.Layout.Size() == 0 || a.memberAxis() >= 0 {
		return a
	}
	plain := a.Store.Joined.Members[a.member]
	plain.P, plain.Layout = a.P, a.Layout
	if a.Write == NoWrite {
		plain.Write = NoWrite
	}
	return plain
}

// retype returns f(a), where f changes the type of the elements. If a is joined, retype first applies f to each member.
func (a View) retype(f func(View) (View, error)) (View, error) {
	if a.Store.Joined == nil {
		return f(a)
	}
	j := *a.Store.Joined
	j.Members = make([]View, len(a.Store.Joined.Members))
	for k := range j.Members {
		var err error
		if j.Members[k], err = f(a.Store.Joined.Members[k]); err != nil {
			return View{}, err
		}
		if j.Members[k].Store.DType.ItemSize() == 0 { // locate needs the distance between members even if elements have no bytes
			j.Members[k].P = a.Store.Joined.Members[k].P
		}
	}
	st := *a.Store
	st.Joined = &j
	a.Store = &st
	read, write := a.Read, a.Write
	a, err := f(a)
	if err != nil {
		return View{}, err
	}
	for k := range j.Members { // elements of a may be unaligned even if all elements of its members are aligned
		m := &j.Members[k]
		if a.Read == ByCodec && m.Read == InPlace {
			m.Read = ByCodec
		}
		if a.Write == ByCodec && m.Write == InPlace {
			m.Write = ByCodec
		}
	}
	if a.Read = read; a.Write != NoWrite {
		a.Write = write
	}
	return a, nil
}

// locate returns the index of the member that contains the byte off bytes after p, and the address of that byte. p
// points into member k.
func (j *Joined) locate(p pointer, off, k int) (int, pointer) {
	inner := strided.Distance(p, j.Members[k].P) - j.Low + off // from the lowest byte of member k
	if j.Starts != nil {
		return j.locateByStarts(inner, k)
	}
	step := inner / j.Stride
	if inner %= j.Stride; inner < 0 {
		inner += j.Stride
		step--
	}
	k += step
	return k, strided.Add(j.Members[k].P, inner+j.Low)
}

// locateByStarts does the work of locate for an array that Join made. The byte to locate lies inner bytes after the
// lowest byte of member k.
func (j *Joined) locateByStarts(inner, k int) (int, pointer) {
	inner += j.Starts[k]
	if inner < j.Starts[k] || inner >= j.Starts[k+1] {
		k, _ = slices.BinarySearch(j.Starts[1:], inner+1)
	}
	return k, strided.Add(j.Members[k].P, inner-j.Starts[k]+j.Low)
}

// memberStart returns the virtual offset at which member k starts. The start of the member after the last one is the
// end of the last one.
func (j *Joined) memberStart(k int) int {
	if j.Starts != nil {
		return j.Starts[k]
	}
	return k * j.Stride
}

// locate returns the member of the joined array a that contains the byte off bytes after the first element, and the
// address of that byte.
func (a *View) locate(off int) (member *View, p pointer) {
	k, p := a.Store.Joined.locate(a.P, off, int(a.member))
	return &a.Store.Joined.Members[k], p
}

// address returns the address of the byte off bytes after the first element of a.
func (a *View) address(off int) pointer {
	if !a.Store.IsJoined() {
		return strided.Add(a.P, off)
	}
	_, p := a.locate(off)
	return p
}

// memories returns the memory of a, or the memories of its members if a is joined.
func (a *View) memories() []*strided.Memory {
	if !a.Store.IsJoined() {
		return []*strided.Memory{a.Store.Mem}
	}
	var all []*strided.Memory
	for k := range a.Store.Joined.Members {
		all = append(all, a.Store.Joined.Members[k].Store.Mem)
	}
	return all
}

// hasSameMembers reports whether a and b have the same members and start in the same one. It is true for two arrays
// that are not joined.
func (a *View) hasSameMembers(b *View) bool {
	j, other := a.Store.Joined, b.Store.Joined
	if j == nil || other == nil {
		return j == other
	}
	if len(j.Members) != len(other.Members) || j.Stride != other.Stride || a.member != b.member ||
		!slices.Equal(j.Starts, other.Starts) {
		return false
	}
	for k := range j.Members {
		if j.Members[k].P != other.Members[k].P {
			return false
		}
	}
	return true
}

// subJoined does the work of subView for a joined array.
func (a View) subJoined(lay index.Layout, off int) View {
	a.Layout = lay
	if lay.Size() == 0 {
		return a
	}
	k, p := a.Store.Joined.locate(a.P, off, int(a.member))
	a.P, a.member, a.Read = p, uint32(k), ByMember
	if a.Write != NoWrite {
		a.Write = ByMember
	}
	return a.unjoin()
}

// withStorage returns the joined array a with the storage st and the layout lay. The first element moves by off bytes.
// withStorage sets the members of st to those of a, whose types retype has already changed.
func (a View) withStorage(st *Storage, lay index.Layout, off int) View {
	st.Joined = a.Store.Joined
	a.Store, a.Layout = st, lay
	if lay.Size() > 0 {
		a.P = strided.Add(a.P, off)
	}
	return a
}

// axisRange returns indices i to i+n-1 of a along an axis. If n is 0 or 1, it returns index i without the axis.
func (a *View) axisRange(axis, i, n int) View {
	if n <= 1 {
		return a.AtAxis(axis, i)
	}
	return Must(a.Derive(SelectRange(a.Layout, axis, i, n)))
}

// slowestAxis returns the axis with the longest stride among the axes with several indices.
func slowestAxis(lay index.Layout) int {
	slowest, longest := 0, 0
	for axis := range lay.NDim() {
		if n := abs(lay.Stride(axis)); lay.Len(axis) > 1 && n > longest {
			slowest, longest = axis, n
		}
	}
	return slowest
}

// plainMember does the work of Plain for a joined view. It returns true if all elements of v lie in one member.
func (v *View) plainMember() (a Array, ok bool) {
	switch {
	case v.Layout.Size() == 0:
		return Array{v.piece(), v.Store, v.Read}, true
	case v.memberAxis() < 0:
		plain := v.unjoin()
		return Array{plain.piece(), plain.Store, plain.Read}, true
	}
	return a, false
}

// eachPair splits a and b, views of the same shape, into pairs of plain arrays with corresponding elements, and calls f
// with each pair.
func eachPair(a, b View, f func(a, b Array) error) error {
	axis := max(a.memberAxis(), b.memberAxis())
	if axis < 0 {
		x, _ := a.Plain()
		y, _ := b.Plain()
		return f(x, y)
	}
	for i := 0; i < a.Layout.Len(axis); {
		n := min(a.lenInMember(axis, i), b.lenInMember(axis, i))
		if err := eachPair(a.axisRange(axis, i, n), b.axisRange(axis, i, n), f); err != nil {
			return err
		}
		i += max(1, n)
	}
	return nil
}

// eachPlainArray splits v into plain arrays, and calls f with each of them.
func eachPlainArray(v View, f func(a Array) error) error {
	return eachPair(v, v, func(a, _ Array) error { return f(a) })
}

// shareMemory reports whether a and b may share bytes. It compares the bounds of the members, so members whose
// elements interleave count as sharing.
func shareMemory(a, b *View) bool {
	type byteRange struct {
		lo, hi uintptr
		ofB    bool
	}
	var all []byteRange
	for i, c := range []*View{a, b} {
		members := []View{*c}
		if c.Store.Joined != nil {
			members = c.Store.Joined.Members
		}
		for k := range members {
			lo, hi := members[k].Layout.Bounds(members[k].Store.DType.ItemSize())
			at := strided.Address(members[k].P)
			all = append(all, byteRange{at + uintptr(lo), at + uintptr(hi), i == 1})
		}
	}
	slices.SortFunc(all, func(x, y byteRange) int {
		return cmp.Compare(x.lo, y.lo)
	})
	var end [2]uintptr // the highest ends of a and b so far
	for _, x := range all {
		self, other := 0, 1
		if x.ofB {
			self, other = 1, 0
		}
		if x.lo < end[other] {
			return true
		}
		end[self] = max(end[self], x.hi)
	}
	return false
}
