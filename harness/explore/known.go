package explore

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Known are findings that are expected, by their keys.
type Known struct{ keys []string }

// ReadKnown reads a file with the key of one finding in each line; what follows a # is remark.
func ReadKnown(file string) (Known, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return Known{}, fmt.Errorf("read the findings that are expected: %w", err)
	}
	var known Known
	for number, line := range strings.Split(string(source), "\n") {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if strings.Count(line, " | ") != 2 || !strings.Contains(line, ": ") {
			return Known{}, fmt.Errorf("%s:%d: %q is no finding: expected SCENARIO: CHECK | ACT | EVENT, "+
				"as explore prints it", file, number+1, line)
		}
		known.keys = append(known.keys, line)
	}
	return known, nil
}

// Has tells whether a finding is expected.
func (k Known) Has(f Finding) bool { return slices.Contains(k.keys, f.Key()) }

// Gone are the expected findings of these scenarios that were not found.
func (k Known) Gone(reports []Report) []string {
	var scenarios, found, gone []string
	for _, report := range reports {
		scenarios = append(scenarios, report.Scenario)
		for _, finding := range report.Findings {
			found = append(found, finding.Key())
		}
	}
	for _, key := range k.keys {
		name, _, _ := strings.Cut(key, ": ")
		if slices.Contains(scenarios, name) && !slices.Contains(found, key) {
			gone = append(gone, key)
		}
	}
	return gone
}
