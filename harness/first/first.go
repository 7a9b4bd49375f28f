// Package first writes a first system of one's own: a small worker, its system file and two
// scenarios, with comments that teach. It needs nothing but Go and what lostreply itself is built
// from, so that it runs at once, without a network.
package first

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Embedded files end in .txt, as a go.mod among them would make the folder a module of its own.
//
//go:embed files
var files embed.FS

const suffix = ".txt"

// ErrTaken is what Write ends with when a file is there already: nothing is overwritten.
var ErrTaken = errors.New("it is there already: name a folder without one, nothing is overwritten")

// Write puts the files into a folder, which is made when it is not there, and lists them by their
// paths in it. When one of them is there already, nothing is written.
func Write(folder string) ([]string, error) {
	contents, err := read()
	if err != nil {
		return nil, err
	}
	for _, each := range contents {
		path := filepath.Join(folder, each.name)
		if _, err := os.Lstat(path); err == nil {
			return nil, fmt.Errorf("write %s: %w", path, ErrTaken)
		}
	}
	var names []string
	for _, each := range contents {
		path := filepath.Join(folder, each.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, fmt.Errorf("make the folder: %w", err)
		}
		if err := os.WriteFile(path, each.text, 0o644); err != nil {
			return nil, fmt.Errorf("write a first system: %w", err)
		}
		names = append(names, each.name)
	}
	return names, nil
}

type file struct {
	name string
	text []byte
}

func read() ([]file, error) {
	var all []file
	err := fs.WalkDir(files, "files", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := files.ReadFile(path)
		name := strings.TrimSuffix(strings.TrimPrefix(path, "files/"), suffix)
		all = append(all, file{filepath.FromSlash(name), text})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the files of a first system: %w", err)
	}
	return all, nil
}
