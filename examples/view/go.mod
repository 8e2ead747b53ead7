module github.com/ndmap/ndmap/examples/view

go 1.26.0

replace github.com/ndmap/ndmap => ../..

require (
	github.com/google/go-cmp v0.7.0
	github.com/ndmap/ndmap v0.0.0
)

require golang.org/x/sys v0.49.0 // indirect
