#!/bin/sh
# Runs what takes too long to run before each change: sh internal/tools/long.sh [TARGET...]
# Those are targets of the Makefile, by default all that are listed below, the longest first, two at a time, with one
# new seed or that of NDMAP_SEED. internal/bench/LONG.md gets what was run when, on which commit, and how it ended: a run
# of some targets, as after one that failed, replaces their rows. What a target prints is in a temporary folder, which
# stays if one fails.
set -eu
cd "$(dirname "$0")/../.."

all() {
	cat <<'LIST'
test-more
cross-s390x
cross-arm64
test-race RACE=./...
cross-riscv64
cross-ppc64le
cross-386
hostile
test-view VIEWED=10
builds
opens OPENS=100000
test-windows
fuzz-numpy
cycles
attack ATTACK=10
fuzz FUZZTIME=20s
test-checkptr ADDRESSES=./...
writers
test-purego
cross-wasm READERS=./array
check
follow
kill
powerloss
torn
LIST
}

if [ "${1-}" = -one ]; then # a target with its variables, in one argument
	log=$LOGS/${2%% *}
	start=$(date +%s) begun=$(date -u '+%Y-%m-%d %H:%M')
	# shellcheck disable=SC2086
	if make $2 >"$log" 2>&1; then result=passed; else result="**failed**"; fi
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
echo "seed $NDMAP_SEED; what each prints is in $LOGS"
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
		# What make long ran last

		\`make long\` writes this file. Targets run two at a time, here on $(nproc) processors ($(uname -sm)), so their seconds add up to
		more. What failed and was mended runs again alone: \`sh internal/tools/long.sh 'TARGET'\`. Dates are UTC.
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
