module github.com/ndmap/ndmap/internal/tensors/peer

go 1.26.0

replace github.com/ndmap/ndmap => ../../..

require (
	github.com/ndmap/ndmap v0.0.0
	github.com/nlpodyssey/safetensors v0.0.0-20250209183917-bfb01cc25f7c
)

require golang.org/x/sys v0.49.0 // indirect
