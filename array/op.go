package array

import "fmt"

// Op says what a [Reduction] makes of the elements, as the function of NumPy does, and of which dtype, if not that of
// the elements. Booleans count as 0 and 1.
type Op uint8

// The operations.
const (
	OpSum      Op = iota // the sum, in i8 of bool and signed integers, u8 of unsigned ones
	OpMean               // the mean, in f8 of bool and integers
	OpVar                // the variance, as OpMean, and floats for complex numbers
	OpStd                // the standard deviation, the square root of the variance
	OpMin                // the least; of floats, -0 is less than 0
	OpMax                // the greatest
	OpArgMin             // the position of the least, the first of several, in i8
	OpArgMax             // the position of the greatest
	OpCount              // the number of elements that are not zero, in i8
	OpMoments            // their [Moments]
	OpProd               // the product, of the dtype of OpSum
	OpAny                // whether one is not zero, as NaN is not, in bool; it reads no further than the first
	OpAll                // whether none is zero
	OpMedian             // the middle one, or the mean of the two in the middle, of the dtype of OpMean
	OpQuantile           // the quantile of Reduction.Q, in f8, as [Quantile] has it
)

var opNames = [...]string{"sum", "mean", "var", "std", "min", "max", "argmin", "argmax", "count", "moments", "prod",
	"any", "all", "median", "quantile"}

// String returns the name of the operation: "sum", "argmin", "count".
func (op Op) String() string {
	if int(op) < len(opNames) {
		return opNames[op]
	}
	return fmt.Sprintf("Op(%d)", uint8(op))
}
