package check_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lostreply/harness/check"
)

func TestCompareEnding(t *testing.T) {
	killed := check.Ending{Signal: "KILL"}
	for _, c := range []struct {
		name     string
		expected check.Ending
		actual   *check.Ending
		want     string
	}{
		{"the signal", killed, &check.Ending{Signal: "SIGKILL"},
			"ok   a ended (expected=signal KILL, actual=signal KILL)\n"},
		{"the exit code", check.Ending{Exit: 73}, &check.Ending{Exit: 73},
			"ok   a ended (expected=exit 73, actual=exit 73)\n"},
		{"it had exited by itself", killed, &check.Ending{Exit: 0},
			"FAIL a ended (expected=signal KILL, actual=exit 0)\n"},
		{"137 is no signal", killed, &check.Ending{Exit: 137},
			"FAIL a ended (expected=signal KILL, actual=exit 137)\n"},
		{"another signal", killed, &check.Ending{Signal: "TERM"},
			"FAIL a ended (expected=signal KILL, actual=signal TERM)\n"},
		{"it did not end", check.Ending{Exit: 0}, nil,
			"FAIL a ended (expected=exit 0, actual=still running)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := printed([]check.Line{check.CompareEnding("a", c.expected, c.actual)})
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestCompareEnded asks for an end and for nothing else.
func TestCompareEnded(t *testing.T) {
	for want, actual := range map[string]*check.Ending{
		"ok   a ended (expected=any end, actual=exit 73)\n":       {Exit: 73},
		"ok   a ended (expected=any end, actual=signal KILL)\n":   {Signal: "KILL"},
		"FAIL a ended (expected=any end, actual=still running)\n": nil,
	} {
		if got := printed([]check.Line{check.CompareEnded("a", actual)}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestCompareClaim(t *testing.T) {
	output := []string{"W b CLAIMED task=1 attempt=12 action=SEND", "W b RESULT STALE", ""}
	for _, c := range []struct {
		name, text string
		lines      []string
		want       string
	}{
		{"holds", "RESULT STALE", output, `
ok   b prints (expected="RESULT STALE", actual="W b RESULT STALE")
`},
		{"fails and shows the nearest line", "RESULT SENT", output, `
FAIL b prints (expected="RESULT SENT", actual="W b RESULT STALE")
     printed: "W b CLAIMED task=1 attempt=12 action=SEND"
     printed: "W b RESULT STALE"
     printed: ""
`},
		{"a beginning of a word is not the word", "attempt=1", output[:1], `
FAIL b prints (expected="attempt=1", actual="W b CLAIMED task=1 attempt=12 action=SEND")
     printed: "W b CLAIMED task=1 attempt=12 action=SEND"
`},
		{"the word after its beginning", "ab", []string{"abc ab"}, `
ok   b prints (expected=ab, actual="abc ab")
`},
		{"silence", "RESULT SENT", nil, `
FAIL b prints (expected="RESULT SENT", actual=no output)
`},
		{"empty text", " ", output, `
INCONCLUSIVE b prints (expected=" ", actual=)
     an empty text is in every line
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			line := check.CompareClaim("b", c.text, c.lines)
			got := printed([]check.Line{line})
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), got); diff != "" {
				t.Errorf("output differs (-want +got):\n%s", diff)
			}
			if line.Verdict != check.Inconclusive && !line.Claim {
				t.Error("a worker's own word is not marked as a claim")
			}
		})
	}
}

func TestCompareClaimCount(t *testing.T) {
	output := []string{"W a created=true", "W b created=false", "W c created=false"}
	for _, c := range []struct {
		name     string
		lines    []string
		expected int64
		want     string
	}{
		{"holds", output, 1, `
ok   creators prints "created=true" (expected=1, actual=1)
`},
		{"fails", output[1:], 1, `
FAIL creators prints "created=true" (expected=1, actual=0)
     printed: "W b created=false"
     printed: "W c created=false"
`},
		{"none of no output", nil, 0, `
INCONCLUSIVE creators prints "created=true" (expected=0, actual=no output)
     there was no line to judge
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			line := check.CompareClaimCount("creators", "created=true", c.lines, c.expected)
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), printed([]check.Line{line})); diff != "" {
				t.Errorf("output differs (-want +got):\n%s", diff)
			}
			if !line.Claim {
				t.Error("a worker's own word is not marked as a claim")
			}
		})
	}
}
