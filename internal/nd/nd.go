// Package nd implements arrays whose elements have no Go type. Package array wraps them in public types, checks
// arguments and documents the operations.
//
// A [View] consists of an address, a layout and two access modes, one to read and one to write its elements. It points
// to a [Storage]: the memory, the dtype, and the codecs that decode an element to a Go value and encode it back. Views
// derived from each other by Select, Transpose and the like share one Storage.
//
// Most views are plain: all their elements lie in one memory. The elements of a joined view (Stack, Join) lie in
// several memories. Its Storage contains a [Joined] with the members, and its layout describes a virtual memory.
// Functions that work on memory take an [Array], which is always plain. [View.Plain] returns a plain view as an Array,
// and [Aligned] splits two views into pairs of Arrays.
//
// A [Pass] visits every element of one or more views of one shape. It cuts them into parts, by the rules in cut.go, and
// walks through each part in blocks. The embedded [strided.Pass] shares the parts among goroutines, reads files ahead,
// keeps the first error and reports progress.
//
// # From file to file
//
//   - A copy: [Copy] in copy.go checks shapes and permissions. [Aligned] yields pairs of Arrays, and the
//     codec that [Assignment] chooses copies each pair in package strided.
//   - A loop: [View.Blocks] or [Cursor.Walk] in iterate.go starts a cursor of package strided. For a joined view,
//     joined_walk.go starts it again for each member.
//   - A Map: [View.Map] in map.go checks its arguments. [NewPass] in pass.go chooses the parts; cut.go cuts them.
//     [Walk.Blocks] walks through each part with one cursor for each operand.
package nd

import "github.com/ndmap/ndmap/internal/strided"

type pointer = strided.Pointer
