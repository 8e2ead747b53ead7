#!/bin/sh
# Runs one of the benchmarks that make bench does not: sh internal/tools/bench.sh NAME. `make bench-NAME` calls it. The
# defaults of the variables are below.
set -eu
cd "$(dirname "$0")/../bench"
seed=${NDMAP_SEED:-0}
[ "$seed" != random ] || seed=0
case ${SVG-} in '' | /*) svg=${SVG-} ;; *) svg=$PWD/../../$SVG ;; esac

case $1 in
random) # WORKS=200 random copies, fills, sums and extremes, and WORKS reductions along axes, in ndmap and NumPy; prints the slowest; SVG=FILE draws all
	go run . -random "${WORKS:-200}" -seed "$seed" -svg "$svg" ;;
random-purego) # the same with plain Go, as on processors without AVX2
	go run -tags purego . -random "${WORKS:-200}" -seed "$seed" ;;
loop) # reductions of a file of 400 MB in memory, in turns with a loop in C that reads it
	go run . -loop 400 ;;
tune) # the gain from each assembly loop and each tuning constant in TUNED=100 random works (40 minutes) of less than 1 Mi elements: worst, median, count below 0.95; CHANGES='without|elem' selects loops and constants
	go run . -n 3 -tune "${TUNED:-100}" -seed "$seed" -rows "${CHANGES:-.}" ;;
cold) # reads of files of 800 MB, or GB=n, that are not in memory, with TIGHT=256 MiB of memory; COLD=300 draws random works; needs root, Linux, and a disk at TMPDIR
	go run . -tight "${TIGHT:-256}" -cold "${GB:-0}" -random "${COLD:--1}" -seed "$seed" ;;
dask) # the mean of 1 GiB by Dask, NumPy and npy reduce, in turns; needs 1 GiB of disk at TMPDIR
	cd ../.. && NDMAP_DASK=bench go test -count=1 -v -timeout 10m -run TestDask ./examples/npy ;;
insns) # arm64 instructions per item of the loops in plain Go and with NEON, counted by qemu; fails if NEON takes more than half
	cd ../.. && go run ./internal/insns ;;
*)
	echo "bench.sh: no $1; see internal/tools/bench.sh" >&2
	exit 2
	;;
esac
