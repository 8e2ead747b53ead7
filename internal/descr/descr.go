// Package descr connects internal/npy with the reader of dtypes in package dtype, so that
// dtype has no exported function that takes an internal type.
package descr

// Read reads the descr of a .npy header, where byte orders must be explicit. Package dtype
// sets it before any package that imports dtype is initialized, to a
//
//	func(v pylit.Value, objects bool) (dtype.DType, error)
//
// which refuses Python objects unless objects is set, and
// whose error is a *pylit.Error.
var Read any
