package matrix

import (
	"regexp"
	"slices"
	"strings"

	"lostreply/harness/scenario"
)

// Excused is an entry of a system's list with the checks that it speaks for.
type Excused struct {
	System string
	Excuse scenario.Excuse
	Checks []Check
	// Idle are the patterns of a stale entry that speak for no check.
	Idle []string
}

// apply finds the checks that an excuse speaks for: those that it names and that nothing made fail.
func (c *Coverage) apply(system string, excuse scenario.Excuse) Excused {
	entry := Excused{System: system, Excuse: excuse}
	needed := map[string]bool{}
	for _, key := range c.sorted() {
		scenarios := matching(excuse.Scenario, key.Scenario)
		checks := matching(excuse.Check, key.Name)
		if key.System != system || c.seen(key) || len(scenarios) == 0 || len(checks) == 0 {
			continue
		}
		entry.Checks = append(entry.Checks, key)
		for _, pattern := range append(scenarios, checks...) {
			needed[pattern] = true
		}
	}
	for _, pattern := range append(excuse.Scenario.Values(), excuse.Check.Values()...) {
		if !needed[pattern] {
			entry.Idle = append(entry.Idle, pattern)
		}
	}
	return entry
}

// matching are the patterns that fit a name.
func matching(patterns scenario.Names, name string) []string {
	return slices.DeleteFunc(patterns.Values(), func(pattern string) bool {
		return !matches(pattern, name)
	})
}

// matches compares a name with a pattern in which * stands for any text, and nothing else is
// special.
func matches(pattern, name string) bool {
	quoted := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")
	matched, err := regexp.MatchString("^(?s:"+quoted+")$", name)
	return err == nil && matched
}

// What is what the entry says, in short.
func (e Excused) What() string {
	return strings.Join(e.Excuse.Scenario.Values(), " ") + ": " +
		strings.Join(e.Excuse.Check.Values(), ", ")
}
