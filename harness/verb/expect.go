package verb

import (
	"fmt"
	"regexp"

	"lostreply/harness/check"
	"lostreply/harness/scenario"
	"lostreply/harness/stage"
	"lostreply/harness/strict"
)

// recaller finds what an earlier check read.
type recaller interface {
	Recall(name string) (check.Table, error)
}

// expect turns a scenario's comparison into a check's.
func expect(
	on recaller, subject *scenario.Subject, comparison *scenario.Comparison,
) (check.Expectation, error) {
	compare, err := comparisonOf(on, subject.Field, comparison)
	if err != nil {
		return check.Expectation{}, err
	}
	return check.Expectation{Comparison: compare}, nil
}

func comparisonOf(
	on recaller, field string, comparison *scenario.Comparison,
) (check.Comparison, error) {
	switch {
	case comparison.Rows != nil:
		return rows(*comparison.Rows)
	case comparison.Row != nil:
		return check.Row(pairs(*comparison.Row)), nil
	case comparison.Column != nil:
		return check.Column{Field: field, Values: list(*comparison.Column)}, nil
	case comparison.Set != nil:
		return check.Set{Field: field, Values: list(*comparison.Set)}, nil
	case comparison.Count != nil:
		return count(*comparison.Count)
	case comparison.Range != nil:
		return check.Range{
			Field: field, Min: bound(comparison.Range.Min), Max: bound(comparison.Range.Max),
		}, nil
	case comparison.Matches != nil:
		pattern, err := regexp.Compile(*comparison.Matches)
		if err != nil {
			return nil, fmt.Errorf("matches: %w", err)
		}
		return check.Matches{Field: field, Pattern: pattern}, nil
	}
	return since(on, field, comparison)
}

func since(
	on recaller, field string, comparison *scenario.Comparison,
) (check.Comparison, error) {
	name, changed := comparison.UnchangedSince.Value, false
	if name == "" {
		name, changed = comparison.ChangedSince.Value, true
	}
	before, err := on.Recall(name)
	if err != nil {
		return nil, err
	}
	unchanged := check.UnchangedSince{Field: field, Step: name, Before: before}
	if changed {
		return check.ChangedSince(unchanged), nil
	}
	return unchanged, nil
}

func rows(value strict.Value) (check.Comparison, error) {
	values, ok := value.Data.([]strict.Value)
	if !ok {
		return nil, stage.Inconclusive{Reason: "rows: expected a list of rows"}
	}
	return check.Rows(list(values)), nil
}

// count is a number of rows, or named numbers of a journal's totals.
func count(value strict.Value) (check.Comparison, error) {
	switch data := value.Data.(type) {
	case int64:
		return check.Count(data), nil
	case strict.Map[strict.Value]:
		var totals check.Totals
		for _, entry := range data.Entries {
			number, ok := entry.Value.Data.(int64)
			if !ok {
				return nil, stage.Inconclusive{
					Reason: fmt.Sprintf("count of %s: expected a number", entry.Name),
				}
			}
			totals = append(totals, check.Total{Name: entry.Name, Number: number})
		}
		return totals, nil
	default:
		return nil, stage.Inconclusive{Reason: "count: expected a number, or numbers by name"}
	}
}

func bound(value *strict.Value) any {
	if value == nil {
		return nil
	}
	return value.Data
}

// literal is an expected value as checks know it, the order of keys kept.
func literal(value strict.Value) any {
	switch data := value.Data.(type) {
	case []strict.Value:
		return list(data)
	case strict.Map[strict.Value]:
		return pairs(data)
	default:
		return data
	}
}

func list(values []strict.Value) []any {
	literals := make([]any, 0, len(values))
	for _, value := range values {
		literals = append(literals, literal(value))
	}
	return literals
}

func pairs(values strict.Map[strict.Value]) check.Map {
	literals := make(check.Map, 0, values.Len())
	for _, entry := range values.Entries {
		literals = append(literals, check.Pair{Key: entry.Name, Value: literal(entry.Value)})
	}
	return literals
}
