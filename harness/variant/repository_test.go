package variant_test

import (
	"os"
	"path/filepath"
	"testing"

	"lostreply/harness/variant"
)

// The defects that this repository ships must fit its source as it stands, or the controls that
// need them prove nothing.
func TestEveryDefectOfTheRepositoryAppliesAndBuilds(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	systems, err := os.ReadDir(filepath.Join(root, "defects"))
	if err != nil {
		t.Fatal(err)
	}
	builder := &variant.Builder{CacheDir: t.TempDir()}
	built := 0
	for _, system := range systems {
		defects, err := variant.LoadDefects(filepath.Join(root, "defects", system.Name()))
		if err != nil {
			t.Error(err)
			continue
		}
		programs := programsOf(t, root, system.Name())
		for _, defect := range defects {
			if defect.System.Value != system.Name() {
				t.Errorf("%s: a defect of %s in the folder of %s",
					defect.Name.At, defect.System.Value, system.Name())
			}
			if _, err := builder.BuildAll(t.Context(), root, programs, defect); err != nil {
				t.Error(err)
			}
			built++
		}
	}
	if built == 0 {
		t.Error("no defect was built")
	}
}

// programsOf lists the packages of a shipped system's commands.
func programsOf(t *testing.T, root, system string) []string {
	t.Helper()
	folders, err := os.ReadDir(filepath.Join(root, system, "cmd"))
	if err != nil {
		t.Fatal(err)
	}
	var programs []string
	for _, folder := range folders {
		programs = append(programs, "./"+system+"/cmd/"+folder.Name())
	}
	return programs
}
