package variant

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// lentPackages are the packages of the standard library that an edit may use without an import in
// its file: what it takes to bring back a bug, or to end a process at an exact place.
func lentPackages() []string {
	return []string{"context", "errors", "fmt", "os", "strconv", "strings", "sync", "time"}
}

// addMissingImports imports the lent packages that an edit has begun to use. They are put on the
// line of the package clause, so that no line moves.
func addMissingImports(before, after []byte, name string) ([]byte, error) {
	usedBefore, _, _, err := packageUses(before, name)
	if err != nil {
		return nil, err
	}
	usedAfter, tree, positions, err := packageUses(after, name)
	if err != nil {
		return nil, err
	}
	var missing []string
	for used := range usedAfter {
		if !usedBefore[used] && slices.Contains(lentPackages(), used) {
			missing = append(missing, used)
		}
	}
	for _, spec := range tree.Imports {
		for _, imported := range importNames(spec) {
			missing = slices.DeleteFunc(missing, func(name string) bool { return name == imported })
		}
	}
	sort.Strings(missing)
	var clause strings.Builder
	for _, path := range missing {
		fmt.Fprintf(&clause, "; import %s", strconv.Quote(path))
	}
	end := positions.Position(tree.Name.End()).Offset
	return splice(after, end, end, clause.String()), nil
}
