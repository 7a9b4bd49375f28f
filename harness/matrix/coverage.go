package matrix

import (
	"cmp"
	"slices"

	"lostreply/harness/check"
	"lostreply/harness/scenario"
)

// Check names a check of a scenario, for all combinations of its matrix.
type Check struct{ System, Scenario, Name string }

// Coverage gathers which checks there are, and which of them were seen failing. The zero value is
// ready to use.
type Coverage struct {
	checks map[Check]bool // whether it was seen failing
}

// Add takes in what a scenario came to. What it judges are checks that there are, when it ran
// against the build that it is for (the system as it stands, or its own variant); against another,
// what it judges besides is there because of that variant, and is no check of its own. That the
// witness of a negative control holds against its variant does not show that it can fail: that is
// seen against the system as it stands.
func (c *Coverage) Add(run Run, meant bool) {
	if c.checks == nil {
		c.checks = map[Check]bool{}
	}
	for _, line := range run.Result.Lines() {
		key := keyOf(run.Scenario, line.Name)
		_, known := c.checks[key]
		if meant && !known {
			c.checks[key] = false
		}
		asWitness := run.Own && line.Exposes != ""
		if (meant || known) && line.Verdict == check.Fail && !asWitness {
			c.checks[key] = true
		}
	}
}

func keyOf(s *scenario.Scenario, name string) Check {
	return Check{s.Under.Name.Value, s.ID.Value, name}
}

// checksOf are the names of a scenario's checks, sorted.
func (c *Coverage) checksOf(s *scenario.Scenario) []string {
	var names []string
	for key := range c.checks {
		if key.System == s.Under.Name.Value && key.Scenario == s.ID.Value {
			names = append(names, key.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Excused is an entry of a system's list with the checks that it speaks for.
type Excused struct {
	System string
	Excuse Excuse
	Checks []Check
}

// Account is what became of all checks.
type Account struct {
	Checks, Failed int
	Excused        []Excused
	// Stale are entries of the lists that speak for no check: all that they name were seen failing,
	// or there are none.
	Stale       []Excused
	Unexplained []Check
}

// ExcusedChecks is how many checks a list speaks for.
func (a Account) ExcusedChecks() int { return a.Checks - a.Failed - len(a.Unexplained) }

// Account holds the checks against the lists, which are by system. complete says that every
// scenario of those systems has run: an entry that names none is stale only then.
func (c *Coverage) Account(lists map[string][]Excuse, complete bool) Account {
	account := Account{Checks: len(c.checks)}
	excused := map[Check]bool{}
	for _, system := range sortedKeys(lists) {
		for _, excuse := range lists[system] {
			entry := Excused{System: system, Excuse: excuse}
			named := 0
			for _, key := range c.sorted() {
				if key.System != system || !excuse.names(key) {
					continue
				}
				named++
				if !c.checks[key] && !excused[key] {
					excused[key] = true
					entry.Checks = append(entry.Checks, key)
				}
			}
			switch {
			case len(entry.Checks) > 0:
				account.Excused = append(account.Excused, entry)
			case named > 0 || complete:
				account.Stale = append(account.Stale, entry)
			}
		}
	}
	for _, key := range c.sorted() {
		switch {
		case c.checks[key]:
			account.Failed++
		case !excused[key]:
			account.Unexplained = append(account.Unexplained, key)
		}
	}
	return account
}

func (c *Coverage) sorted() []Check {
	keys := make([]Check, 0, len(c.checks))
	for key := range c.checks {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b Check) int {
		return cmp.Or(cmp.Compare(a.System, b.System), cmp.Compare(a.Scenario, b.Scenario),
			cmp.Compare(a.Name, b.Name))
	})
	return keys
}

func sortedKeys[V any](values map[string]V) []string {
	keys := make([]string, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
