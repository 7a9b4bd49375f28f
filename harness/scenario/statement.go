package scenario

import (
	"errors"
	"fmt"
	"strings"

	"lostreply/harness/strict"
)

// commands are the words that PostgreSQL's statements begin with (its documentation, "SQL
// Commands"), but for those in otherCommands.
var commands = strings.Fields(`
	alter analyze begin call checkpoint close cluster comment commit copy create deallocate declare
	delete discard do drop execute explain fetch grant import insert listen load lock merge move
	notify prepare reassign refresh reindex release reset revoke rollback savepoint security select
	set show table truncate unlisten update vacuum values`)

// otherCommands are words whose statements are known as those of another.
var otherCommands = map[string]string{
	"abort": "rollback", "end": "commit", "start": "begin",
	"with": "select, or the insert, update, delete or merge that follows its queries",
}

// labelled are the words that follow WITH in a label.
var labelled = strings.Fields("delete insert merge select update values")

// noise is what a label leaves out between the verb and the name.
var noise = map[string]string{
	"delete from": "delete", "insert into": "insert", "merge into": "merge", "select from": "select",
	"truncate table": "truncate", "lock table": "lock", "update only": "update",
}

// CheckCommand tells why no statement can have the command; nil when one can.
func CheckCommand(command string) error {
	words := strings.Fields(strings.ToLower(command))
	if len(words) == 0 {
		return errors.New("the command is empty")
	}
	if other, known := otherCommands[words[0]]; known {
		return fmt.Errorf("no statement has the command %s: name it %s", words[0], other)
	}
	return knownVerb("command", words[0], commands)
}

// CheckLabel tells why no statement can have the label; nil when one can.
func CheckLabel(label string) error {
	words := strings.Fields(strings.ToLower(label))
	if len(words) == 0 {
		return errors.New("the label is empty")
	}
	if other, known := otherCommands[words[0]]; known && words[0] != "with" {
		return fmt.Errorf("no statement has the label %s: it is called %s", words[0], other)
	}
	if len(words) > 2 {
		if verb, leavesOut := noise[words[0]+" "+words[1]]; leavesOut {
			return fmt.Errorf("no statement has the label %q: it is called %q",
				strings.Join(words, " "), verb+" "+strings.Join(words[2:], " "))
		}
	}
	if verb, within := strings.CutPrefix(words[0], "with-"); within {
		return knownVerb("verb behind with- in a label", verb, labelled)
	}
	return knownVerb("verb of a label", words[0], append([]string{"with"}, commands...))
}

func knownVerb(what, verb string, valid []string) error {
	if contains(valid, verb) {
		return nil
	}
	return errors.New(strict.Unknown(what, verb, valid))
}

// checkStatement reports an event that no statement can be.
func (named *NamedEvent) checkStatement(problems *Problems, name string) {
	if named.Label != "" {
		if err := CheckLabel(named.Label); err != nil {
			problems.Addf(named.At, "event %s can never come: %v", name, err)
		}
	}
	if named.Command != "" {
		if err := CheckCommand(named.Command); err != nil {
			problems.Addf(named.At, "event %s can never come: %v", name, err)
		}
	}
}
