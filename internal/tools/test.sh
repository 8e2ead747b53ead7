#!/bin/sh
# Runs the tests in one of several ways: sh internal/tools/test.sh RUN [PACKAGE...]
# `make test-RUN PACKAGES=...` calls it. The default packages are listed below. `make test-list` prints the packages and
# the tests that each run leaves out: tests call oracle.Slow and similar functions. NDMAP_SLOW=1 runs these tests, too.
set -eu
cd "$(dirname "$0")/../.."

# The separate modules, except the viewer.
modules="examples/arrow examples/beam examples/gonum examples/parquet internal/bench internal/tensors/peer"

# packages prints the default packages of a run. Each comment gives the reason for its choice.
packages() {
	processor="./internal/kernel ./internal/elem ./internal/strided"
	case $1 in
	race) # they have goroutines, or compute addresses, which the race detector checks, too
		echo ./mmap ./array ./array/npz ./array/safetensors ./array/httpat ./internal/strided ./internal/sorting ./examples/follow ./examples/reload ./examples/share ;;
	purego) echo $processor ;;
	checkptr) echo $processor ./array/npz ./array/safetensors ./mmap ;;
	386) # they compute lengths and offsets as int, which has 32 bits there
		echo ./mmap ./index ./dtype ./array/... $processor ./internal/reduce ./internal/npy ./internal/pylit \
			./internal/render ./internal/zipfile ./internal/descr ./internal/tensors ./internal/sorting ./examples/npy ;;
	windows) # they open, map, lock, replace and follow files
		echo ./mmap ./array/... ./internal/atomicfile ./internal/stable ./examples/edit ./examples/follow \
			./examples/npy/... ./examples/reload ./examples/share ;;
	wasm) # they need no file to write to, which js/wasm cannot map, or they read golden files
		echo ./mmap ./index ./dtype ./internal/pylit ./internal/oracle ;;
	s390x) # they depend on the byte order
		echo $processor ./array ./dtype ./internal/npy ./internal/zipfile ./array/npz ./array/objects ./array/safetensors \
			./internal/tensors ./internal/sorting ;;
	arm64) echo ./internal/kernel ./internal/elem ./internal/reduce ./mmap ;; # they depend on the processor
	riscv64 | ppc64le | more) echo ./... ;;
	esac
}

# checkptr checks each address that this module computes; Go's own packages need not be compiled again.
address='-gcflags=github.com/ndmap/ndmap/...=-d=checkptr -dwarf=false'

# Without inlining, package array compiles in two fifths of the time. Tests that count allocations need inlining.
quick='-gcflags=github.com/ndmap/ndmap/...=-dwarf=false -l'
quick_address="$address -l"

# -count=1: the test cache does not notice when NumPy is installed or removed. -vet=off: make check runs vet.
tests() {
	echo "go test $*"
	go test -count=1 -vet=off "$@"
}

run=$1
shift
[ $# -gt 0 ] || set -- $(packages "$run")
limit="-timeout=${TIMEOUT:-20m}" # make long sets two hours

case $run in
race) tests -race "$quick" -short "$limit" "$@" ;;
purego) tests -tags purego "$address" -short "$limit" "$@" ;;
checkptr) tests "$address" -short "$limit" "$@" ;;
386)
	# Some virtual machines cannot run 32-bit programs, and under qemu-i386 Go programs end with "bad g in signal
	# handler". There go vet only type-checks the tests, and a line says so.
	export GOOS=linux GOARCH=386 CGO_ENABLED=0
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
	echo 'package main; func main() {}' >"$dir/main.go"
	go build -o "$dir/main" "$dir/main.go"
	if "$dir/main"; then
		tests "$quick_address" -short "$limit" "$@"
	else
		echo "test-386: this machine runs no 32-bit programs: the tests are only type-checked" >&2
		go vet "$@"
	fi
	;;
wasm)
	command -v node >/dev/null || { echo "test-wasm: no node: js/wasm was built only (make check), not run"; exit 0; }
	export GOOS=js GOARCH=wasm CGO_ENABLED=0 NDMAP_NUMPY=
	[ "$*" != ./array ] || set -- -run 'GoldenRead|ReadErrors' "$@" # the remaining tests map files
	tests -short -exec "$(go env GOROOT)/lib/wasm/go_js_wasm_exec" "$@"
	;;
s390x | arm64 | riscv64 | ppc64le)
	qemu=qemu-$(echo "$run" | sed s/arm64/aarch64/)-static # qemu's name of the processor
	command -v "$qemu" >/dev/null || { echo "test-$run: no $qemu: apt-get install qemu-user-static" >&2; exit 1; }
	# NDMAP_QEMU=1 lets tests skip checks that fail under qemu: the addresses of page faults.
	export NDMAP_QEMU=1 GOOS=linux GOARCH="$run" CGO_ENABLED=0
	tests -short "$limit" -exec "$qemu" "$@"
	;;
windows) sh internal/wine/test.sh "$quick" "$limit" "$@" ;;
more) # with CASES=10 times as many random cases, and files on a disk
	export TMPDIR="${DISK:-/var/tmp}" NDMAP_CASES="${CASES:-10}"
	tests -timeout=120m "$@"
	;;
modules) # Apache Arrow and Beam, gonum, parquet-go, the benchmarks, another implementation of safetensors
	for dir in $modules; do
		(cd "$dir" && echo "in $dir" && tests ./...)
	done
	;;
view) # VIEWED=10 has ten times the usual random cases. make test-view builds the page.
	export NDMAP_CASES="${VIEWED:-1}"
	cd examples/view && tests "$limit" ./...
	;;
dask) # SETS is the number of random sets of files; 4000 take five minutes. NDMAP_DASK=require: no package may be missing.
	export NDMAP_DASK="${NDMAP_DASK:-run}" NDMAP_DASK_SETS="${SETS:-60}"
	tests -v -timeout=60m -run TestDask ./examples/npy
	;;
list)
	for run in race purego checkptr 386 windows wasm s390x arm64 riscv64 ppc64le; do
		go run ./internal/oracle/where -left-out $run $(packages $run)
	done
	;;
*)
	echo "test.sh: no run $run; see internal/tools/test.sh" >&2
	exit 2
	;;
esac
