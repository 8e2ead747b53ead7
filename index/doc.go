// Package index is the integer arithmetic of n-dimensional arrays: shapes,
// strides, orders, selections and walks over multi-indices. It knows no bytes
// and no element types: a [Layout] says where elements lie relative to the
// first one, and what lies there is the caller's business.
//
// The rules are NumPy's (basic indexing, reshaping without a copy, relaxed
// stride checking), CPython's (slices) and those of the strided buffers of
// PEP 3118. Strides and offsets are in bytes, lengths and indices in elements.
//
// Layouts and selectors are immutable values, safe for use by several goroutines. No function
// keeps a slice passed to it, except [All], which uses the shape until its loop ends; and
// none writes to one, except to the idx of [Next] and [Unravel], and the dst of
// [Layout.AppendShape].
//
// # Tasks
//
// Each has an example on the symbol named first.
//
//   - read a selection as NumPy writes it: [Parse], [MustParse]; from a flag or JSON: [Selection]
//   - write a selection: [Selector]
//   - select: [Layout.Select]
//   - walk through the indices of a shape: [All]; without a loop over a function: [Next]
//   - give elements another shape: [Layout.Reshape], [Layout.Coalesce]
package index
