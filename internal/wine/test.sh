#!/bin/sh
# Runs the tests of the given packages as Windows programs under Wine, in a
# temporary Wine prefix: sh internal/wine/test.sh [FLAG...] ./...
set -eu
here=$(cd "$(dirname "$0")" && pwd)

# Debian's wine64 without its recommended packages has no program in PATH.
wine=$(command -v wine64 || command -v wine || echo /usr/lib/wine/wine64)
server=$(command -v wineserver || echo /usr/lib/wine/wineserver)
cc=x86_64-w64-mingw32-gcc
missing=
[ -x "$wine" ] || missing="$missing wine64"
command -v $cc >/dev/null || missing="$missing gcc-mingw-w64-x86-64-win32"
if [ -n "$missing" ]; then
	echo "test-windows: apt-get install --no-install-recommends$missing" >&2
	exit 1
fi

tmp=$(mktemp -d)
WINEPREFIX=$tmp/wine
export WINEPREFIX WINEDEBUG=-all WINE="$wine"
unset DISPLAY
quit() {
	"$wine" wineboot --kill >/dev/null 2>&1 || :
	"$server" -w || : # waits until it has written its files
	rm -rf "$tmp"
}
trap quit EXIT
trap 'exit 1' HUP INT TERM

echo "$("$wine" --version), Go programs for windows/amd64"
"$wine" wineboot --init >/dev/null 2>&1
$cc -O2 -Wall -Werror -shared -s -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" "$here/shim/bcryptprimitives.c" -ladvapi32

# os.RemoveAll, which every test with a temporary folder calls at its end, uses
# calls that this Wine lacks. It has a fallback for old systems, but does not
# recognize Wine's answer, STATUS_NOT_IMPLEMENTED.
at=$(go env GOROOT)/src/internal/syscall/windows/at_windows.go
sed 's/case STATUS_INVALID_INFO_CLASS,/case NTStatus(0xC0000002), STATUS_INVALID_INFO_CLASS,/' "$at" >"$tmp/at_windows.go"
printf '{"Replace": {"%s": "%s"}}\n' "$at" "$tmp/at_windows.go" >"$tmp/overlay.json"

# Under Wine there is no Python and no go command.
NDMAP_WINE=1 NDMAP_NUMPY='' GOOS=windows GOARCH=amd64 CGO_ENABLED=0 \
	go test -count=1 -vet=off -short -overlay "$tmp/overlay.json" -exec "sh '$here/exec.sh'" "$@"
