package lab

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"lostreply/harness/scenario"
)

// SystemFilePrint is what Fingerprints call that of the system file.
const SystemFilePrint = "system file"

// Fingerprints name what a scenario's system is made of, by digests of contents: its system file,
// the schema of each database and each program. A program that is built is its binary; of another,
// the files that its command names count. What it reads besides, and the machine's own commands, do
// not; installed packages are named in the system file.
func (l *Lab) Fingerprints(ctx context.Context, s *scenario.Scenario) (map[string]string, error) {
	prints := map[string]string{}
	add := func(name string, files ...string) error {
		digest, err := Digest(files...)
		if err != nil {
			return fmt.Errorf("tell %s of system %s from others: %w", name, s.Under.Name.Value, err)
		}
		prints[name] = digest
		return nil
	}
	if err := add(SystemFilePrint, s.Under.File); err != nil {
		return nil, err
	}
	for _, entry := range s.Under.Databases.Entries {
		if entry.Value.Schema.Value == "" {
			continue
		}
		schema := filepath.Join(s.Under.Folder, entry.Value.Schema.Value)
		if err := add("schema of database "+entry.Name, schema); err != nil {
			return nil, err
		}
	}
	for _, entry := range s.Under.Programs.Entries {
		files, err := l.filesOf(ctx, s, &entry.Value)
		if err == nil {
			err = add("program "+entry.Name, files...)
		}
		if err != nil {
			return nil, err
		}
	}
	return prints, nil
}

// filesOf are the files that a program's command names, or its built binary.
func (l *Lab) filesOf(
	ctx context.Context, s *scenario.Scenario, program *scenario.Program,
) ([]string, error) {
	folder := filepath.Join(s.Under.Folder, program.Folder.Value)
	var files []string
	for i, word := range program.Command {
		file := word.Value
		if i == 0 {
			var err error
			if file, err = l.Executable(ctx, s, program, file); err != nil {
				return nil, err
			}
		}
		if !filepath.IsAbs(file) {
			file = filepath.Join(folder, file)
		}
		if found, err := os.Stat(file); err == nil && found.Mode().IsRegular() {
			files = append(files, file)
		}
	}
	return files, nil
}

// Digest is a digest of the contents of files, one after the other.
func Digest(files ...string) (string, error) {
	sum := sha256.New()
	for _, file := range files {
		opened, err := os.Open(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue // found a moment ago: what runs it says so
		}
		if err != nil {
			return "", err
		}
		count, err := io.Copy(sum, opened)
		if err := errors.Join(err, opened.Close()); err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "\n%d\n", count) // a hash takes everything
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}
