package scenario

// Kind names what the subject is.
func (s *Subject) Kind() string {
	switch {
	case s.Fact.Value != "":
		return "a fact"
	case s.Journal.Value != "":
		return "a journal"
	case len(s.Worker) > 0:
		return "a worker"
	default:
		return "a file"
	}
}

// kinds are the names of the comparisons that are given, sorted.
func (c *Comparison) kinds() []string {
	var kinds []string
	for _, kind := range []struct {
		name  string
		given bool
	}{
		{"changed_since", c.ChangedSince.Value != ""},
		{"column", c.Column != nil},
		{"count", c.Count != nil},
		{"ended", c.Ended != nil},
		{"line", c.Line != nil},
		{"matches", c.Matches != nil},
		{"range", c.Range != nil},
		{"row", c.Row != nil},
		{"rows", c.Rows != nil},
		{"set", c.Set != nil},
		{"unchanged_since", c.UnchangedSince.Value != ""},
	} {
		if kind.given {
			kinds = append(kinds, kind.name)
		}
	}
	return kinds
}

func comparisonsFor(worker bool) string {
	if worker {
		return "ended, line (line with count)"
	}
	return "changed_since, column, count, matches, range, row, rows, set, unchanged_since"
}
