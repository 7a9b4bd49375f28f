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
