package index

// Coalesce merges adjacent axes.
func (l Layout) Coalesce() Layout { return l }

// CoalesceAll merges adjacent axes of several layouts of one shape.
func CoalesceAll(ls ...Layout) ([]Layout, error) { return ls, nil }

// SortByStride reorders the axes of all layouts alike, the first's largest strides first.
func SortByStride(ls ...Layout) ([]Layout, error) { return ls, nil }
