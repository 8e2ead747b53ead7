package array

import (
	"strings"
	"testing"
)

// TestParseOp tests that ParseOp accepts the names that Op.String returns, and nothing else.
func TestParseOp(t *testing.T) {
	for op := range Op(len(opNames)) {
		if got, err := ParseOp(op.String()); got != op || err != nil {
			t.Errorf("ParseOp(%q) = %v, %v", op.String(), got, err)
		}
	}
	const want = "; want sum, mean, var, std, min, max, argmin, argmax, count, moments, prod, any, all, median, quantile"
	for text, quoted := range map[string]string{
		"": `""`, "Sum": `"Sum"`, "sum ": `"sum "`, "nansum": `"nansum"`, "Op(77)": `"Op(77)"`,
		strings.Repeat("é", 1000): `"` + strings.Repeat("é", 40) + `"`,
	} {
		t.Run(text, func(t *testing.T) {
			if op, err := ParseOp(text); op != 0 || err == nil || err.Error() != "array: unknown operation "+quoted+want {
				t.Errorf("ParseOp(%.10q) = %v, %v", text, op, err)
			}
		})
	}
}
