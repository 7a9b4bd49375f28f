package docs

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

var (
	harnessCall = regexp.MustCompile(`\./run\.sh ([a-z]+)([^\n]*)`)
	calledFlag  = regexp.MustCompile(`--([a-z-]+)`)
)

// TestSharing reads the examples of how an exploration is shared out: they are YAML, and each call
// of the harness in them has a command and flags that there are.
func TestSharing(t *testing.T) {
	t.Parallel()
	page := read(t, "docs/EXPLORE.md")
	for _, info := range []string{"yaml workflow", "yaml job"} {
		for _, each := range blocksOf(t, "docs/EXPLORE.md", page, info) {
			var document yaml.Node
			if err := yaml.Unmarshal([]byte(each.text), &document); err != nil {
				t.Errorf("docs/EXPLORE.md:%d: %v", each.line, err)
				continue
			}
			called := []string{}
			for _, text := range scalarsOf(&document) {
				for _, call := range harnessCall.FindAllStringSubmatch(text, -1) {
					called = append(called, call[1])
					flags := flagsOf(t, call[1])
					for _, flag := range calledFlag.FindAllStringSubmatch(call[2], -1) {
						if !slices.Contains(flags, flag[1]) {
							t.Errorf("docs/EXPLORE.md:%d: %s has no flag --%s", each.line, call[1], flag[1])
						}
					}
				}
			}
			if !slices.Contains(called, "explore") {
				t.Errorf("docs/EXPLORE.md:%d: it explores nothing: %s", each.line, strings.Join(called, " "))
			}
		}
	}
}

// scalarsOf are the texts of a tree.
func scalarsOf(node *yaml.Node) []string {
	if node.Kind == yaml.ScalarNode {
		return []string{node.Value}
	}
	var all []string
	for _, inner := range node.Content {
		all = append(all, scalarsOf(inner)...)
	}
	return all
}
