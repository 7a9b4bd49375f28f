package variant_test

import (
	"os"
	"path/filepath"
	"testing"

	"lostreply/harness/variant"
)

// The defects that this repository ships must fit its source as it stands, or the controls that
// need them prove nothing. That they build, and are caught, is what `./run.sh variants` shows.
func TestEveryDefectOfTheRepositoryApplies(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	systems, err := os.ReadDir(filepath.Join(root, "defects"))
	if err != nil {
		t.Fatal(err)
	}
	applied := 0
	for _, system := range systems {
		defects, err := variant.LoadDefects(filepath.Join(root, "defects", system.Name()))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, defect := range defects {
			if defect.System.Value != system.Name() {
				t.Errorf("%s: a defect of %s in the folder of %s",
					defect.Name.At, defect.System.Value, system.Name())
			}
			if overlay, err := variant.Apply(root, defect); err != nil || len(overlay) == 0 {
				t.Errorf("%s changes %d files: %v", defect.Name.Value, len(overlay), err)
			}
			applied++
		}
	}
	if applied == 0 {
		t.Error("no defect was applied")
	}
}
