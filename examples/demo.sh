#!/bin/sh
# Shows what ndmap does, on files written by NumPy, and lets NumPy check the results. "make demo" builds bin/npy
# and runs this script. Once bin/npy is built, it takes a few seconds. It leaves no files. Without NumPy the
# results are shown but not checked.
set -eu

cd "$(dirname "$0")/.."
repository=$PWD
follower=
work=$(mktemp -d)
trap '[ -z "$follower" ] || kill "$follower" 2>/dev/null || :; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

go build -o "$work/bin/" ./examples/sine ./examples/huge ./examples/records ./examples/follow ./internal/oracle/where
python=$("$work/bin/where" -path 2>"$work/why") || {
	printf 'NumPy is not available, so results are shown but not checked:\n'
	cat "$work/why"
	[ "${NDMAP_NUMPY-}" != require ] || exit 1
	python=
}

mkdir "$work/demo"
cp internal/oracle/testdata/demo/temperature.npy internal/oracle/testdata/demo/trades.npy examples/follow/follow.py "$work/demo"
cd "$work/demo"
chmod u+w ./*

npy() { "$repository/bin/npy" "$@"; }
sine() { "$work/bin/sine" "$@"; }
huge() { "$work/bin/huge" "$@"; }
records() { "$work/bin/records" "$@"; }
follow() { "$work/bin/follow" "$@"; }
python3() { "$python" "$@"; }

heading() { printf '\n== %s\n' "$1"; }

# show prints a command line and its output. A check refers to the output as "shown".
show() {
	printf '$ %s\n' "$1"
	eval "$1" >"$work/shown" || { cat "$work/shown"; exit 1; }
	cat "$work/shown"
}

# check prints what NumPy confirms. It ends the demo unless the expression $2 is true in NumPy.
checks=0
check() {
	[ -n "$python" ] || return 0
	"$python" -c '
import sys
import numpy as np
shown = open(sys.argv[2]).read().rstrip("\n")
if not eval(sys.argv[1]):
    sys.exit("demo: in NumPy " + np.__version__ + " this is not true: " + sys.argv[1])
' "$2" "$work/shown"
	printf '  NumPy %s\n' "$1"
	checks=$((checks + 1))
}

heading 'Show a file written by NumPy'
show 'npy info temperature.npy'
show 'npy print temperature.npy'
check 'prints the same' \
	'shown == str(np.load("temperature.npy"))'

heading 'Edit it in place'
show "npy set -select '2, 0' temperature.npy -40"
show "npy print -select '1:3' temperature.npy"
check 'finds -40 there' \
	'np.load("temperature.npy")[2, 0] == -40'

heading 'Another byte order, precision and layout'
show "npy convert -dtype '>f4' -order F temperature.npy other.npy"
show "npy info other.npy | grep -E 'dtype|order'"
check 'finds the same elements, as big-endian float32 in Fortran order' \
	'(lambda a: a.dtype.str == ">f4" and a.flags.f_contiguous and np.array_equal(a, np.load("temperature.npy")))(np.load("other.npy"))'

heading 'Edit an archive in place'
if [ -n "$python" ]; then
	show "python3 -c 'import numpy as np; np.savez(\"data.npz\", t=np.load(\"temperature.npy\"), n=np.arange(5))'"
else
	show 'npy pack data.npz t=temperature.npy n=other.npy'
fi
show 'npy info data.npz'
show "npy set -select '0, :3' data.npz:t 99"
show 'npy print -select 0 data.npz:t'
check 'reads the changed archive, whose checksum fits' \
	'(np.load("data.npz")["t"][0, :3] == 99).all()'

heading 'Packed records: keep trades at 100 or more, sorted by time (examples/records)'
show 'npy info trades.npy | grep "^  field"'
show 'npy print -select :2 trades.npy'
show 'records 100 trades.npy kept.npy'
show 'npy print -field price kept.npy'
check 'selects and sorts the same records' \
	'(lambda t: np.array_equal(np.load("kept.npy"), np.sort(t[t["price"] >= 100], order="time")))(np.load("trades.npy"))'

heading 'Reduce'
show 'npy reduce -op mean -axis 0 temperature.npy mean.npy'
show 'npy print mean.npy'
check 'has the same means' \
	'np.allclose(np.load("mean.npy"), np.load("temperature.npy").mean(axis=0), rtol=1e-14, atol=0)'

heading 'Append'
show 'npy append temperature.npy mean.npy'
show "npy print -select '-2:' temperature.npy"
check 'finds the means in a fifth row' \
	'np.load("temperature.npy").shape == (5, 6) and np.array_equal(np.load("temperature.npy")[4], np.load("mean.npy"))'

heading 'Follow rows that another process appends (examples/follow)'
printf '0.52 0.48 0.4\n0.61 0.5 0.41\n' >lines.txt
show "npy new -dtype '<f8' -shape 0,3 load.npy"
printf '$ follow load.npy &\n'
"$work/bin/follow" load.npy >"$work/followed" & # not the function follow, which would add a shell process
follower=$!
if [ -n "$python" ]; then
	show 'python3 follow.py -append load.npy < lines.txt'
else
	show 'follow -append load.npy < lines.txt'
fi
tries=0
while [ "$(wc -l <"$work/followed")" -lt 2 ]; do
	tries=$((tries + 1))
	[ $tries -lt 200 ] || { echo 'demo: follow did not print two rows within 20 seconds' >&2; exit 1; }
	sleep 0.1
done
kill $follower
wait $follower 2>/dev/null || :
follower=
cp "$work/followed" "$work/shown"
cat "$work/shown"
check 'prints the same rows' \
	'shown == "\n".join(str(row) for row in np.load("load.npy"))'

heading 'A new file in Fortran order, big-endian: t and sin(t) (examples/sine)'
show 'sine sine.npy'
show 'npy print -select ::250 sine.npy'
check 'has the same sines, big-endian and in Fortran order' \
	'(lambda a: a.dtype.str == ">f8" and a.flags.f_contiguous and np.allclose(a[:, 1], np.sin(a[:, 0]), rtol=0, atol=1e-15))(np.load("sine.npy"))'

heading 'A sparse file of 4 GiB: write and sum a part of it (examples/huge)'
show 'huge huge.npy'
show 'du -h huge.npy'
show 'npy reduce -op sum -select 524200:525300 huge.npy sum.npy'
show 'npy print sum.npy'
check 'has the same sum' \
	'np.load("huge.npy", mmap_mode="r")[524200:525300].sum() == np.load("sum.npy")'

if [ -n "$python" ]; then
	printf '\n== Done: NumPy confirms all %d results. %s is removed.\n' "$checks" "$work"
else
	printf '\n== Done. Nothing was checked, because NumPy is not available. %s is removed.\n' "$work"
fi
