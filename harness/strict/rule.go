package strict

import (
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// allowed checks a text against enum, pattern, min and max.
func (c *Context) allowed(node *yaml.Node, text string, r rules) bool {
	if r.enum != nil && !slices.Contains(r.enum, text) {
		beginning := fmt.Sprintf("unknown value %s%s", quote(text), forName(r.name))
		c.Problem(node, "%s", unknown(beginning, "valid", text, r.enum))
		return false
	}
	if r.pattern != nil && !r.pattern.MatchString(text) {
		c.Problem(node, "expected text of the form %s%s, got %s",
			r.pattern, forName(r.name), quote(text))
		return false
	}
	count := int64(utf8.RuneCountInString(text))
	switch {
	case r.min != nil && count < *r.min && count == 0:
		c.Problem(node, "expected text%s, got none", forName(r.name))
		return false
	case r.min != nil && count < *r.min:
		c.Problem(node, "expected at least %d characters%s, got %d", *r.min, forName(r.name), count)
		return false
	case r.max != nil && count > *r.max:
		c.Problem(node, "expected at most %d characters%s, got %d", *r.max, forName(r.name), count)
		return false
	}
	return true
}

// between checks a number against min and max.
func (c *Context) between(node *yaml.Node, number int64, r rules) bool {
	return c.inRange(node, number, r, func(n int64) string { return fmt.Sprint(n) })
}

// bounded checks a duration, in nanoseconds, against min and max.
func (c *Context) bounded(node *yaml.Node, duration int64, r rules) bool {
	return c.inRange(node, duration, r, func(n int64) string { return time.Duration(n).String() })
}

// counted checks the number of elements of a list or mapping against min and max.
func (c *Context) counted(node *yaml.Node, count int, r rules) bool {
	entries := func(n int64) string {
		if n == 1 {
			return "1 entry"
		}
		return fmt.Sprintf("%d entries", n)
	}
	return c.inRange(node, int64(count), r, entries)
}

func (c *Context) inRange(
	node *yaml.Node, number int64, r rules, write func(int64) string,
) bool {
	switch {
	case r.min != nil && number < *r.min:
		c.Problem(node, "expected at least %s%s, got %s",
			write(*r.min), forName(r.name), write(number))
		return false
	case r.max != nil && number > *r.max:
		c.Problem(node, "expected at most %s%s, got %s",
			write(*r.max), forName(r.name), write(number))
		return false
	}
	return true
}

func forName(name string) string {
	if name == "" {
		return ""
	}
	return " for " + name
}

// Word reads a text that is one of the valid words, for a Decoder; name is what is read, for the
// message. It is false when that met a problem.
func (c *Context) Word(node *yaml.Node, name string, valid []string) (string, bool) {
	text, ok := c.text(node)
	return text, ok && c.allowed(node, text, rules{name: name, enum: valid})
}
