package process

import (
	"os"
	"slices"
	"strings"
)

// DefaultPass lists the names of the harness's own environment that a program gets when its system
// does not say otherwise: enough to find programs, a home and a language, and nothing that could
// lead to a database.
func DefaultPass() []string {
	return []string{"HOME", "LANG", "LC_ALL", "PATH", "TMPDIR", "TZ"}
}

// Environment makes a worker's clean environment: the names of pass (nil: DefaultPass) that the
// harness has, and injected, which wins; sorted by name. A DATABASE_URL or PG* of the harness's own
// is never passed, even when pass names it: a real database would be hit.
func Environment(pass []string, injected map[string]string) []string {
	if pass == nil {
		pass = DefaultPass()
	}
	values := map[string]string{}
	for _, name := range pass {
		if value, found := os.LookupEnv(name); found && !leadsToDatabase(name) {
			values[name] = value
		}
	}
	for name, value := range injected {
		values[name] = value
	}
	entries := make([]string, 0, len(values))
	for name, value := range values {
		entries = append(entries, name+"="+value)
	}
	slices.Sort(entries)
	return entries
}

// leadsToDatabase tells the names that libpq and its kin connect by.
func leadsToDatabase(name string) bool {
	return name == "DATABASE_URL" || strings.HasPrefix(name, "PG")
}
