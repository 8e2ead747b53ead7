// Package nd implements arrays whose elements have no Go type. Package array wraps them in public types, checks
// arguments and documents the operations.
//
// A [View] consists of an address, a layout and two access modes, one to read and one to write its elements. It
// points to a [Storage]: the memory, the dtype, and the codecs that decode an element to a Go value and encode it back.
// Arrays derived from each other by Select, Transpose and the like share one Storage.
//
// A joined array (Stack, Join) is a View whose elements lie in several memories. Its Storage has a [Joined] with the
// members, and its layout describes a virtual memory. Operations split a joined array into plain arrays, each within
// one member, before they touch memory.
//
// A pass visits every element of one array, or of two, in parts that goroutines share. It reads the file ahead of the
// goroutines, and reports the error of the first part that failed.
//
// # From file to file
//
//   - A copy: [Copy] in copy.go checks shapes and permissions, and [Assignment] chooses the codec. joined.go splits
//     joined arrays into pairs of plain arrays. Package strided then copies each pair.
//   - A loop: [View.Blocks] or [Cursor.Walk] in iterate.go starts a cursor of package strided. For a joined array,
//     joined_walk.go starts it again for each member.
//   - A Map: [View.Map] in pairs.go checks its arguments and cuts both arrays into the same parts, by cutLayout in
//     pass.go or, if their orders differ, by halves. merger.go runs the parts and keeps the first error. Two cursors of
//     iterate.go walk through each part, block by block.
package nd

import "github.com/ndmap/ndmap/internal/strided"

type pointer = strided.Pointer
