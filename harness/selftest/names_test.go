package selftest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lostreply/harness/clock"
)

// TestSystemsByName selects the scenarios of a system by name: where there is no such path, and
// where the folder of that name holds something else, its source. Those of a system below are not
// its own.
func TestSystemsByName(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, from := range map[string]string{
		"scenarios/first/": "servers", "scenarios/first/deep/": "selection",
	} {
		if err := os.CopyFS(filepath.Join(root, name), os.DirFS("testdata/"+from)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(root, "scenarios", "database"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "scenarios/database/schema.sql"), "create table letter (id int)")
	list := func(arguments ...string) outcome {
		ctx, cancel := clock.WithDeadline(t.Context(), patience)
		defer cancel()
		cmd := command(ctx, append([]string{"list"}, arguments...)...)
		cmd.Dir = root
		return finish(t, cmd, cmd.Run)
	}
	byName := list("servers").expectStatus(t, 0).stdout
	if !strings.Contains(byName, "crash-and-restart") || strings.Contains(byName, "selection ") {
		t.Errorf("the system by its name:\n%s", byName)
	}
	if err := os.Mkdir(filepath.Join(root, "servers"), 0o777); err != nil {
		t.Fatal(err)
	}
	if beside := list("servers").expectStatus(t, 0).stdout; beside != byName {
		t.Errorf("beside a folder of that name:\n%s", beside)
	}
	unknown := list("serves").expectStatus(t, 2).stderr
	if !strings.Contains(unknown, `unknown system "serves": did you mean "servers"?`) {
		t.Errorf("a name that no system has:\n%s", unknown)
	}
	if path := list("./serves").expectStatus(t, 2).stderr; !strings.Contains(path, "no such file") {
		t.Errorf("a path that is none:\n%s", path)
	}
}
