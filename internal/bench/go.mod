module github.com/ndmap/ndmap/internal/bench

go 1.26.0

replace github.com/ndmap/ndmap => ../..

require (
	github.com/kshedden/gonpy v0.0.0-20210519231815-fa3c8dd8e59b
	github.com/ndmap/ndmap v0.0.0
	github.com/sbinet/npyio v0.6.0
	golang.org/x/sys v0.49.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/campoy/embedmd v1.0.0 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
)
