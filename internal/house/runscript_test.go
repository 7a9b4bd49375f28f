package house

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// script is a checkout in which run.sh stands, with a program of one line, and a toolchain that
// notes when it is asked.
type script struct {
	t      *testing.T
	folder string
	asked  string // a file that is there when the toolchain was asked
}

func newScript(t *testing.T) *script {
	t.Helper()
	s := &script{t: t, folder: t.TempDir(), asked: filepath.Join(t.TempDir(), "asked")}
	text, err := os.ReadFile("../../run.sh")
	if err != nil {
		t.Fatal(err)
	}
	s.write("run.sh", string(text))
	s.write("go.mod", "module lostreply\n\ngo 1.26\n")
	s.write("go.sum", "")
	s.write("fakes/doc.go", "// Package fakes is empty.\npackage fakes\n")
	s.write("harness/word.go", "package harness\n\nconst Word = \"one\"\n")
	s.write("cmd/lostreply/main.go", "package main\n\nimport \"lostreply/harness\"\n\n"+
		"func main() { println(harness.Word) }\n")
	toolchain, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	shim := filepath.Join(t.TempDir(), "go")
	noting := fmt.Sprintf("#!/bin/sh\necho x >>%s\nexec %s \"$@\"\n", s.asked, toolchain)
	if err := os.WriteFile(shim, []byte(noting), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(shim)+":"+os.Getenv("PATH"))
	t.Setenv("LOSTREPLY_BIN", "")
	return s
}

func (s *script) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.folder, name)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o644)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// expect runs the script, and checks what the program says and whether the toolchain was asked.
func (s *script) expect(when, said string, asked bool) {
	s.t.Helper()
	_ = os.Remove(s.asked)
	out, err := exec.Command("bash", filepath.Join(s.folder, "run.sh")).CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || lines[len(lines)-1] != said {
		s.t.Errorf("%s: it says %q (%v), want %q at the end", when, out, err, said)
	}
	if _, err := os.Stat(s.asked); (err == nil) != asked {
		s.t.Errorf("%s: toolchain asked: %t, want %t", when, err == nil, asked)
	}
}

func TestRunScriptBuildsWhenASourceHasChangedAndOnlyThen(t *testing.T) {
	s := newScript(t)
	s.expect("at first", "one", true)
	s.expect("nothing changed", "one", false)

	s.write("harness/word.go", "package harness\n\nconst Word = \"two\"\n")
	long := time.Unix(1e9, 0)
	if err := os.Chtimes(filepath.Join(s.folder, "harness/word.go"), long, long); err != nil {
		t.Fatal(err)
	}
	s.expect("an older file was unpacked over the source", "two", true)
	s.expect("nothing changed since", "two", false)

	s.write("harness/extra.go", "package harness\n\nfunc init() { println(\"more\") }\n")
	s.expect("a file was added", "two", true)
	if err := os.Remove(filepath.Join(s.folder, "harness/extra.go")); err != nil {
		t.Fatal(err)
	}
	s.expect("a file was removed", "two", true)

	s.write("cmd/lostreply/main.go", "package main\n\nfunc main() { broken }\n")
	_ = exec.Command("bash", filepath.Join(s.folder, "run.sh")).Run()
	s.write("cmd/lostreply/main.go", "package main\n\nfunc main() { println(\"three\") }\n")
	s.expect("after a build that failed", "three", true)

	t.Setenv("GOFLAGS", "-trimpath")
	s.expect("built in another way", "three", true)
	s.expect("in that way again", "three", false)
	if err := os.Remove(filepath.Join(s.folder, "bin/lostreply")); err != nil {
		t.Fatal(err)
	}
	s.expect("the binary is gone", "three", true)
}

// What run.sh looks at must be all that the command is made of.
func TestRunScriptLooksAtEverySource(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "../../cmd/lostreply").Output()
	if err != nil {
		t.Fatal(err)
	}
	looked := []string{"cmd", "fakes", "harness"}
	for name := range strings.FieldsSeq(string(out)) {
		below, own := strings.CutPrefix(name, module+"/")
		top, _, _ := strings.Cut(below, "/")
		if own && !slices.Contains(looked, top) {
			t.Errorf("run.sh does not look at %s: name its folder in `sources`, and here", name)
		}
	}
	text, err := os.ReadFile("../../run.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range looked {
		if !strings.Contains(string(text), "\"$here/"+folder+"\"") {
			t.Errorf("run.sh does not name %s in `sources`", folder)
		}
	}
}
