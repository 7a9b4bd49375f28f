package selftest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDiff shows what changed between two evidences: verdicts first, then facts, then events.
func TestDiff(t *testing.T) {
	t.Parallel()
	equal := call(t, "diff", "testdata/evidence/old", "testdata/evidence/old").expectStatus(t, 0)
	if equal.stdout != "" {
		t.Errorf("equal ones differ:\n%s", equal.stdout)
	}
	const told = "equal: 4 files of testdata/evidence/old and testdata/evidence/old\n"
	if equal.stderr != told {
		t.Errorf("it says %q of what was compared, want %q", equal.stderr, told)
	}
	var text strings.Builder
	for _, each := range []struct {
		old, new string
		status   int
	}{
		{"old", "new", 1}, {"old/a.txt", "new/a.txt", 1},
		{"old", "none", 2}, {"old", "new/a.txt", 2}, {"old/a.txt", "old/b.txt", 2},
		{"old", "other-versions", 2},
	} {
		o := call(t, "diff", "testdata/evidence/"+each.old, "testdata/evidence/"+each.new)
		text.WriteString(o.expectStatus(t, each.status).String())
	}
	golden(t, "diff", text.String())
}

// repository is a git repository of a system whose program is a shell script; two commits of it,
// tagged before and after, differ in how it ends.
func repository(t *testing.T) string {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git(t, folder, "init", "--quiet", "--initial-branch", "trunk")
	write(t, filepath.Join(folder, "system.yaml"), `system: ends
programs:
  work: {command: [sh, work.sh], folder: .}
`)
	write(t, filepath.Join(folder, "work.sh"), "exit 1\n")
	commit(t, folder, "before")
	write(t, filepath.Join(folder, "work.sh"), "echo done; exit 0\n")
	commit(t, folder, "after")
	// The scenario is newer than both, and is committed nowhere.
	write(t, filepath.Join(folder, "a.yaml"), `scenario: a
title: it ends well
system: ends
steps:
  - start: {program: work}
  - wait: {worker: work}
expect:
  - check: {worker: work, ended: {exit: 0}}
`)
	return folder
}

func git(t *testing.T, folder string, arguments ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", folder,
		"-c", "user.name=t", "-c", "user.email=t@example.org"}, arguments...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", arguments, err, out)
	}
	return string(out)
}

func commit(t *testing.T, folder, name string) {
	t.Helper()
	git(t, folder, "add", "--all")
	git(t, folder, "commit", "--quiet", "-m", name)
	git(t, folder, "tag", name)
}

// TestDiffOfRevisions builds two revisions, runs one scenario against both and tells what changed.
// The caller's own tree is left as it is.
func TestDiffOfRevisions(t *testing.T) {
	t.Parallel()
	folder := repository(t)
	write(t, filepath.Join(folder, "work.sh"), "echo the caller is at work here\n")
	before := git(t, folder, "status", "--short")
	var text strings.Builder
	for _, each := range []struct {
		status    int
		arguments []string
	}{
		{1, []string{"before", "after"}}, {1, []string{"after", "before"}},
		{0, []string{"before", "before"}}, {2, []string{"befor", "after"}},
		{2, []string{"--", "--all", "after"}},
	} {
		arguments := append([]string{"diff", "--rev"}, each.arguments...)
		o := call(t, append(arguments, folder)...).expectStatus(t, each.status)
		text.WriteString(o.String())
	}
	golden(t, "diff-of-revisions", normal(text.String(), map[string]string{folder: "REPOSITORY"}))
	if after := git(t, folder, "status", "--short"); after != before {
		t.Errorf("the caller's tree was changed:\n%s", after)
	}
	if trees := strings.TrimSpace(git(t, folder, "worktree", "list")); strings.Contains(trees, "\n") {
		t.Errorf("work trees are left:\n%s", trees)
	}
}

// TestDiffOfRevisionsElsewhere asks for revisions where there are none.
func TestDiffOfRevisionsElsewhere(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"system.yaml", "a.yaml", "work.sh"} {
		write(t, filepath.Join(folder, name), readFile(t, filepath.Join(repository(t), name)))
	}
	o := call(t, "diff", "--rev", "HEAD~1", "HEAD", folder).expectStatus(t, 2)
	if !strings.Contains(o.stderr, "no git repository here") {
		t.Errorf("the reason is not told:\n%s", o)
	}
	call(t, "diff", "before", "after", folder).expectStatus(t, 2)
}

// TestEvidenceFromBeforeTheFix keeps the evidence of the bug that a scenario was written for, and
// refuses it when the bug does not show.
func TestEvidenceFromBeforeTheFix(t *testing.T) {
	t.Parallel()
	tree := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module ends\n\ngo 1.26\n",
		"main.go": `// Command ends ends.
package main

import "os"

func main() { os.Exit(status()) }

func status() int { return 0 }
`,
		"system.yaml": `system: ends
programs: {ends: {build: {go: .}, command: [.]}}
pre_fix: {a: badly}
`,
		"a.yaml": `scenario: a
title: it ends well
system: ends
steps:
  - start: {program: ends}
  - wait: {worker: ends}
expect:
  - check: {worker: ends, ended: {exit: 0}}
`,
	} {
		write(t, filepath.Join(tree, name), text)
	}
	evidence := func(status int, arguments ...string) outcome {
		t.Helper()
		return call(t, append([]string{"evidence", tree}, arguments...)...).expectStatus(t, status)
	}
	if err := os.Mkdir(filepath.Join(tree, "defects"), 0o755); err != nil {
		t.Fatal(err)
	}
	defect := func(status, check string) {
		write(t, filepath.Join(tree, "defects", "badly.yaml"), `defect: badly
system: ends
title: it ends badly
edit: {package: ., function: status, code: {old: return 0, new: return `+status+`}}
fails: [{scenario: a, check: `+check+`}]
`)
	}
	defect("3", "ends ended")
	evidence(0, "--write")
	kept := readFile(t, filepath.Join(tree, "evidence", "a.pre-fix.txt"))
	for _, want := range []string{"\nvariant badly\n", "\nVERDICT fail\n"} {
		if !strings.Contains(kept, want) {
			t.Errorf("the evidence from before the fix does not say %q:\n%s", want, kept)
		}
	}
	evidence(0)
	changes := call(t, "diff", filepath.Join(tree, "evidence", "a.pre-fix.txt"),
		filepath.Join(tree, "evidence", "a.txt")).expectStatus(t, 1)
	if !strings.HasPrefix(changes.stdout, "- VERDICT fail\n+ VERDICT pass\n") {
		t.Errorf("the verdict is not first:\n%s", changes.stdout)
	}
	defect("4", "ends ended")
	evidence(1) // another failure than the one that is kept
	defect("0+0", "ends ended")
	evidence(3) // no bug
	defect("3", "another check")
	evidence(3) // a bug that does not show where it is said to
}
