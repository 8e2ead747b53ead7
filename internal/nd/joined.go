package nd

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

// A Joined presents several arrays, its members, as one array. The members may lie anywhere in memory, like the
// indirect dimensions of Cython and the suboffsets of PEP 3118 (https://peps.python.org/pep-3118/).
//
// The layout of a joined array describes a virtual memory that does not exist. Member k starts at byte k*Stride of
// this memory if Stack made the array, and at byte Starts[k] if Join did. Only the access to an element translates a
// virtual offset to an address. Selections, transposes and iteration therefore need no code for joined arrays, and
// plain arrays pay nothing.
//
// An array whose elements all lie in one member is a plain array of that member (see [Array.Unjoin]). For other arrays
// the member field is the number of the member that contains the first element. Functions that work on memory call
// [Array.IsPlain] or [Storage.IsJoined] and split a joined array into plain ones: copyJoined, forPairs, Retype and
// decodeJoined.
type Joined struct {
	Members []Array
	Stride  int   // of Stack: bytes from one member to the next; greater than their size, so no run crosses members
	Low     int   // offset of the lowest byte of a member from its first element
	Starts  []int // of Join: the start of each member and the end of the last; there are no gaps between members
}

// MaxMembers is the limit on the number of members: a joined array has fewer.
const MaxMembers = 1 << 24

// severalArrays explains why elements of a joined array cannot be accessed in place.
const severalArrays = "they are those of several arrays (see Stack)"

// Join concatenates the members along the first axis without copying elements. Each member has at least one element.
// length is the sum of the lengths of their first axes. stride is their common stride along the first axis, or 0 if
// each member has one row.
//
// The error wraps [ErrShape] if the layouts differ, if the first axis is not the slowest one in memory, or if the
// result is too large.
func Join(members []Array, length, stride int) (Array, error) {
	row, _ := members[0].Layout.Index(0)
	size := members[0].Store.DType.ItemSize()
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
	mem := &strided.Memory{Path: members[0].Store.Mem.Path}
	for k, a := range members {
		inner, _ := a.Layout.Index(0)
		differ := false
		for axis := range row.NDim() {
			differ = differ || row.Len(axis) > 1 && inner.Stride(axis) != row.Stride(axis)
		}
		switch n := a.Layout.Len(0); {
		case differ || n > 1 && a.Layout.Stride(0) != stride:
			return Array{}, fmt.Errorf("%s%w: layout %v of array %d is not that of the first, %v",
				Prefix(a.Store.Mem.Path), ErrShape, a.Layout, k, members[0].Layout)
		case stride < hi-lo:
			return Array{}, fmt.Errorf("%s%w: layout %v, where the first axis is not the slowest, upwards; join transposes",
				Prefix(a.Store.Mem.Path), ErrShape, a.Layout)
		case stride > 0 && j.Starts[k] > math.MaxInt-(n*stride):
			return Array{}, fmt.Errorf("array: %w: arrays of more bytes than can be addressed", ErrShape)
		}
		mem.ReadOnly = mem.ReadOnly || a.Store.Mem.ReadOnly
		j.Starts = append(j.Starts, j.Starts[k]+a.Layout.Len(0)*stride)
	}
	shape, strides := append([]int{length}, row.Shape()...), append([]int{stride}, row.Strides()...)
	_, _, err := index.Size(shape, size)
	var lay index.Layout
	if err == nil {
		lay, err = index.Strided(shape, strides)
	}
	if err != nil {
		return Array{}, fmt.Errorf("array: %w", err)
	}
	if len(members) == 1 {
		return members[0].sub(lay, 0), nil
	}
	st := NewStorage(mem, members[0].Store.DType)
	st.Joined = j
	return Array{P: members[0].P, Layout: lay, Store: st, Read: ByMember, Write: ByMember}, nil
}

// IsJoined reports whether st belongs to a joined array, whose elements lie in several memories.
func (st *Storage) IsJoined() bool { return st.Joined != nil }

// IsPlain reports whether all elements of a lie in one memory. The compiler inlines it.
func (a *Array) IsPlain() bool { return a.Store.Joined == nil || a.MemberAxis() < 0 }

// MemberAxis returns the axis along which to split a into arrays that lie in fewer members, and -1 if all elements of a
// lie in one member or a is not joined.
func (a *Array) MemberAxis() int {
	if a.Store.Joined == nil || a.Layout.Size() == 0 {
		return -1
	}
	lo, hi := a.Layout.Bounds(1)
	first, _ := a.Store.Joined.locate(a.P, lo, int(a.member))
	last, _ := a.Store.Joined.locate(a.P, hi-1, int(a.member))
	if first == last {
		return -1
	}
	return slowestAxis(a.Layout)
}

// LenInMember returns the number of consecutive indices along an axis, starting at i, whose elements all lie in one
// member. It returns 0 if the elements of index i alone lie in several members.
func (a *Array) LenInMember(axis, i int) int {
	left := a.Layout.Len(axis) - i
	if a.Store.Joined == nil || a.Layout.Size() == 0 {
		return left
	}
	if a.ItemSize() == 0 { // Bounds does not tell the positions of elements without bytes
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
	// at is the virtual offset of index i.
	at := j.start(int(a.member)) + strided.Distance(a.P, j.Members[a.member].P) - j.Low + off
	switch {
	case stride > 0:
		return min(left, 1+(j.start(first+1)-at-hi)/stride)
	case stride < 0:
		return min(left, 1+(at+lo-j.start(first))/-stride)
	}
	return left
}

// CheckStraddle returns a, or an error that wraps [ErrCopy] if an element, or one index of the slowest axis, would lie
// in two members of an array that Join made.
func (a Array) CheckStraddle() (Array, error) {
	j := a.Store.Joined
	if j == nil || j.Starts == nil || a.Layout.Size() == 0 || a.ItemSize() == 0 {
		return a, nil
	}
	lo, hi := a.Layout.Bounds(a.ItemSize())
	first, _ := j.locate(a.P, lo, int(a.member))
	last, _ := j.locate(a.P, hi-1, int(a.member))
	if first == last {
		return a, nil
	}
	axis := slowestAxis(a.Layout)
	for i := 0; a.Layout.NDim() > 0 && i < a.Layout.Len(axis); {
		n := a.LenInMember(axis, i)
		if n == 0 {
			return Array{}, fmt.Errorf("%w: index %d of axis %d would be in two of the arrays that are joined", ErrCopy, i, axis)
		}
		i += n
	}
	return a, nil
}

// Unjoin returns a as a plain array of one member, with the access modes of that member, if all its elements lie in
// one. Other joined arrays, and arrays without elements, are returned unchanged. Unjoin is for joined arrays only.
func (a Array) Unjoin() Array {
	if a.Layout.Size() == 0 || a.MemberAxis() >= 0 {
		return a
	}
	plain := a.Store.Joined.Members[a.member]
	plain.P, plain.Layout = a.P, a.Layout
	if a.Write == NoWrite {
		plain.Write = NoWrite
	}
	return plain
}

// Retype returns f(a), where f changes the type of the elements. If a is joined, Retype first applies f to each member.
func (a Array) Retype(f func(Array) (Array, error)) (Array, error) {
	if a.Store.Joined == nil {
		return f(a)
	}
	j := *a.Store.Joined
	j.Members = make([]Array, len(a.Store.Joined.Members))
	for k := range j.Members {
		var err error
		if j.Members[k], err = f(a.Store.Joined.Members[k]); err != nil {
			return Array{}, err
		}
		if j.Members[k].Store.DType.ItemSize() == 0 { // locate needs the distance between members all the same
			j.Members[k].P = a.Store.Joined.Members[k].P
		}
	}
	st := *a.Store
	st.Joined = &j
	a.Store = &st
	read, write := a.Read, a.Write
	a, err := f(a)
	if err != nil {
		return Array{}, err
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
	a.Read, a.Write = read, write
	return a, nil
}

// locate returns the number of the member that contains the byte off bytes after p, and the address of that byte. The
// address p lies in member k.
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

// start returns the virtual offset at which member k starts. The start of the member after the last one is the end of
// the last one.
func (j *Joined) start(k int) int {
	if j.Starts != nil {
		return j.Starts[k]
	}
	return k * j.Stride
}

// locate returns the member of the joined array a that contains the byte off bytes after the first element, and the
// address of that byte.
func (a *Array) locate(off int) (member *Array, p pointer) {
	k, p := a.Store.Joined.locate(a.P, off, int(a.member))
	return &a.Store.Joined.Members[k], p
}

// address returns the address of the byte off bytes after the first element of a.
func (a *Array) address(off int) pointer {
	if !a.Store.IsJoined() {
		return strided.Add(a.P, off)
	}
	_, p := a.locate(off)
	return p
}

// memories returns the memory of a, or the memories of its members if a is joined.
func (a *Array) memories() []*strided.Memory {
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
func (a *Array) hasSameMembers(b *Array) bool {
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

// subJoined does the work of sub for a joined array.
func (a Array) subJoined(lay index.Layout, off int) Array {
	a.Layout = lay
	if lay.Size() == 0 {
		return a
	}
	k, p := a.Store.Joined.locate(a.P, off, int(a.member))
	a.P, a.member, a.Read = p, uint32(k), ByMember
	if a.Write != NoWrite {
		a.Write = ByMember
	}
	return a.Unjoin()
}

// withStorage returns the joined array a with the storage st, another layout, and its first element off bytes later. It
// gives st the members of a, which Retype has retyped already.
func (a Array) withStorage(st *Storage, lay index.Layout, off int) Array {
	st.Joined = a.Store.Joined
	a.Store, a.Layout = st, lay
	if lay.Size() > 0 {
		a.P = strided.Add(a.P, off)
	}
	return a
}

// axisRange returns indices i to i+n-1 of a along an axis. If n is 0 or 1, it returns index i without the axis.
func (a *Array) axisRange(axis, i, n int) Array {
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

// copyJoined copies src to dst as pairs of plain arrays, for joined arrays. It copies through a temporary array if dst
// and src may share memory.
func copyJoined(dst, src Array) error {
	if shareMemory(&dst, &src) {
		tmp, err := src.WithoutGoType().Clone(index.C)
		if err != nil {
			return err
		}
		if src.Store.Converts { // tmp needs the conversions of src
			st := *src.Store
			if st.Joined != nil {
				st = *st.Joined.Members[0].Store
			}
			st.Mem = tmp.Store.Mem
			tmp.Store = &st
		}
		src = tmp
	}
	for _, a := range []Array{dst, src} {
		if a.prefetchMembers(); a.Store.Joined == nil {
			defer strided.SuppressReadaheadIfLarge(a.Piece(), a.Piece())()
		}
	}
	return forTiles(dst, src, Copy)
}

// forPairs calls f with pairs of plain arrays that together are all elements of a and b. The two have the same shape.
func forPairs(a, b Array, f func(a, b Array) error) error {
	axis := max(a.MemberAxis(), b.MemberAxis())
	if axis < 0 {
		return f(a, b)
	}
	for i := 0; i < a.Layout.Len(axis); {
		n := min(a.LenInMember(axis, i), b.LenInMember(axis, i))
		x, y := a.axisRange(axis, i, n), b.axisRange(axis, i, n)
		if err := forPairs(x, y, f); err != nil {
			return err
		}
		i += max(1, n)
	}
	return nil
}

// forTiles calls f as forPairs does, but goes through two large arrays tile by tile, because one member of a joined
// array may correspond to elements on all pages of the second array. If the members of a large joined array are not in
// memory, forTiles prefetches only the pages of each tile before f needs them, and releases them after the tile.
func forTiles(dst, src Array, f func(dst, src Array) error) error {
	sides := [2]Array{dst, src}
	var cold [2]bool
	for k := range sides {
		a := &sides[k]
		cold[k] = a.MemberAxis() >= 0 && max(dst.layoutOnPages(), src.layoutOnPages()) > strided.PartBytes &&
			a.Store.Joined.isCold()
		for i := 0; cold[k] && i < len(a.Store.Joined.Members); i++ {
			defer strided.SuppressReadahead(a.Store.Joined.Members[i].Piece())()
		}
	}
	return halveToTiles(sides, cold, f)
}

// halveToTiles halves both sides until they fit a tile, and calls f with the pairs of each tile. It prefetches and
// releases the pages of the sides that are cold.
func halveToTiles(sides [2]Array, cold [2]bool, f func(dst, src Array) error) error {
	dst, src := sides[0], sides[1]
	if n := max(dst.layoutOnPages(), src.layoutOnPages()); n > strided.PartBytes && dst.Layout.Size() > 1 &&
		n > strided.TileBytes() && (dst.MemberAxis() >= 0 || src.MemberAxis() >= 0) {
		axis := strided.HalvedAxis(dst.Layout, src.Layout, dst.ItemSize(), src.ItemSize())
		err := halveToTiles([2]Array{dst.half(axis, 0), src.half(axis, 0)}, cold, f)
		if err == nil {
			err = halveToTiles([2]Array{dst.half(axis, 1), src.half(axis, 1)}, cold, f)
		}
		return err
	}
	for k, a := range sides {
		if cold[k] {
			forPairs(a, a, func(a, _ Array) error { a.Piece().Prefetch(strided.Everywhere); return nil })
			defer forPairs(a, a, func(a, _ Array) error { a.Piece().Release(k == 0); return nil })
		}
	}
	return forPairs(dst, src, f)
}

// layoutOnPages returns the approximate number of bytes of the pages that a takes, judged by its layout alone. Unlike
// onPages it does so for joined arrays too.
func (a *Array) layoutOnPages() int {
	return strided.Piece{Layout: a.Layout, ItemSize: a.ItemSize()}.OnPages()
}

// decodeJoined decodes the elements of the joined array a to buf as Go values in C order, and returns an array of these
// values.
func (a *Array) decodeJoined(buf []byte) Array {
	size := a.Store.Joined.Members[0].Store.Size
	b := Must(OnBytes(buf, dtype.Void(size), Must(a.Layout.Compact(size, index.C))))
	b.Store.Size, b.Store.Decode, b.Store.Encode = size, elem.Repeat(size), elem.Repeat(size)
	b.Read, b.Write = InPlace, InPlace
	Must(0, forTiles(b, *a, func(b, a Array) error { return strided.Copy(b.Piece(), a.Piece(), &a.Store.Decode) }))
	return b
}

// shareMemory reports whether a and b may share bytes. It compares the bounds of the members, so members whose
// elements interleave count as sharing.
func shareMemory(a, b *Array) bool {
	type byteRange struct {
		lo, hi uintptr
		ofB    bool
	}
	var all []byteRange
	for i, c := range []*Array{a, b} {
		members := []Array{*c}
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
	var end [2]uintptr // the highest end so far, of a and of b
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
