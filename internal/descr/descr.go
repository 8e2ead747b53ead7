// Package descr connects internal/npy with the reader of dtypes in package dtype, so that
// dtype has no exported function that takes an internal type.
package descr

// Read reads the descr of a .npy header. Package dtype sets it before any package that imports dtype is initialized,
// to a
//
//	func(v pylit.Value, objects bool) (d dtype.DType, assumed bool, err error)
//
// whose error is a *pylit.Error. It refuses Python objects unless objects is set. assumed says that a number has no
// byte order in the descr, and has that of the machine.
var Read any
