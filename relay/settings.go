package relay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// settings are the keys of one file of the contract.
type settings struct {
	file   string
	values map[string]string
}

// readSettings reads KEY=VALUE lines; # begins a comment, at the start of a line or after a blank.
// Each of the keys must be there, once, with a value, and no other.
func readSettings(file string, keys ...string) (*settings, error) {
	content, err := os.ReadFile(file)
	read := &settings{file: file, values: map[string]string{}}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, read.wrong("", "the file is missing; all contract files must be there")
	case err != nil:
		return nil, read.wrong("", fmt.Sprintf("the file can't be read: %v", err))
	case !utf8.Valid(content):
		return nil, read.wrong("", "the file is not UTF-8 text")
	}
	for number, line := range strings.Split(string(content), "\n") {
		if err := read.take(number+1, line, keys); err != nil {
			return nil, err
		}
	}
	for _, key := range keys {
		if value, given := read.values[key]; !given || value == "" {
			return nil, read.wrong(key, "the key is missing or has no value, and there is no default")
		}
	}
	return read, nil
}

func (s *settings) take(number int, line string, keys []string) error {
	line = strings.TrimSpace(withoutComment(line))
	if line == "" {
		return nil
	}
	key, value, isPair := strings.Cut(line, "=")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	_, twice := s.values[key]
	switch {
	case !isPair:
		return s.wrong("", fmt.Sprintf("line %d is no KEY=VALUE: %q", number, line))
	case !slices.Contains(keys, key):
		return s.wrong(key, fmt.Sprintf("the key of line %d is none of %s",
			number, strings.Join(keys, ", ")))
	case twice:
		return s.wrong(key, fmt.Sprintf("line %d gives the key a second time", number))
	}
	s.values[key] = value
	return nil
}

func withoutComment(line string) string {
	if strings.HasPrefix(line, "#") {
		return ""
	}
	for _, mark := range []string{" #", "\t#"} {
		line, _, _ = strings.Cut(line, mark)
	}
	return line
}

func (s *settings) wrong(key, reason string) error {
	return &ContractError{File: s.file, Key: key, Reason: reason}
}

// positive is a whole number above 0.
func (s *settings) positive(key string) (int64, error) {
	number, err := strconv.ParseInt(s.values[key], 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, s.wrong(key, fmt.Sprintf("%s does not fit into 64 bits", s.values[key]))
	case err != nil:
		return 0, s.wrong(key, fmt.Sprintf("%q is no whole number", s.values[key]))
	case number <= 0:
		return 0, s.wrong(key, fmt.Sprintf("%d is not above 0", number))
	}
	return number, nil
}

// list is what stands between commas: at least one entry, none of them empty or given twice.
func (s *settings) list(key string) ([]string, error) {
	var entries []string
	for _, entry := range strings.Split(s.values[key], ",") {
		entry = strings.TrimSpace(entry)
		switch {
		case entry == "":
			return nil, s.wrong(key, fmt.Sprintf("the list %q has an empty entry", s.values[key]))
		case slices.Contains(entries, entry):
			return nil, s.wrong(key, fmt.Sprintf("the list %q has %q twice", s.values[key], entry))
		}
		entries = append(entries, entry)
	}
	return entries, nil
}
