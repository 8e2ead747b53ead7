package refs

import (
	"fmt"

	"github.com/ndmap/ndmap/dtype"
)

// checkDType returns the reason why Zarr v2 cannot read elements of dtype d, or "".
func checkDType(d dtype.DType) string {
	if d.ItemSize() == 0 {
		return fmt.Sprintf("dtype %v: Zarr v2 does not support elements of zero bytes", d)
	}
	return checkFields(d)
}

func checkFields(d dtype.DType) string {
	if d.Kind() == dtype.KindSubarray {
		return checkFields(d.Base())
	}
	end := 0
	for f := range d.Fields() {
		switch {
		case f.Offset != end:
			return paddingMessage(d)
		case f.Title != "":
			return fmt.Sprintf("field %q has a title, %q, which Zarr v2 does not support; remove it with npy convert -dtype",
				f.Name, f.Title)
		}
		if msg := checkFields(f.Type); msg != "" {
			return msg
		}
		end += f.Type.ItemSize()
	}
	if d.Kind() == dtype.KindStructured && end != d.ItemSize() {
		return paddingMessage(d)
	}
	return ""
}

func paddingMessage(d dtype.DType) string {
	return fmt.Sprintf("dtype %v has padding between or after its fields, which Zarr v2 would read as fields; remove it with npy convert -packed", d)
}
