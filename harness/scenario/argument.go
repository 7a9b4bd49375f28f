package scenario

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"lostreply/harness/strict"
)

// argumentTypes are the types that an argument of a program can have.
func argumentTypes() []string { return []string{"boolean", "duration", "integer", "string"} }

// argumentForm is an argument written as a mapping.
type argumentForm struct {
	At       strict.Position `key:"-"`
	Type     string          `key:"type,required" enum:"boolean,duration,integer,string" doc:"The argument's type."`
	Optional bool            `key:"optional" doc:"It may be left out."`
	Default  *strict.Value   `key:"default" doc:"Its value when it is left out."`
}

// DecodeStrict reads an argument: its type alone, or a mapping.
func (a *Argument) DecodeStrict(d *strict.Context, node *yaml.Node) {
	a.At = d.PositionOf(node)
	if node.Kind != yaml.ScalarNode {
		var form argumentForm
		d.Decode(node, &form)
		a.Type, a.Optional, a.Default = form.Type, form.Optional, form.Default
		return
	}
	d.Decode(node, &a.Type)
	if a.Type != "" && !contains(argumentTypes(), a.Type) {
		d.Problem(node, "%s", strict.Unknown("type of an argument", a.Type, argumentTypes()))
	}
}

// StrictSchema describes an argument.
func (Argument) StrictSchema(g *strict.Generator) map[string]any {
	return map[string]any{"oneOf": []any{
		map[string]any{"type": "string", "enum": argumentTypes()}, g.Of(argumentForm{}),
	}}
}

// text writes a value the way a program gets it, or says why it is not of the argument's type.
func (a Argument) text(value strict.Value) (string, error) {
	wrong := fmt.Errorf("expected %s, got %s", a.Type, value.Source)
	switch a.Type {
	case "boolean":
		if truth, ok := value.Data.(bool); ok {
			return strconv.FormatBool(truth), nil
		}
	case "integer":
		if number, ok := value.Data.(int64); ok {
			return strconv.FormatInt(number, 10), nil
		}
	case "duration":
		if text, ok := value.Data.(string); ok {
			if _, err := time.ParseDuration(text); err == nil {
				return text, nil
			}
		}
		return "", fmt.Errorf("expected a duration such as 3s or 250ms, got %s", value.Source)
	default:
		if text, ok := value.Data.(string); ok {
			return text, nil
		}
		return "", fmt.Errorf("expected text, got %s: quote it", value.Source)
	}
	return "", wrong
}

// Arguments are the values of a program's arguments, in the order in which the program lists them.
// Those that were left out and have no default are absent.
func (p *Program) Arguments(given strict.Map[strict.Value]) (
	names []string, values map[string]string,
) {
	values = map[string]string{}
	for _, argument := range p.Args.Entries {
		value, present := given.Get(argument.Name)
		if !present {
			if argument.Value.Default == nil {
				continue
			}
			value = *argument.Value.Default
		}
		text, err := argument.Value.text(value)
		if err != nil {
			continue // the loader has refused it
		}
		names = append(names, argument.Name)
		values[argument.Name] = text
	}
	return names, values
}

// checkArguments reports arguments that the program does not have, that are missing, or that are of
// another type.
func (p *Program) checkArguments(
	problems *Problems, at strict.Position, program string, given strict.Map[strict.Value],
) {
	meant := map[string]bool{}
	for _, entry := range given.Entries {
		argument, known := p.Args.Get(entry.Name)
		if !known {
			nearest, _ := strict.Nearest(entry.Name, p.Args.Names())
			meant[nearest] = true // one slip is one problem: it is not missing besides
			problems.Addf(entry.At, "%s", strict.Unknown("argument of program "+program,
				entry.Name, p.Args.Names()))
			continue
		}
		if _, err := argument.text(entry.Value); err != nil {
			problems.Addf(entry.At, "argument %s of program %s: %v", entry.Name, program, err)
		}
	}
	for _, entry := range p.Args.Entries {
		_, present := given.Get(entry.Name)
		needed := entry.Value.Default == nil && !entry.Value.Optional
		if !present && needed && !meant[entry.Name] {
			problems.Addf(at, "missing argument %q of program %s (%s)",
				entry.Name, program, entry.Value.Type)
		}
	}
}

// Complete tells what is wrong with arguments for the program, as one error; nil when nothing is.
func (p *Program) Complete(program string, given strict.Map[strict.Value]) error {
	var problems Problems
	p.checkArguments(&problems, p.At, program, given)
	var texts []string
	for _, problem := range problems.list {
		texts = append(texts, problem.Message)
	}
	if len(texts) == 0 {
		return nil
	}
	return errors.New(strings.Join(texts, "; "))
}
