package variant_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lostreply/harness/variant"
)

const finishByID = `defect: finish-by-id
system: post
title: the finish names only the parcel
edit:
  package: ./delivery
  function: (*Store).finish
  code: {old: "if held {", new: ""}
fails:
  - {scenario: P2, check: parcel state}
`

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestLoadDefects(t *testing.T) {
	second := strings.Replace(finishByID, "finish-by-id", "another", 1)
	path := folder(t, map[string]string{
		"finish-by-id.yaml": finishByID, "another.yaml": second, "README.md": "not a defect",
	})
	defects, err := variant.LoadDefects(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(defects) != 2 || defects[0].Name.Value != "another" {
		t.Fatalf("loaded %v, want another and finish-by-id", defects)
	}
	one, err := variant.LoadDefect(path, "finish-by-id")
	if err != nil {
		t.Fatal(err)
	}
	if got := one.Edit.Function.Value + one.Edit.Code.New.Value; got != "(*Store).finish" {
		t.Errorf("function and new code are %q", got)
	}
	if one.Fails[0].Check.At.Line != 9 {
		t.Errorf("the check's position is %s, want line 9", one.Fails[0].Check.At)
	}
	_, err = variant.LoadDefect(path, "finish-by-ip")
	if err == nil || !strings.Contains(err.Error(), "did you mean finish-by-id?") {
		t.Errorf("error %v names no nearest defect", err)
	}
}

func TestLoadDefectsReportsEveryMistake(t *testing.T) {
	change := func(old, new string) string { return strings.Replace(finishByID, old, new, 1) }
	path := folder(t, map[string]string{
		"finish-by-id.yaml": finishByID,
		"finish-by-id.yml":  finishByID,
		"misnamed.yaml":     change("finish-by-id", "other"),
		"nothing.yaml": "defect: nothing\nsystem: post\ntitle: x\n" +
			"fails: [{scenario: A, check: b}]\n",
		"both.yaml": change("finish-by-id", "both") +
			"edits: [{package: ./x, function: f, code: {old: a, new: b}}]\n",
		"kinds.yaml": strings.Replace(change("by-id", "x"), "  code:", "  cod:", 1),
		"harmless.yaml": strings.Replace(change("finish-by-id", "harmless"),
			"fails:\n  - {scenario: P2, check: parcel state}", "fails: []", 1),
		"broken.yaml": "defect: [",
	})
	defects, err := variant.LoadDefects(path)
	if err == nil || defects != nil {
		t.Fatalf("%d defects, error %v; want problems alone", len(defects), err)
	}
	for _, want := range []string{
		"finish-by-id.yml:1:9: a second defect is called finish-by-id: the first is at ",
		"misnamed.yaml:1:9: the defect is called other and its file misnamed.yaml: give both one name",
		"nothing.yaml:1:1: ", "both.yaml:", "kinds.yaml:7:3: ", "code", "harmless.yaml:8:8: ",
		"broken.yaml:1:1: not YAML",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in\n%v", want, err)
		}
	}
}

func TestLoadDefectsOfEmptyFolder(t *testing.T) {
	path := folder(t, nil)
	if _, err := variant.LoadDefects(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one that names the folder", err)
	}
	if _, err := variant.LoadDefects(filepath.Join(path, "no")); err == nil {
		t.Error("no error for a folder that is not there")
	}
}
