#!/bin/sh
# Runs a Windows program for go test -exec. What it prints goes by a file: the first program starts some of Wine's own,
# which would keep a pipe open for as long as they run.
out=$(mktemp)
"$WINE" "$@" >"$out" 2>&1 </dev/null
status=$?
cat "$out"
rm "$out"
exit $status
