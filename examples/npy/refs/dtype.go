package refs

import (
	"fmt"

	"github.com/ndmap/ndmap/dtype"
)

// checkDType returns the reason why Zarr v2 cannot read elements of dtype d, or "".
func checkDType(d dtype.DType) string {
	if d.ItemSize() == 0 {
		return fmt.Sprintf("dtype %v: Zarr v2 has no elements without bytes", d)
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
			return padded(d)
		case f.Title != "":
			return fmt.Sprintf("field %q has a title, %q, which Zarr v2 has no place for; npy convert -dtype makes a file without it", f.Name, f.Title)
		}
		if msg := checkFields(f.Type); msg != "" {
			return msg
		}
		end += f.Type.ItemSize()
	}
	if d.Kind() == dtype.KindStructured && end != d.ItemSize() {
		return padded(d)
	}
	return ""
}

func padded(d dtype.DType) string {
	return fmt.Sprintf("dtype %v: its fields have padding between or after them, which Zarr v2 reads as fields; npy convert -packed makes a file without it", d)
}
