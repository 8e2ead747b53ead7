module github.com/ndmap/ndmap/examples/gonum

go 1.26.0

replace github.com/ndmap/ndmap => ../..

require (
	github.com/ndmap/ndmap v0.0.0
	gonum.org/v1/gonum v0.17.0
)

require golang.org/x/sys v0.49.0 // indirect
