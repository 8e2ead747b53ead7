package readme

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestNamed tests that every test named in SECURITY.md and CONTRIBUTING.md exists.
func TestNamed(t *testing.T) {
	for _, name := range []string{"array/SECURITY.md", "CONTRIBUTING.md"} {
		checkNamedTests(t, name)
	}
}

// checkNamedTests fails the test if document names no tests, or a test that does not exist. Lists of tests have the
// form
//
//	`array` TestOne, TestTwo
func checkNamedTests(t *testing.T, document string) {
	lists := regexp.MustCompile("`([a-z/]+)`((?:,?\\s+(?:Test|Fuzz)[A-Z]\\w+)+)").FindAllStringSubmatch(read(t, document),
		-1)
	if len(lists) == 0 {
		t.Fatalf("%s names no tests", document)
	}
	for _, list := range lists {
		files, err := filepath.Glob("../../" + list[1] + "/*_test.go")
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
		for _, name := range regexp.MustCompile(`\w+`).FindAllString(list[2], -1) {
			if !regexp.MustCompile("\nfunc " + name + `\(`).Match(code) {
				t.Errorf("%s names %s of %s, which does not exist", document, name, list[1])
			}
		}
	}
}
