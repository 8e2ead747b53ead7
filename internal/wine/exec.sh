#!/bin/sh
# Runs a Windows program for go test -exec. Its output goes through a file: the first program also starts programs of
# Wine, which would keep a pipe open as long as they run. The file is in a folder that test.sh removes, even if this
# script is killed.
out=$(mktemp "$WINEPREFIX/out.XXXXXX") || exit 1
trap 'rm -f "$out"' EXIT
trap 'exit 1' HUP INT TERM QUIT
"$WINE" "$@" >"$out" 2>&1 </dev/null
status=$?
cat "$out"
exit $status
