package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"lostreply/harness/check"
)

// FileName is a scenario's name as the name of a file.
func FileName(scenario string) string {
	return strings.NewReplacer("[", "_", "]", "", "=", "-", ",", "_", "/", "_").Replace(scenario)
}

// section orders what changed: verdicts first, then facts, then events.
type section int

const (
	whole section = iota // the scenario's own verdict
	verdicts
	facts
	events
	sections
)

// Difference says what changed from one evidence to another, verdict changes first, then facts,
// then events. It is empty for equal ones.
func Difference(old, new []byte) []string {
	before, after := parseEvidence(old), parseEvidence(new)
	var lines [sections][]string
	for _, key := range unionInOrder(before.keys, after.keys) {
		was, had := before.lines[key]
		is, has := after.lines[key]
		if had && has && was == is {
			continue
		}
		at := sectionOf(key, was, is)
		if had && has && strings.HasPrefix(key, "events ") {
			lines[at] = append(lines[at], eventChanges(was, is)...)
			continue
		}
		if had {
			lines[at] = append(lines[at], "- "+was)
		}
		if has {
			lines[at] = append(lines[at], "+ "+is)
		}
	}
	var all []string
	for _, each := range lines {
		all = append(all, each...)
	}
	if len(all) == 0 && string(old) != string(new) {
		all = []string{"the same lines in another order"}
	}
	return all
}

// eventChanges shows which events of a worker came or went, one a line, with those beside them.
func eventChanges(was, is string) []string {
	worker, before, _ := strings.Cut(was, ": ")
	_, after, _ := strings.Cut(is, ": ")
	lines := []string{"  " + worker + ":"}
	for _, change := range check.Changes(strings.Split(before, ", "), strings.Split(after, ", ")) {
		lines = append(lines, change[:2]+"  "+change[2:])
	}
	return lines
}

// evidenceLines are an evidence's lines by what they are about, in order.
type evidenceLines struct {
	keys  []string
	lines map[string]string
}

func parseEvidence(text []byte) evidenceLines {
	parsed := evidenceLines{lines: map[string]string{}}
	seen := map[string]int{}
	for _, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" {
			continue
		}
		about := aboutOf(trimmed)
		seen[about]++
		key := fmt.Sprintf("%s#%d", about, seen[about])
		parsed.keys = append(parsed.keys, key)
		parsed.lines[key] = trimmed
	}
	return parsed
}

// aboutOf is what a line is about: the name of a check, the worker of an events line, the first
// word of any other.
func aboutOf(line string) string {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "ok", "FAIL", "INCONCLUSIVE":
		name, _, _ := strings.Cut(strings.TrimSpace(rest), " (expected=")
		name = strings.Replace(name, "did not expose", "exposes", 1)
		return "check " + name
	case "events":
		worker, _, _ := strings.Cut(rest, ":")
		return "events " + worker
	default:
		return word
	}
}

func sectionOf(key, was, is string) section {
	wordBefore, _, _ := strings.Cut(was, " ")
	wordAfter, _, _ := strings.Cut(is, " ")
	switch {
	case strings.HasPrefix(key, "events"), strings.HasPrefix(key, "held"):
		return events
	case strings.HasPrefix(key, "VERDICT"):
		return whole
	case wordBefore != wordAfter:
		return verdicts
	default:
		return facts
	}
}

func unionInOrder(old, new []string) []string {
	known := map[string]bool{}
	var union []string
	for _, key := range append(append([]string{}, old...), new...) {
		if !known[key] {
			union = append(union, key)
		}
		known[key] = true
	}
	return union
}

// DiffPaths compares two evidence files, or two folders of them file by file, and counts the files.
// Its error says why they can't be read, or why they can't be compared.
func DiffPaths(old, new string) (changes []string, files int, err error) {
	before, err := evidenceFiles(old)
	if err != nil {
		return nil, 0, err
	}
	after, err := evidenceFiles(new)
	if err != nil {
		return nil, 0, err
	}
	_, oneFile := before[""]
	if _, otherFile := after[""]; oneFile != otherFile {
		return nil, 0, fmt.Errorf("%s and %s: one is a file and the other a folder: name two files, "+
			"or two folders", old, new)
	}
	changes, err = DiffSets(before, after)
	return changes, len(after), err
}

// DiffSets compares sets of evidence by their names. Its error says which can't be compared.
func DiffSets(before, after map[string][]byte) ([]string, error) {
	names := unionInOrder(sortedNames(before), sortedNames(after))
	if err := incomparable(names, before, after); err != nil {
		return nil, err
	}
	var lines []string
	for _, name := range names {
		changes := Difference(before[name], after[name])
		if len(changes) == 0 {
			continue
		}
		if name != "" {
			lines = append(lines, name)
		}
		lines = append(lines, changes...)
	}
	return lines, nil
}

// evidenceFiles reads a file, under no name, or a folder's files by their names in it.
func evidenceFiles(path string) (map[string][]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("no evidence: %w", err)
	}
	files := map[string][]byte{}
	if !info.IsDir() {
		files[""], err = os.ReadFile(path)
		return files, err
	}
	err = filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".txt" {
			return err
		}
		name, err := filepath.Rel(path, file)
		if err != nil {
			return err
		}
		files[name], err = os.ReadFile(file)
		return err
	})
	if err == nil && len(files) == 0 {
		err = errors.New("it holds no *.txt")
	}
	if err != nil {
		return nil, fmt.Errorf("read evidence folder %s: %w", path, err)
	}
	return files, nil
}

func sortedNames(files map[string][]byte) []string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
