package array

// must returns v, and panics if err is not nil.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}
