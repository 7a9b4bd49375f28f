package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"lostreply/harness/report"
)

// preFixEnd ends the name of the evidence from before a fix.
const preFixEnd = ".pre-fix.txt"

// orphans finds committed evidence that no scenario gives: its scenario was renamed or removed, and
// nothing would ever compare it again. Only of systems of which every scenario is known can that be
// told.
func (e *evidenceRun) orphans(chosen selected) {
	given, folders := map[string]bool{}, []string{}
	for _, s := range chosen.loaded {
		path := filepath.Join(e.folders[s.Under.Name.Value], report.FileName(s.Name()))
		given[path+".txt"] = true
		if s.BeforeTheFix() != nil {
			given[path+preFixEnd] = true
		}
	}
	known := map[string]bool{}
	for _, system := range chosen.whole {
		folder := filepath.Clean(e.folders[system.Name.Value])
		if !known[folder] {
			folders = append(folders, folder)
		}
		known[folder] = true
	}
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			e.trouble = append(e.trouble, fmt.Errorf("look for stale evidence: %w", err))
		}
		for _, entry := range entries {
			path := filepath.Join(folder, entry.Name())
			if strings.HasSuffix(path, ".txt") && !entry.IsDir() && !given[path] {
				e.stale = append(e.stale, path)
			}
		}
	}
}
