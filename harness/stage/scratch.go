package stage

import (
	"fmt"
	"os"
)

// scratchFolder is a folder of the scenario's own, for what its workers keep in files or tell each
// other by them: empty when the first worker starts, there to the end, gone with the stage.
func (s *Stage) scratchFolder() (string, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.scratch != "" {
		return s.scratch, nil
	}
	folder, err := os.MkdirTemp("", "lostreply-scratch-")
	if err != nil {
		return "", fmt.Errorf("make the scenario's scratch folder: %w", err)
	}
	s.scratch = folder
	// Its own removal is in TearDown, which a harness that is killed does not come to.
	if err := s.lab.Keeper().WatchDirectory(folder); err != nil {
		return "", fmt.Errorf("keep the scenario's scratch folder: %w", err)
	}
	return folder, nil
}

func (s *Stage) removeScratch() error {
	if s.scratch == "" {
		return nil
	}
	if err := os.RemoveAll(s.scratch); err != nil {
		return fmt.Errorf("remove the scenario's scratch folder: %w", err)
	}
	return s.lab.Keeper().ForgetDirectory(s.scratch)
}
