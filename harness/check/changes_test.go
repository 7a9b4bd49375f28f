package check_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lostreply/harness/check"
)

func TestChanges(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"equal", "a b c", "a b c", ""},
		{"nothing at all", "", "", ""},
		{"one more at the end", "a b c d", "a b c d e", "…/  c/  d/+ e"},
		{"one less at the beginning", "a b c d", "b c d", "- a/  b/  c/  …"},
		{"another in the middle", "a b c d e f g", "a b c X e f g", "…/  b/  c/- d/+ X/  e/  f/  …"},
		{"two places", "a b c d e f g h", "A b c d e f g H", "- a/+ A/  b/  c/…/  f/  g/- h/+ H"},
		{"all of it", "a", "b", "- a/+ b"},
		{"from nothing", "", "a b", "+ a/+ b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := check.Changes(strings.Fields(c.old), strings.Fields(c.new))
			var want []string
			for _, line := range strings.Split(c.want, "/") {
				if line == "…" {
					line = "  …"
				}
				if line != "" {
					want = append(want, line)
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// TestChangesKeepElementsApart makes sure that an element of several lines stays one.
func TestChangesKeepElementsApart(t *testing.T) {
	got := check.Changes([]string{"a\nb"}, []string{"a", "b"})
	if d := cmp.Diff([]string{`- a\nb`, "+ a", "+ b"}, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}
