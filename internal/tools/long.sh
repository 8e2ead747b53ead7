#!/bin/sh
# Runs the tests that take too long to run before each change: sh internal/tools/long.sh [TARGET...]
# A TARGET is a target of the Makefile with its variables, in one argument: 'test-s390x PACKAGES=./array'. By default all
# targets below run, the longest first, two at a time, with a new seed or NDMAP_SEED. internal/bench/LONG.md gets the
# commit, the time and the result of each target. A run of some targets, for example after a failure, replaces their rows. The output
# of each target is in a temporary folder, which stays if one fails.
# `long.sh -part NAME` runs one part here, with its output; make long-NAME calls it.
set -eu
cd "$(dirname "$0")/../.."

all() {
	cat <<'LIST'
test-more
test-s390x PACKAGES=./... NDMAP_SLOW=1
test-arm64 PACKAGES=./... NDMAP_SLOW=1
test-race PACKAGES=./...
test-riscv64 NDMAP_SLOW=1
test-ppc64le NDMAP_SLOW=1
test-386 PACKAGES=./... NDMAP_SLOW=1
long-hostile
test-view VIEWED=10
long-builds
long-opens OPENS=100000
test-windows PACKAGES=./... NDMAP_SLOW=1
long-fuzz-numpy
long-cycles
long-attack ATTACK=10
fuzz FUZZTIME=20s
test-checkptr PACKAGES=./...
long-writers
test-purego PACKAGES='./internal/kernel ./internal/elem ./internal/strided ./array'
test-wasm PACKAGES=./array
check
long-follow
long-kill
long-powerloss
long-torn
LIST
}

# tests runs the tests whose names match, in some packages.
tests() {
	go test -v -count="${TIMES:-1}" -timeout 120m -run "$@"
}

part() {
	export NDMAP_NUMPY=require NDMAP_SEED="${NDMAP_SEED:-random}" # the tests print the seed
	case $1 in
	attack) # another user attacks calls that replace a file, and the folder of the viewer, for ATTACK=60 seconds in each way; needs root
		export NDMAP_ATTACK="${ATTACK:-60}"
		tests TestAttack ./array
		cd examples/view && tests TestExchanged ./internal/source
		;;
	builds) # compile for all platforms, and vet for platforms with source files of their own
		sh internal/tools/check.sh compile ;;
	cycles) # the long form of tests: truncate, open and close files, and work in bounded memory
		set -- ./dtype ./mmap ./array ./array/npz
		NDMAP_LONG=1 tests "$(go run ./internal/oracle/where -long "$@")" "$@" ;;
	follow) # Python appends FOLLOW=100000 rows and Go follows, and vice versa; prints the delays
		NDMAP_FOLLOW="${FOLLOW:-100000}" tests Follow ./examples/follow ;;
	fuzz-numpy) # ARRAYS=20000 random arrays and HEADERS=200000 damaged headers, judged by NumPy
		NDMAP_FUZZ_ARRAYS="${ARRAYS:-20000}" NDMAP_FUZZ_HEADERS="${HEADERS:-200000}" tests FuzzNumPy ./internal/npy ./array ;;
	hostile) # all examples and programs of documents while files are truncated and replaced, disks fill up, and signals arrive, HOSTILE=10 times as often; from 10 on with all shapes, dtypes and values
		NDMAP_HOSTILE="${HOSTILE:-10}" tests TestHostile ./examples ;;
	kill) # kill a process that appends to files, or edits archives, KILLS=500 times
		export NDMAP_KILLS="${KILLS:-500}"
		tests TestKill ./array ./array/safetensors
		TMPDIR="${DISK:-/var/tmp}" tests TestKill ./array/npz
		;;
	opens) # OPENS=1000000 opens of files that another process appends to, in memory and on a disk
		NDMAP_OPENS="${OPENS:-1000000}" tests TestOpenWhileAppending ./array ;;
	powerloss) # power failures, with CASES=10 times as many states if there are too many to try all
		NDMAP_CASES="${CASES:-10}" tests TestPowerLoss ./array ./array/npz ;;
	torn) # ANSWERS=100000 requests of examples/reload while its file is truncated, extended and replaced
		NDMAP_ANSWERS="${ANSWERS:-100000}" tests TestTorn ./examples/reload ;;
	writers) # WRITERS=8 processes append ROWS=500 rows each to one file while others read it, and one is killed; TIMES=10
		NDMAP_WRITERS="${WRITERS:-8}" NDMAP_ROWS="${ROWS:-500}" TIMES="${TIMES:-10}" tests TestManyWriters ./array ;;
	*)
		echo "long.sh: no part $1; see internal/tools/long.sh" >&2
		exit 2
		;;
	esac
}

if [ "${1-}" = -part ]; then
	part "$2"
	exit
fi

if [ "${1-}" = -one ]; then # a target with its variables, in one argument
	log=$LOGS/${2%% *}
	start=$(date +%s) begun=$(date -u '+%Y-%m-%d %H:%M')
	if eval "make $2" >"$log" 2>&1; then result=passed; else result="**failed**"; fi
	seconds=$(($(date +%s) - start))
	echo "| \`make $2\` | $COMMIT | $begun | $NDMAP_SEED | $seconds | $result |" >>"$LOGS/rows"
	echo "$result: make $2, $seconds s"
	exit
fi

LOGS=$(mktemp -d)
NDMAP_SEED=${NDMAP_SEED:-random}
[ "$NDMAP_SEED" != random ] || NDMAP_SEED=$(($(od -An -N4 -tu4 /dev/urandom) / 2))
NDMAP_NUMPY=require
TIMEOUT=120m
COMMIT=$(git rev-parse --short HEAD)
[ -z "$(git status --porcelain -- . ':!internal/bench/LONG.md')" ] || COMMIT="$COMMIT, and changes that were not committed"
export LOGS NDMAP_SEED NDMAP_NUMPY TIMEOUT COMMIT
start=$(date +%s) begun=$(date -u '+%Y-%m-%d %H:%M')
echo "seed $NDMAP_SEED; the output of each target is in $LOGS"
file=internal/bench/LONG.md
whole=$(grep '^The last whole run' $file 2>/dev/null || :)

if [ $# -gt 0 ]; then printf '%s\n' "$@"; else all; fi | tr '\n' '\0' | xargs -0 -P 2 -n 1 sh internal/tools/long.sh -one
seconds=$(($(date +%s) - start))
if [ $# = 0 ]; then
	whole="The last whole run: $COMMIT, $begun UTC, $seconds s."
	rm -f $file
fi
{
	cat <<-TEXT
		# Last run of make long

		\`make long\` writes this file. Targets run two at a time, here on $(nproc) processors ($(uname -sm)), so their seconds add up to
		more than the total time. To repeat one target after a fix: \`sh internal/tools/long.sh 'TARGET'\`. Dates are UTC.
		$whole

		| target | commit | begun | NDMAP_SEED | seconds | |
		|---|---|---|---|---|---|
	TEXT
	{ cat "$LOGS/rows" && grep -s '^| `make' $file; } | awk -F'|' '!seen[$2]++' | sort
} >"$LOGS/file"
cp "$LOGS/file" $file
if grep -q failed "$LOGS/rows"; then
	grep failed "$LOGS/rows"
	exit 1
fi
rm -rf "$LOGS"
echo "long: all passed in $seconds s"
