package elem

import "github.com/ndmap/ndmap/dtype"

// IsModel reports whether elements of dtype d are floats of machine learning models, which NumPy does not have:
// BFloat16 and the floats of one byte.
func IsModel(d dtype.DType) bool {
	return dtype.KindBFloat16 <= d.Kind() && d.Kind() <= dtype.KindFloat8E5M2
}

// IsFloat reports whether elements of dtype d are real floats, including the floats of models.
func IsFloat(d dtype.DType) bool { return d.Kind() == dtype.KindFloat || IsModel(d) }

// IsNarrow reports whether elements of dtype d are floats of fewer than 32 bits. Go has no arithmetic for these.
func IsNarrow(d dtype.DType) bool { return IsFloat(d) && d.ItemSize() < 4 }

// IsIntegral reports whether elements of dtype d are integers or bools.
func IsIntegral(d dtype.DType) bool { return dtype.KindBool <= d.Kind() && d.Kind() <= dtype.KindUint }

// IsTime reports whether elements of dtype d are dates or durations.
func IsTime(d dtype.DType) bool {
	return d.Kind() == dtype.KindDatetime || d.Kind() == dtype.KindTimedelta
}
