package strict_test

import (
	"testing"

	"lostreply/harness/strict"
)

func TestProblemsAreToldInOrderAndOnce(t *testing.T) {
	at := func(line, column int) strict.Position {
		return strict.Position{File: "a.yaml", Line: line, Column: column}
	}
	problems := strict.Problems{
		{At: at(10, 1), Message: "late"},
		{At: at(9, 2), Message: "second"},
		{At: at(9, 1), Message: "first"},
		{At: at(10, 1), Message: "late"},
	}
	want := "a.yaml:9:1: first\na.yaml:9:2: second\na.yaml:10:1: late"
	if got := problems.Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := (strict.Problems{}).Err(); err != nil {
		t.Errorf("no problems give an error: %v", err)
	}
}

func TestOfManyProblemsAlikeTheFirstAreTold(t *testing.T) {
	var problems strict.Problems
	for line := 1; line <= 1000; line++ {
		at := strict.Position{File: "a.yaml", Line: line, Column: 1}
		problems = append(problems, strict.Problem{At: at, Message: "an alias"})
	}
	other := strict.Position{File: "a.yaml", Line: 1001, Column: 1}
	problems = append(problems, strict.Problem{At: other, Message: "another"})
	want := "a.yaml:1:1: an alias\na.yaml:2:1: an alias\na.yaml:3:1: an alias\n" +
		"a.yaml:4:1: an alias\na.yaml:5:1: an alias (and 995 more like this in the file)\n" +
		"a.yaml:1001:1: another"
	if got := problems.Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
