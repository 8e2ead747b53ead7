// Package index implements the integer arithmetic of n-dimensional arrays: shapes, strides, orders,
// selections and walks over indices.
//
// The package does not access memory or element types. A [Layout] describes where the elements of
// an array lie relative to the first element; the caller owns the memory. Strides and offsets are
// in bytes, lengths and indices in elements.
//
// The rules follow
//
//   - NumPy: basic indexing, reshaping without a copy, relaxed stride checking
//   - CPython: slices
//   - PEP 3118: strided buffers
//
// # Tasks
//
// Each has an example on the symbol named first.
//
//   - read a selection as NumPy writes it: [Parse], [MustParse]; from a flag or JSON: [Selection]
//   - write a selection: [Selector]
//   - select: [Layout.Select]
//   - walk through the indices of a shape: [All]; one step at a time: [Next]
//   - give elements another shape: [Layout.Reshape], [Layout.Coalesce]
//
// # Aliasing
//
// No function keeps a slice passed to it, except [All], which uses the shape until its loop ends.
// No function writes to a slice passed to it, except [Next] and [Unravel], which set idx, and
// [Layout.AppendShape], which appends to dst.
//
// # Goroutines
//
// Layouts and selectors are immutable values, safe for use by several goroutines.
package index
