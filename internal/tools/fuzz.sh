#!/bin/sh
# Runs every fuzz target for the given time each, of the whole module or of some packages of it:
# sh internal/tools/fuzz.sh 10s [./PACKAGE...]
# If a target fails, the script prints the failing input and how to replay it, and stops. The input goes to a temporary
# folder; with NDMAP_KEEP=1 it stays in testdata/fuzz, where Go writes it, as a permanent case of the target.
set -eu
time=$1
shift
[ $# -gt 0 ] || set -- ./...
log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 1' HUP INT TERM
for pkg in $(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' "$@"); do
	dir=$(go list -f '{{.Dir}}' "$pkg")
	for target in $(cd "$dir" && cat ./*_test.go | sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p'); do
		echo "$target in $pkg for $time"
		if ! go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$pkg" >"$log" 2>&1; then
			cat "$log"
			input=$(sed -n 's/.*Failing input written to //p' "$log" | head -1)
			if [ -n "$input" ]; then
				printf '\nthe failing input, %s:\n' "$input"
				cat "$dir/$input"
				printf '\nto replay it:\n'
				if [ -z "${NDMAP_KEEP-}" ]; then
					kept=$(mktemp -d)
					mv "$dir/$input" "$kept"
					rmdir -p "$dir/$(dirname "$input")" 2>/dev/null || : # the folders that Go made
					echo "mkdir -p $dir/$(dirname "$input") && cp $kept/$(basename "$input") $dir/$(dirname "$input")"
				fi
				echo "go test -run=$target/$(basename "$input") $pkg"
				exit 1
			fi
			# Without a failing input, the failure is Go's own: the time ended in the middle of
			# an operation, https://go.dev/issue/75804.
			grep -q 'context deadline exceeded' "$log" || exit 1
		fi
		grep elapsed "$log" | tail -1
	done
done
