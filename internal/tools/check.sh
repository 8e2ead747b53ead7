#!/bin/sh
# Checks the code without running its tests: sh internal/tools/check.sh [CHECK...], by default all of them.
# `make check` and `make check-CHECK` call it. CHECKED lists the separate modules that vet and staticcheck check: for
# Apache Beam both read 600 packages of dependencies.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
CHECKED=${CHECKED:-examples/arrow examples/beam examples/gonum examples/parquet examples/view internal/bench internal/kernel/_gen internal/tensors/peer}

# Platforms that must build, in addition to the machine that runs this, and to s390x, which always runs the tests. For
# platforms with source files of their own, the types of tests are checked, too: some machines cannot run 386.
platforms="linux/arm64 linux/riscv64 linux/ppc64le darwin/amd64 openbsd/amd64 netbsd/amd64 plan9/amd64 wasip1/wasm"
vetted="linux/386 darwin/arm64 freebsd/amd64 windows/amd64 js/wasm"

check() {
	case $1 in
	fmt)
		echo "gofmt"
		files=$(gofmt -l .)
		[ -z "$files" ] || { printf 'not formatted; gofmt -w these:\n%s\n' "$files"; exit 1; }
		echo "lines of at most 120 columns"
		go run ./internal/typecheck/columns
		;;
	vet)
		echo "go vet, here and in modules of their own, and of the loops without assembly"
		go vet ./...
		go vet -tags purego ./internal/kernel
		for dir in $CHECKED; do (cd "$dir" && go vet ./...); done
		;;
	staticcheck)
		echo "staticcheck, here and in modules of their own"
		go build -modfile=internal/tools/go.mod -o bin/staticcheck honnef.co/go/tools/cmd/staticcheck
		for dir in . $CHECKED; do (cd "$dir" && "$root/bin/staticcheck" ./...); done
		;;
	imports)
		echo "import graph"
		go test -count=1 ./internal/imports
		;;
	tidy)
		find . -name go.mod -not -path '*/testdata/*' | while read -r mod; do
			echo "go mod tidy -diff in $(dirname "$mod")"
			(cd "$(dirname "$mod")" && go mod tidy -diff)
		done
		;;
	inlining)
		echo "what must inline, and what must not be linked"
		NDMAP_INLINING=1 go test -count=1 -run 'TestInlining|TestLinking' ./index ./array ./internal/oracle
		;;
	builds) # checks types from source: compiling Go's own packages for each platform takes minutes (make long-builds)
		go run ./internal/typecheck/builds $platforms
		go run ./internal/typecheck/builds -test $vetted
		;;
	compile) # go vet type-checks the tests as well
		for p in $platforms $vetted; do
			echo "build $p"
			GOOS=${p%/*} GOARCH=${p#*/} CGO_ENABLED=0 go build ./...
		done
		for p in $vetted; do
			echo "vet $p"
			GOOS=${p%/*} GOARCH=${p#*/} CGO_ENABLED=0 go vet ./...
		done
		;;
	*)
		echo "check.sh: no check $1" >&2
		exit 2
		;;
	esac
}

if [ $# = 0 ]; then
	for c in fmt vet staticcheck imports tidy inlining builds; do check $c; done
	echo "check: all well"
fi
for c; do check "$c"; done
