package variant

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"lostreply/harness/scenario"
)

// Fit tells, without building anything, whether a defect's edits fit the source of its system: an
// *EditError when one does not.
func Fit(system *scenario.System, defect *scenario.Defect) error {
	root, err := ModuleRoot(system.Folder)
	if err != nil {
		return fmt.Errorf("apply the defect %s: %w", defect.Name.Value, err)
	}
	_, err = Apply(root, defect)
	return err
}

// ModuleRoot is the folder of the go.mod that a folder belongs to, absolute.
func ModuleRoot(folder string) (string, error) {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	for at := absolute; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at, nil
		}
		if strings.HasSuffix(at, string(filepath.Separator)) || at == filepath.Dir(at) {
			return "", fmt.Errorf("no go.mod in %s or above", folder)
		}
	}
}
