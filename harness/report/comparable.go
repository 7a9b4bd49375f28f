package report

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// comparable tells why two evidences can't be compared: they are of different scenarios, or of
// different versions of one, so that a difference says nothing about the program. Nil when they
// can, or when there is only one of them.
func comparable(name string, old, new []byte) error {
	if len(old) == 0 || len(new) == 0 {
		return nil
	}
	if name != "" {
		name += ": "
	}
	before, after := caseOf(old), caseOf(new)
	if before != after {
		return fmt.Errorf("%sevidence of two scenarios, %s and %s", name, before, after)
	}
	was, is := versionOf(old), versionOf(new)
	if was != is {
		return fmt.Errorf("%sevidence of two versions of scenario %s, %s and %s: run both sides with "+
			"one version of the scenario, as ./run.sh diff --rev OLD NEW does", name, before, was, is)
	}
	return nil
}

func caseOf(evidence []byte) string {
	line, _, _ := strings.Cut(valueOf(evidence, "CASE"), " :: ")
	return line
}

func versionOf(evidence []byte) string {
	if version := valueOf(evidence, versionWord); version != "" {
		return version
	}
	return "(none is named)"
}

// valueOf is what follows the word that a line begins with.
func valueOf(evidence []byte, word string) string {
	for _, line := range bytes.Split(evidence, []byte("\n")) {
		if value, found := bytes.CutPrefix(line, []byte(word+" ")); found {
			return string(value)
		}
	}
	return ""
}

// incomparable gathers what can't be compared, in all files at once.
func incomparable(names []string, before, after map[string][]byte) error {
	var problems []error
	for _, name := range names {
		problems = append(problems, comparable(name, before[name], after[name]))
	}
	return errors.Join(problems...)
}
