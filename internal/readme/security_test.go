package readme

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Every test that SECURITY.md names in support of what it says is there.
func TestNamed(t *testing.T) {
	text, err := os.ReadFile("../../array/SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	// `array` TestOne, TestTwo
	lists := regexp.MustCompile("`([a-z/]+)`((?:,?\\s+(?:Test|Fuzz)[A-Z]\\w+)+)").FindAllSubmatch(text, -1)
	if len(lists) == 0 {
		t.Fatal("SECURITY.md names no tests")
	}
	for _, list := range lists {
		files, err := filepath.Glob("../../" + string(list[1]) + "/*_test.go")
		if err != nil {
			t.Fatal(err)
		}
		var code []byte
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			code = append(code, b...)
		}
		for _, name := range regexp.MustCompile(`\w+`).FindAll(list[2], -1) {
			if !regexp.MustCompile("\nfunc " + string(name) + `\(`).Match(code) {
				t.Errorf("SECURITY.md names %s of %s, which is not there", name, list[1])
			}
		}
	}
}
