package scenario

import "lostreply/harness/strict"

// JournalCounts are the names of what is counted of a journal, in the order in which they are told.
func JournalCounts() []string {
	return []string{
		"requests", "acceptances", "sends", "queries", "strays", "violations", "unscripted",
	}
}

// counted reports a count that names what is not counted, or that is no number.
func (c *scenarioChecker) counted(subject *Subject, count *strict.Value) {
	named, isMap := count.Data.(strict.Map[strict.Value])
	if !isMap {
		if _, isNumber := count.Data.(int64); !isNumber {
			c.problems.Addf(count.At, "count: expected a number, or a journal's numbers by name")
		}
		return
	}
	if subject.Journal.Value == "" {
		c.problems.Addf(count.At, "count of %s is a number; only a journal has counts by name",
			subject.Kind())
		return
	}
	for _, entry := range named.Entries {
		if !contains(JournalCounts(), entry.Name) {
			c.problems.Addf(entry.At, "%s", strict.Unknown("count of a journal", entry.Name,
				JournalCounts()))
		}
		if _, isNumber := entry.Value.Data.(int64); !isNumber {
			c.problems.Addf(entry.Value.At, "count of %s: expected a number", entry.Name)
		}
	}
}
