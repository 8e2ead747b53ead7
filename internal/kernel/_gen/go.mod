module github.com/ndmap/ndmap/internal/kernel/_gen

go 1.26.0
