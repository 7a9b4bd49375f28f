package event

import (
	"fmt"
	"regexp"
)

// Normaliser replaces what differs between two equal runs: identifiers by the order of their first
// appearance, times and loopback addresses by a word. It is used for one scenario's evidence and
// sees its texts in order.
type Normaliser struct {
	seen map[string]int
}

// NewNormaliser makes a normaliser that has seen nothing.
func NewNormaliser() *Normaliser { return &Normaliser{seen: map[string]int{}} }

var (
	uuidPattern = regexp.MustCompile(
		`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	timePattern = regexp.MustCompile(
		`\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}(:?\d{2})?)?`)
	addressPattern = regexp.MustCompile(`127\.0\.0\.1:\d+`)
)

// Text is the text with what varies replaced.
func (n *Normaliser) Text(text string) string {
	text = uuidPattern.ReplaceAllStringFunc(text, func(id string) string {
		if n.seen[id] == 0 {
			n.seen[id] = len(n.seen) + 1
		}
		return fmt.Sprintf("<id %d>", n.seen[id])
	})
	text = timePattern.ReplaceAllString(text, "<time>")
	return addressPattern.ReplaceAllString(text, "<address>")
}
