#!/bin/sh
# Runs a Windows program for go test -exec. Its output goes to a file first: the first program starts processes of Wine,
# which would keep a pipe open as long as they run. If this script is killed, test.sh removes the file with WINEPREFIX.
out=$(mktemp "$WINEPREFIX/out.XXXXXX") || exit 1
trap 'rm -f "$out"' EXIT
trap 'exit 1' HUP INT TERM QUIT
"$WINE" "$@" >"$out" 2>&1 </dev/null
status=$?
cat "$out"
exit $status
