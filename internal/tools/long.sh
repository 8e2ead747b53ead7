#!/bin/sh
# Runs what takes too long to run before each change: sh internal/tools/long.sh [TARGET...]
# Those are targets of the Makefile, by default all that are listed below, the longest first, two at a time, with one
# new seed or that of NDMAP_SEED. A run of all writes internal/bench/LONG.md: what was run when, on which commit, and
# how it ended. What a target prints is in a temporary folder, which stays if one fails.
set -eu
cd "$(dirname "$0")/../.."

all() {
	cat <<'LIST'
test-more
test-race RACE=./... RACESKIP=nothing
cross-riscv64
cross-ppc64le
cross-s390x
cross-arm64
cross-386
hostile
test-view VIEWED=10
builds
test-windows
opens OPENS=200000
attack ATTACK=20
fuzz FUZZTIME=30s
fuzz-numpy
cycles
test-checkptr ADDRESSES=./...
test-purego
cross-wasm READERS=./array
check
writers
follow
kill
powerloss
torn
LIST
}

if [ "${1-}" = -one ]; then # a target with its variables, in one argument
	log=$LOGS/${2%% *}
	start=$(date +%s)
	# shellcheck disable=SC2086
	if make $2 >"$log" 2>&1; then result=passed; else result="**failed**"; fi
	printf '| `make %s` | %d | %s |\n' "$2" $(($(date +%s) - start)) "$result" >>"$LOGS/rows"
	echo "$result: make $2, $(($(date +%s) - start)) s"
	exit
fi

LOGS=$(mktemp -d)
NDMAP_SEED=${NDMAP_SEED:-random}
[ "$NDMAP_SEED" != random ] || NDMAP_SEED=$(($(od -An -N4 -tu4 /dev/urandom) / 2))
NDMAP_NUMPY=require
export LOGS NDMAP_SEED NDMAP_NUMPY
commit=$(git rev-parse --short HEAD)
[ -z "$(git status --porcelain)" ] || commit="$commit, and changes that were not committed"
date=$(date -u '+%Y-%m-%d %H:%M')
start=$(date +%s)
echo "seed $NDMAP_SEED; what each prints is in $LOGS"
if [ $# -gt 0 ]; then printf '%s\n' "$@"; else all; fi | tr '\n' '\0' | xargs -0 -P 2 -n 1 sh internal/tools/long.sh -one
seconds=$(($(date +%s) - start))
if [ $# = 0 ]; then
	{
		echo "# The last run of make long"
		echo
		echo "Commit $commit; $date UTC; $seconds s on $(nproc) processors ($(uname -sm)); NDMAP_SEED=$NDMAP_SEED. \`make long\`"
		echo "writes this file. Targets run two at a time, so their seconds add up to more."
		echo
		echo "| target | seconds | |"
		echo "|---|---|---|"
		sort "$LOGS/rows"
	} >internal/bench/LONG.md
fi
if grep -q failed "$LOGS/rows"; then
	grep failed "$LOGS/rows"
	exit 1
fi
rm -rf "$LOGS"
echo "long: all passed in $seconds s"
