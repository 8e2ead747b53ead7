#!/bin/sh
# Runs a Windows program for go test -exec. What it prints goes by a file: the first program starts some of Wine's own,
# which would keep a pipe open for as long as they run. The file is where test.sh removes what is left when this is killed.
out=$(mktemp "$WINEPREFIX/out.XXXXXX") || exit 1
trap 'rm -f "$out"' EXIT
trap 'exit 1' HUP INT TERM QUIT
"$WINE" "$@" >"$out" 2>&1 </dev/null
status=$?
cat "$out"
exit $status
