#!/bin/sh
# What ndmap does, shown on files that NumPy wrote. "make demo" builds bin/npy and
# runs this; it takes a few seconds and leaves nothing behind.
set -eu

cd "$(dirname "$0")/.."
npy=$PWD/bin/npy
data=$PWD/internal/oracle/testdata/demo
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
go build -o "$work/" ./examples/sine ./examples/huge ./examples/sum

heading() { printf '\n== %s\n' "$1"; }
show() {
	printf '$'
	for word; do
		case $word in *[!A-Za-z0-9_./,:=+-]*) word="'$word'" ;; esac
		printf ' %s' "$word"
	done
	printf '\n'
	"$@"
}
npy() { "$npy" "$@"; }
sine() { "$work/sine" "$@"; }
huge() { "$work/huge" "$@"; }
sum() { "$work/sum" "$@"; }

cp "$data"/*.npy "$work"
chmod u+w "$work"/*.npy
cd "$work"

heading "What is in a file that NumPy wrote"
show npy info temperature.npy
show npy info -json temperature.npy temperature-fortran.npy signal.npy

heading "Its elements, as NumPy prints them, and as JSON"
show npy print temperature.npy
show npy print -select '::2, -3:' temperature.npy
show npy print -json -select 0 temperature.npy
show npy print signal.npy
show sum temperature.npy

heading "Editing an element in place, in a copy of the file"
show npy set -select '2, 0' temperature.npy -40
show npy print temperature.npy
show npy check temperature.npy

heading "Another byte order and another layout: the same elements"
show npy convert -dtype '>f4' -order F temperature.npy other.npy
show npy info -json other.npy
show npy print -select 2 other.npy

heading "An archive, as numpy.savez makes them: its members are edited in place, too"
show npy pack data.npz temperature.npy other=other.npy
show npy info data.npz
show npy set -select '0, 0' data.npz:temperature 99
show npy print data.npz:temperature
show npy check data.npz

heading "A new Fortran-order, big-endian file with t and sin(t) (examples/sine)"
show sine sine.npy
show npy info sine.npy
show npy print sine.npy
for python in python3 /usr/bin/python3; do
	if "$python" -c 'import numpy' 2>/dev/null; then
		heading "The same file in NumPy"
		show "$python" -c 'import numpy as np; a = np.load("sine.npy", mmap_mode="r"); print(a.dtype.str, a.shape, a.flags.f_contiguous, a[250])'
		break
	fi
done

heading "A sparse file of 4 GiB: writing and summing a part of it (examples/huge)"
show huge huge.npy
show npy info huge.npy
show npy print -select '524288, :4' huge.npy
printf 'disk space that the file takes: %s KiB\n' "$(du -k huge.npy | cut -f 1)"

heading "Done; $work is removed"
