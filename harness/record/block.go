package record

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"lostreply/harness/scenario"
	"lostreply/harness/wire"
)

// suggestion is a named event that would match one of the statements that came.
type suggestion struct {
	database string
	label    string
	texts    []string // distinct texts with this label, white space folded
}

// block writes an `events:` block for the statements that came. Statements that share a label are
// told apart by a piece of their text.
func block(system *scenario.System, heard []spoken) string {
	suggestions := gather(heard)
	if len(suggestions) == 0 {
		return ""
	}
	var text strings.Builder
	text.WriteString("events:\n")
	taken := map[string]int{}
	for _, s := range suggestions {
		for _, statement := range s.texts {
			name := unique(taken, identifier(s.label))
			fmt.Fprintf(&text, "  %s: {", name)
			if system.OnlyDatabase() == "" {
				fmt.Fprintf(&text, "database: %s, ", s.database)
			}
			if len(s.texts) == 1 {
				fmt.Fprintf(&text, "label: %s}\n", strconv.Quote(s.label))
				continue
			}
			fmt.Fprintf(&text, "contains: %s}\n", strconv.Quote(distinctive(statement, s.texts)))
		}
	}
	return text.String()
}

func gather(heard []spoken) []*suggestion {
	var suggestions []*suggestion
	index := map[string]*suggestion{}
	for _, each := range heard {
		if control(each.statement) {
			continue
		}
		key := each.database + "\x00" + each.statement.Label
		found := index[key]
		if found == nil {
			found = &suggestion{database: each.database, label: each.statement.Label}
			index[key] = found
			suggestions = append(suggestions, found)
		}
		text := strings.Join(strings.Fields(each.statement.Text), " ")
		known := false
		for _, other := range found.texts {
			known = known || other == text
		}
		if !known {
			found.texts = append(found.texts, text)
		}
	}
	return suggestions
}

// control tells statements that steer a session: `commit` is an event already, the others are not
// worth a name.
func control(statement wire.Statement) bool {
	switch strings.ToUpper(strings.Fields(statement.Label + " ?")[0]) {
	case "BEGIN", "START", "COMMIT", "END", "ROLLBACK", "SET", "RESET", "SHOW", "DISCARD",
		"DEALLOCATE", "SAVEPOINT", "RELEASE", "?":
		return true
	default:
		return false
	}
}

var notIdentifier = regexp.MustCompile(`[^a-z0-9]+`)

func identifier(label string) string {
	return strings.Trim(notIdentifier.ReplaceAllString(strings.ToLower(label), "_"), "_")
}

func unique(taken map[string]int, name string) string {
	taken[name]++
	if taken[name] == 1 {
		return name
	}
	return fmt.Sprintf("%s_%d", name, taken[name])
}

// longestPiece is how long a piece of a statement is quoted before it is cut.
const longestPiece = 60

// distinctive is a piece of a text that none of its neighbours holds: the end of what they have in
// common and what follows, or the whole text.
func distinctive(text string, all []string) string {
	for from := 0; from < len(text); {
		piece := text[from:min(len(text), from+longestPiece)]
		if !held(piece, text, all) {
			return strings.TrimSpace(strings.ToValidUTF8(piece, ""))
		}
		next := strings.IndexByte(text[from:], ' ')
		if next < 0 {
			break
		}
		from += next + 1
	}
	return text
}

func held(piece, text string, all []string) bool {
	for _, other := range all {
		if other != text && strings.Contains(other, piece) {
			return true
		}
	}
	return false
}
