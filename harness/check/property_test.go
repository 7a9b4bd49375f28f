package check_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lostreply/harness/check"
)

// anyValue draws a value as a fact may hold it.
func anyValue() *rapid.Generator[any] {
	return rapid.OneOf(
		rapid.Just[any](nil),
		rapid.Bool().AsAny(),
		rapid.Int64Range(-3, 3).AsAny(),
		rapid.SampledFrom([]any{0.5, check.Number("1.00"), "1", "", "A", "B", "two words"}),
		rapid.SampledFrom([]any{[]any{int64(1), "A"}, map[string]any{"a": nil, "b": int64(1)}}),
	)
}

func anyValues(t *rapid.T) []any { return rapid.SliceOfN(anyValue(), 0, 8).Draw(t, "values") }

func verdictOf(table check.Table, comparison check.Comparison) check.Verdict {
	return check.Compare("t", table, expecting(comparison))[0].Verdict
}

func TestSetIgnoresOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := anyValues(t)
		shuffled := rapid.Permutation(values).Draw(t, "shuffled")
		expectation := expecting(check.Set{Values: values})
		line := check.Compare("t", outcomes(shuffled...), expectation)[0]
		if line.Verdict != check.Pass {
			t.Fatalf("%s", line)
		}
		again := check.Compare("t", outcomes(values...), expectation)[0]
		if again.String() != line.String() && !slices.ContainsFunc(values, isAmbiguous) {
			t.Fatalf("the same set reads differently:\n%s\n%s", line, again)
		}
		if verdictOf(outcomes(append(shuffled, "one more")...), check.Set{Values: values}) != check.Fail {
			t.Fatal("a set holds with one value more than expected")
		}
	})
}

// isAmbiguous tells whether a value is equal to another that prints differently: 1 and 1.00.
func isAmbiguous(value any) bool { return check.Equal(int64(1), value) }

func TestEverythingEqualsItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := anyValues(t)
		table := outcomes(values...)
		var rows, maps check.Rows
		for _, value := range values {
			rows = append(rows, []any{value})
			maps = append(maps, check.Map{{Key: "outcome", Value: value}})
		}
		for _, comparison := range []check.Comparison{
			check.Column{Values: values}, rows, maps, check.Count(len(values)),
		} {
			if got := verdictOf(table, comparison); got != check.Pass {
				t.Errorf("%s of itself: %s", comparison.Keyword(), got)
			}
		}
		if len(values) == 0 {
			return
		}
		if got := verdictOf(table, check.UnchangedSince{Before: table}); got != check.Pass {
			t.Errorf("unchanged since itself: %s", got)
		}
		if got := verdictOf(table, check.ChangedSince{Before: table}); got != check.Fail {
			t.Errorf("changed since itself: %s", got)
		}
	})
}

// A column holds exactly when it is equal value by value, and what fails always says why.
func TestColumnAgreesWithItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		expected, actual := anyValues(t), anyValues(t)
		line := check.Compare("t", outcomes(actual...), expecting(check.Column{Values: expected}))[0]
		holds := slices.EqualFunc(expected, actual, check.Equal)
		if holds != (line.Verdict == check.Pass) {
			t.Fatalf("%s, and equal value by value is %t", line, holds)
		}
		explained := len(check.Explain(line)) > 0
		if !holds && !explained && max(len(expected), len(actual)) > 1 {
			t.Fatalf("nothing explains %s", line)
		}
		if holds && explained {
			t.Fatalf("a pass is explained: %s", line)
		}
	})
}

// Two values that print alike are equal: no line may read (expected=X, actual=X) and fail.
func TestWhatPrintsAlikeIsEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		expected, actual := anyValue().Draw(t, "expected"), anyValue().Draw(t, "actual")
		if check.Text(expected) == check.Text(actual) && !check.Equal(expected, actual) {
			t.Fatalf("%#v and %#v both print as %s", expected, actual, check.Text(expected))
		}
		if check.Equal(expected, actual) != check.Equal(actual, expected) {
			t.Fatalf("equality of %#v and %#v depends on their order", expected, actual)
		}
	})
}

func TestLongListsAreCompared(t *testing.T) {
	values := make([]any, 3000)
	for i := range values {
		values[i] = int64(i)
	}
	other := slices.Clone(values)
	other[5], other[2990] = "x", "y"
	line := check.Compare("t", outcomes(other...), expecting(check.Column{Values: values}))[0]
	if explanation := check.Explain(line); line.Verdict != check.Fail || len(explanation) > 12 {
		t.Errorf("verdict %s, %d lines of explanation", line.Verdict, len(explanation))
	}
	if verdictOf(outcomes(values...), check.Column{Values: values}) != check.Pass {
		t.Error("a long list is not equal to itself")
	}
}
