// Package descr connects internal/npy with the parser of dtypes in package dtype. Because of it, dtype needs no
// exported function with a parameter of an internal type.
package descr

// Read converts the descr of a .npy header to a dtype. Package dtype sets Read before any package that imports dtype is
// initialized. The function has the type
//
//	func(v pylit.Value, objects bool) (d dtype.DType, assumed bool, err error)
//
// Its error is a *pylit.Error. Python objects are an error unless objects is true. assumed reports that the descr does
// not give the byte order of a number, and that the dtype assumes the byte order of the machine.
var Read any
