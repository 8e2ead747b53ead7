package main

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
)

var versionCommand = command{
	name: "version", args: "", max: 0,
	description: `Version prints the version of npy and how it was built.`,
	examples:    `npy version`,
	flags: func(*flag.FlagSet) runner {
		return func(e *env, _ []string) error {
			info, ok := debug.ReadBuildInfo()
			if !ok {
				info = &debug.BuildInfo{GoVersion: runtime.Version()}
			}
			fmt.Fprintln(e.out, versionText(info)) // a write error is returned by Flush
			return nil
		}
	},
}

// versionText describes a build in one line, by the module version or the commit.
func versionText(info *debug.BuildInfo) string {
	settings := map[string]string{"GOOS": runtime.GOOS, "GOARCH": runtime.GOARCH}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	s := "npy"
	if v := info.Main.Version; v != "" && v != "(devel)" {
		s += " " + v
	} else {
		s += " of an unknown version"
	}
	if commit := settings["vcs.revision"]; commit != "" {
		s += fmt.Sprintf(", commit %.12s", commit)
		if at := settings["vcs.time"]; at != "" {
			s += " of " + at
		}
		if settings["vcs.modified"] == "true" {
			s += " with changes"
		}
	}
	return fmt.Sprintf("%s, built with %s for %s/%s", s, info.GoVersion, settings["GOOS"], settings["GOARCH"])
}
