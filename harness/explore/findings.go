package explore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Finding is something that goes wrong, and the first run that shows it.
type Finding struct {
	// Scenario, Check, Act and Event tell one finding from another.
	Scenario, Check, Act, Event string
	// Witness is the line of the check that does not hold.
	Witness string
	// Liveness tells that something does not come, rather than that something is wrong.
	Liveness bool
	// At is where the faults are, and Also how many others of the same acts and events come to the
	// same.
	At   string
	Also int
	// File is the scenario that shows it.
	File string
}

// Key names a finding: what went wrong, and where, in one line.
func (f Finding) Key() string {
	return fmt.Sprintf("%s: %s | %s | %s", f.Scenario, f.Check, f.Act, f.Event)
}

// write writes a finding, and beside it a link to the system file that it needs.
func (c *campaign) write(file string, source []byte) error {
	folder := filepath.Dir(file)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("write a finding: %w", err)
	}
	system, err := filepath.Abs(c.workload.scenario.Under.File)
	if err != nil {
		return fmt.Errorf("write a finding: %w", err)
	}
	from, err := filepath.Abs(folder)
	if err != nil {
		return fmt.Errorf("write a finding: %w", err)
	}
	target, err := filepath.Rel(from, system)
	if err != nil {
		return fmt.Errorf("write a finding: %w", err)
	}
	err = os.Symlink(target, filepath.Join(folder, "system.yaml"))
	if err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("write a finding: its system file: %w", err)
	}
	if err := os.WriteFile(file, source, 0o644); err != nil {
		return fmt.Errorf("write a finding: %w", err)
	}
	return nil
}
