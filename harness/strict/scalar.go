package strict

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// scalarKind is what a scalar is taken for. It is narrower than YAML: what two YAML readers may
// read in two ways is a kind of its own, and is accepted nowhere.
type scalarKind int

const (
	textScalar scalarKind = iota
	wholeScalar
	decimalScalar
	boolScalar
	nullScalar
	emptyScalar // Nothing at all after the colon.
	dateScalar
	yesNoScalar     // yes, no, on, off: YAML 1.1 reads a bool, 1.2 reads text.
	oddNumberScalar // 0x1f, 1_000, 014, +5, .5, .inf: numbers that JSON does not know.
)

var (
	wholeForm   = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	decimalForm = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
	yesNoForm   = regexp.MustCompile(`^(?i:yes|no|on|off)$`)
)

const quotedStyles = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle |
	yaml.LiteralStyle | yaml.FoldedStyle

func kindOf(node *yaml.Node) scalarKind {
	if node.Style&quotedStyles != 0 {
		return textScalar
	}
	switch node.Tag {
	case "!!null":
		if node.Value == "" {
			return emptyScalar
		}
		return nullScalar
	case "!!bool":
		return boolScalar
	case "!!timestamp":
		return dateScalar
	case "!!int", "!!float":
		switch {
		case wholeForm.MatchString(node.Value):
			return wholeScalar
		case decimalForm.MatchString(node.Value):
			return decimalScalar
		}
		return oddNumberScalar
	}
	if yesNoForm.MatchString(node.Value) {
		return yesNoScalar
	}
	return textScalar
}

// describe names what a node is, for "expected …, got …".
func describe(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	value := shorten(node.Value)
	switch kindOf(node) {
	case wholeScalar, decimalScalar, oddNumberScalar:
		return "number " + value
	case boolScalar, nullScalar:
		return value
	case emptyScalar:
		return "nothing"
	case dateScalar:
		return "date " + value
	case yesNoScalar:
		return value + ", which YAML readers take for text or for a bool"
	}
	return "text " + quote(node.Value)
}

// expected reports that a node is not what it must be, with advice when there is some.
func (c *Context) expected(node *yaml.Node, what, advice string) {
	if node.Kind == yaml.AliasNode {
		c.Problem(node, "%s", aliasRefused)
		return
	}
	if advice != "" {
		advice = ": " + advice
	}
	c.Problem(node, "expected %s, got %s%s", what, describe(node), advice)
}

// text reads a scalar that is text and can't be taken for anything else.
func (c *Context) text(node *yaml.Node) (string, bool) {
	if node.Kind != yaml.ScalarNode {
		c.expected(node, "text", "")
		return "", false
	}
	switch kindOf(node) {
	case textScalar:
		return node.Value, true
	case emptyScalar:
		c.expected(node, "text", `write "" for empty text`)
	default:
		c.expected(node, "text", "quote it")
	}
	return "", false
}

func (c *Context) bool(node *yaml.Node) (value, ok bool) {
	if node.Kind == yaml.ScalarNode {
		switch kindOf(node) {
		case boolScalar:
			return strings.EqualFold(node.Value, "true"), true
		case yesNoScalar:
			c.expected(node, "true or false", "write true or false")
			return false, false
		}
	}
	c.expected(node, "true or false", unquoteAdvice(node, func(text string) bool {
		return text == "true" || text == "false"
	}))
	return false, false
}

// whole reads an integer of so many bits.
func (c *Context) whole(node *yaml.Node, bits int) (int64, bool) {
	if node.Kind != yaml.ScalarNode || kindOf(node) != wholeScalar {
		c.expected(node, "a whole number", numberAdvice(node, wholeForm))
		return 0, false
	}
	number, err := strconv.ParseInt(node.Value, 10, bits)
	if err != nil {
		c.Problem(node, "number %s is out of range: it must fit into %d bits",
			shorten(node.Value), bits)
		return 0, false
	}
	return number, true
}

func (c *Context) decimal(node *yaml.Node) (float64, bool) {
	if node.Kind != yaml.ScalarNode ||
		(kindOf(node) != wholeScalar && kindOf(node) != decimalScalar) {
		c.expected(node, "a number", numberAdvice(node, decimalForm))
		return 0, false
	}
	number, err := strconv.ParseFloat(node.Value, 64)
	if err != nil {
		c.Problem(node, "number %s is out of range", shorten(node.Value))
		return 0, false
	}
	return number, true
}

// durationPattern is what Go's time.ParseDuration accepts, without a sign and without a bare 0. It
// is RE2 and ECMA 262 alike, as it stands in the schema too.
const durationPattern = `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`

var durationForm = regexp.MustCompile(durationPattern)

const durationWanted = "a duration such as 3s or 250ms"

func (c *Context) duration(node *yaml.Node) (time.Duration, bool) {
	if node.Kind != yaml.ScalarNode {
		c.expected(node, durationWanted, "")
		return 0, false
	}
	switch kindOf(node) {
	case wholeScalar, decimalScalar, oddNumberScalar:
		c.expected(node, durationWanted,
			fmt.Sprintf("add a unit, as in %ss", shorten(node.Value)))
		return 0, false
	case textScalar:
		if !durationForm.MatchString(node.Value) {
			break
		}
		duration, err := time.ParseDuration(node.Value)
		if err != nil {
			c.Problem(node, "duration %s is out of range", shorten(node.Value))
			return 0, false
		}
		return duration, true
	}
	c.expected(node, durationWanted, "")
	return 0, false
}

// numberAdvice tells how to write a number that was written in another way.
func numberAdvice(node *yaml.Node, form *regexp.Regexp) string {
	if node.Kind == yaml.ScalarNode && kindOf(node) == oddNumberScalar {
		return plainDigits
	}
	return unquoteAdvice(node, form.MatchString)
}

// plainDigits is the one way to write a number that all YAML readers understand alike.
const plainDigits = "write it in plain decimal digits"

// unquoteAdvice tells to remove the quotes when what they hold is what was expected.
func unquoteAdvice(node *yaml.Node, fits func(string) bool) string {
	if node.Kind == yaml.ScalarNode && node.Style&quotedStyles != 0 && fits(node.Value) {
		return "remove the quotes"
	}
	return ""
}
