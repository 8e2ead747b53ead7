#!/bin/sh
# Runs a benchmark that make bench does not run: sh internal/tools/bench.sh NAME. `make bench-NAME` calls it. The comments
# below give the variables with their defaults.
set -eu
cd "$(dirname "$0")/../bench"
seed=${NDMAP_SEED:-0}
[ "$seed" != random ] || seed=0
case ${SVG-} in '' | /*) svg=${SVG-} ;; *) svg=$PWD/../../$SVG ;; esac

case $1 in
random) # times WORKS=200 random copies, fills, sums and extremes, and as many reductions along axes, in ndmap and NumPy, and prints the slowest; SVG=FILE plots all of them
	go run . -random "${WORKS:-200}" -seed "$seed" -svg "$svg" ;;
random-purego) # the same in plain Go, as on processors without AVX2
	go run -tags purego . -random "${WORKS:-200}" -seed "$seed" ;;
loop) # times reductions of a file of 400 MB in memory, and a loop in C that reads the file
	go run . -loop 400 ;;
tune) # measures the gain of each assembly loop and each tuning constant with TUNED=100 random works of less than 1 Mi elements, in 40 minutes: worst, median, count below 0.95; CHANGES='without|elem' selects changes
	go run . -n 3 -tune "${TUNED:-100}" -seed "$seed" -rows "${CHANGES:-.}" ;;
cold) # measures reads of files of 800 MB (GB=n) that are not in memory, in processes with TIGHT=256 MiB; COLD=300 draws random works; needs root, Linux, and a disk at TMPDIR
	go run . -tight "${TIGHT:-256}" -cold "${GB:-0}" -random "${COLD:--1}" -seed "$seed" ;;
dask) # times the mean of 1 GiB in Dask, NumPy and npy reduce; needs 1 GiB of disk at TMPDIR
	cd ../.. && NDMAP_DASK=bench go test -count=1 -v -timeout 10m -run TestDask ./examples/npy ;;
insns) # counts arm64 instructions per item in plain Go and with NEON, with qemu; fails if NEON takes more than half
	cd ../.. && go run ./internal/insns ;;
*)
	echo "bench.sh: no $1; see internal/tools/bench.sh" >&2
	exit 2
	;;
esac
