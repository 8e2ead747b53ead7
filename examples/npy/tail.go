package main

import "flag"

var tailCommand = command{
	name: "tail", args: "[-n N] [-select S] [-field F] [-as D] [-json | -csv] FILE", min: 1, max: 1,
	description: `Tail prints the last elements along the first axis, as npy print does, and records
as a table. With -json or -csv, it prints them as npy print -json and -csv do. Of a
mapped file or a URL it reads only the elements that it prints, however long the file
is.`,
	examples: `npy tail trades.npy
npy tail -n 1 -json data.npz:temperature
npy tail -n 3 - < trades.npy`,
	flags: func(set *flag.FlagSet) runner {
		return rowsRunner(set, "last", func(n, length int) (lo, hi int) { return length - min(n, length), length })
	},
}
