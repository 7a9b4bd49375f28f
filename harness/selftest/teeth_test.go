package selftest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestACheckWithoutTeethIsTold makes a check of a scenario unable to fail, in a copy: the matrix,
// which passes before, tells it by name and fails.
func TestACheckWithoutTeethIsTold(t *testing.T) {
	t.Parallel()
	folder := teeth(t)
	o := call(t, "variants", folder).expectStatus(t, 0)
	if !strings.Contains(o.stdout, "failed=2 of 3, excused=1, unexplained=0") {
		t.Errorf("the matrix does not account for each check:\n%s", o)
	}
	file := filepath.Join(folder, "heavy.yaml")
	text := strings.NewReplacer(`weight: "31"`, `weight: "-31"`, "other, exit: 4", "other, exit: 5",
		"other, ended: {exit: 4}", "other, ended: {exit: 5}").Replace(readFile(t, file))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o = call(t, "variants", folder).expectStatus(t, 1)
	if !strings.Contains(o.stdout, "UNEXPLAINED teeth/heavy: other heavy parcel: ") {
		t.Errorf("it does not name the check that can't fail any more:\n%s", o)
	}
}

// TestASystemWithoutAListIsNoException takes the list of excuses away: what it spoke for fails the
// run, by name.
func TestASystemWithoutAListIsNoException(t *testing.T) {
	t.Parallel()
	folder := teeth(t)
	if err := os.Remove(filepath.Join(folder, "defects", "unfailed.yaml")); err != nil {
		t.Fatal(err)
	}
	o := call(t, "variants", folder).expectStatus(t, 1)
	if !strings.Contains(o.stdout, "UNEXPLAINED teeth/heavy: least parcel: ") ||
		!strings.Contains(o.stdout, "caught=1 survived=0 trouble=0") {
		t.Errorf("it does not name the check that nothing explains:\n%s", o)
	}
}

// teeth is a copy of the system of that name, with what its program is built from.
func teeth(t *testing.T) (folder string) {
	t.Helper()
	tree := t.TempDir()
	for _, part := range []string{
		"go.mod", "harness/selftest/testdata/programs/parcel", "harness/selftest/testdata/teeth",
	} {
		copyPart(t, filepath.Join("..", "..", part), filepath.Join(tree, part))
	}
	return filepath.Join(tree, "harness/selftest/testdata/teeth")
}

// TestAShippedCheckWithoutTeethIsTold makes one check of a shipped scenario of each system unable
// to fail, in a copy of it with a defect that it is to catch: before, the defect is caught and the
// check needs no explanation; after, it is told by name.
func TestAShippedCheckWithoutTeethIsTold(t *testing.T) {
	t.Parallel()
	for _, each := range []struct{ system, scenario, defect, check, sharp, blunt string }{
		{
			"dispatcher", "B3", "pre-fix-503", "task state",
			"  - check:\n      fact: task\n      row: {state: UNKNOWN, attempt_count: 2,",
			"  - check: {title: task state, fact: task, field: state, matches: '.*'}\n" +
				"  - check:\n      fact: task\n      row: {attempt_count: 2,",
		},
		{
			"outbox", "O3", "mark-before-send", "unsent after the kill",
			"fact: unsent, column: [M1]", "fact: outbox, field: sent, matches: '.*'",
		},
		{
			"relay", "LIMIT-one", "limit-off-by-one", "at the limit",
			"fact: unacked, count: 8", "fact: unacked, matches: '.*'",
		},
	} {
		t.Run(each.system, func(t *testing.T) {
			t.Parallel()
			folder := shipped(t, each.system, each.scenario, each.defect)
			told := "UNEXPLAINED " + each.system + "/" + each.scenario + ": " + each.check + ": "
			o := call(t, "variants", folder)
			if strings.Contains(o.stdout, told) || !strings.Contains(o.stdout, "VARIANTS caught=1 ") {
				t.Errorf("the defect is not caught by %s:\n%s", each.check, o)
			}
			file := filepath.Join(folder, each.scenario+".yaml")
			sharp := readFile(t, file)
			blunt := strings.Replace(sharp, each.sharp, each.blunt, 1)
			if blunt == sharp {
				t.Fatalf("%s has no %q", file, each.sharp)
			}
			write(t, file, blunt)
			o = call(t, "variants", folder).expectStatus(t, 1)
			if !strings.Contains(o.stdout, told) {
				t.Errorf("it does not name the check that can't fail any more:\n%s", o)
			}
		})
	}
}

// shipped is a copy of a system that ships, with one scenario of its own and one defect for that.
func shipped(t *testing.T, system, scenario, defect string) (folder string) {
	t.Helper()
	tree := t.TempDir()
	folder = filepath.Join(tree, "scenarios", system)
	for _, part := range []string{
		"go.mod", "go.sum", system, filepath.Join("scenarios", system),
		filepath.Join("defects", system, defect+".yaml"),
	} {
		copyPart(t, filepath.Join("..", "..", part), filepath.Join(tree, part))
	}
	kept := []string{
		filepath.Join(folder, "system.yaml"), filepath.Join(folder, scenario+".yaml"),
	}
	err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" || slices.Contains(kept, path) {
			return err
		}
		return os.Remove(path)
	})
	if err != nil {
		t.Fatal(err)
	}
	write(t, kept[0], regexp.MustCompile(`(?m)^pre_fix: .*$`).ReplaceAllString(
		readFile(t, kept[0]), ""))
	edits := filepath.Join(tree, "defects", system, defect+".yaml")
	before, fails, _ := strings.Cut(readFile(t, edits), "\nfails:\n")
	text := before + "\nfails:\n"
	for _, line := range strings.Split(fails, "\n") {
		if strings.HasPrefix(line, "  - {scenario: "+scenario+",") {
			text += line + "\n"
		}
	}
	write(t, edits, text)
	return folder
}

func copyPart(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, to, readFile(t, from))
}
