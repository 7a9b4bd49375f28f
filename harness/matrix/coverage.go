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
	checks map[Check]bool
	failed map[Check][]string // by build, each once; of checks that there may not be
}

// Clean is the name by which Coverage knows the system as it stands.
const Clean = "the system as it stands"

// Add takes in what a scenario came to against a build. What it judges are checks that there are,
// when it ran against the build that it is for (the system as it stands, or its own variant);
// against another, what it judges besides is there because of that variant, and is no check of its
// own. That the witness of a negative control holds against its variant does not show that it can
// fail: that is seen against the system as it stands.
func (c *Coverage) Add(run Run, build string, meant bool) {
	if c.checks == nil {
		c.checks, c.failed = map[Check]bool{}, map[Check][]string{}
	}
	for _, line := range run.Result.Lines() {
		key := keyOf(run.Scenario, line.Name)
		if meant {
			c.checks[key] = true
		}
		asWitness := run.Own && line.Exposes != ""
		if line.Verdict == check.Fail && !asWitness && !slices.Contains(c.failed[key], build) {
			c.failed[key] = append(c.failed[key], build)
		}
	}
}

func keyOf(s *scenario.Scenario, name string) Check {
	return Check{s.Under.Name.Value, s.ID.Value, name}
}

func (c *Coverage) seen(key Check) bool { return len(c.failed[key]) > 0 }

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

// Failed is a check with the builds that it was seen failing against.
type Failed struct {
	Check Check
	By    []string
}

// Account is what became of all checks.
type Account struct {
	Failed      []Failed
	Excused     []Excused
	Unexplained []Check
	// Stale are entries of the lists that name what needs no excuse: there is no such check, or
	// it was seen failing.
	Stale []Excused
}

// Checks is how many there are.
func (a Account) Checks() int { return len(a.Failed) + a.ExcusedChecks() + len(a.Unexplained) }

// Lacks tells whether a check is explained by nothing, or an entry of a list excuses nothing. A
// system without a list is no exception: one that is new would never get teeth.
func (a Account) Lacks() bool { return len(a.Stale) > 0 || len(a.Unexplained) > 0 }

// ExcusedChecks is how many checks the lists speak for.
func (a Account) ExcusedChecks() int {
	excused := map[Check]bool{}
	for _, entry := range a.Excused {
		for _, key := range entry.Checks {
			excused[key] = true
		}
	}
	return len(excused)
}

// Account holds the checks against the lists, which are by system. complete says that whatever
// could fail a check has run: only then is an entry that speaks for nothing stale.
func (c *Coverage) Account(lists map[string][]scenario.Excuse, complete bool) Account {
	var account Account
	excused := map[Check]bool{}
	for _, system := range sortedKeys(lists) {
		for _, excuse := range lists[system] {
			entry := c.apply(system, excuse)
			for _, key := range entry.Checks {
				excused[key] = true
			}
			if len(entry.Checks) > 0 {
				account.Excused = append(account.Excused, entry)
			}
			if complete && len(entry.Idle) > 0 {
				account.Stale = append(account.Stale, entry)
			}
		}
	}
	for _, key := range c.sorted() {
		switch {
		case c.seen(key):
			account.Failed = append(account.Failed, Failed{key, c.failed[key]})
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
