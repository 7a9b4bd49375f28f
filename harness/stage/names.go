package stage

import (
	"strconv"

	"lostreply/harness/strict"
	"lostreply/harness/wire"
)

// namesOf are the system's named events of one database.
func (s *Stage) namesOf(database string) wire.Names {
	var names wire.Names
	for _, entry := range s.system.Events.Entries {
		if s.system.DatabaseOf(entry.Value.Database) != database {
			continue
		}
		names = append(names, wire.NamedEvent{
			Name: entry.Name, Contains: entry.Value.Contains, Label: entry.Value.Label,
			Command: entry.Value.Command, Params: parameters(entry.Value.Params),
		})
	}
	return names
}

// parameters are the values that bound parameters must have, by number; the loader has checked that
// the keys are numbers.
func parameters(given strict.Map[strict.Value]) map[int]string {
	if given.Len() == 0 {
		return nil
	}
	values := make(map[int]string, given.Len())
	for _, entry := range given.Entries {
		if number, err := strconv.Atoi(entry.Name); err == nil {
			values[number] = entry.Value.Source
		}
	}
	return values
}
