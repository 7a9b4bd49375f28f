package event

import (
	"cmp"
	"encoding/json"
	"slices"
)

// Number is an event's number among those of one name.
type Number struct {
	Name string
	Nth  int // from 1
}

// Numbers are the numbers of one event, one for each of its names. As JSON they are an object. They
// are a list in memory because every turn of every worker keeps one: a map costs ten times as much.
type Numbers []Number

// Of is the number of the event among those of a name; 0 when it does not answer to it, or was not
// counted.
func (n Numbers) Of(name string) int {
	for _, number := range n {
		if number.Name == name {
			return number.Nth
		}
	}
	return 0
}

// MarshalJSON writes the numbers as an object, by name.
func (n Numbers) MarshalJSON() ([]byte, error) {
	byName := make(map[string]int, len(n))
	for _, number := range n {
		byName[number.Name] = number.Nth
	}
	return json.Marshal(byName)
}

// UnmarshalJSON reads what MarshalJSON wrote. Its errors are those of encoding/json.
func (n *Numbers) UnmarshalJSON(text []byte) error {
	var byName map[string]int
	if err := json.Unmarshal(text, &byName); err != nil {
		return err
	}
	*n = nil
	for name, nth := range byName {
		*n = append(*n, Number{Name: name, Nth: nth})
	}
	slices.SortFunc(*n, func(a, b Number) int { return cmp.Compare(a.Name, b.Name) })
	return nil
}
