// Package docs keeps the documentation true: what can be generated is generated from the code and
// compared, and what is written by hand is run, or looked up in the tree. After a change of the
// language, `go test ./internal/docs -update` writes the generated pages anew.
package docs

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated pages instead of comparing them")

// moduleRoot is the folder that holds go.mod.
func moduleRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatalf("find the module's root: %v", err)
	}
	return root
}

func read(t *testing.T, elements ...string) string {
	t.Helper()
	name := filepath.Join(append([]string{moduleRoot(t)}, elements...)...)
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// generated compares a page with what it should hold, or writes it.
func generated(t *testing.T, page string, want []byte) {
	t.Helper()
	name := filepath.Join(moduleRoot(t), filepath.FromSlash(page))
	if *update {
		if err := os.WriteFile(name, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("%v; `go test ./internal/docs -update` writes it", err)
	}
	if bytes.Equal(got, want) {
		return
	}
	line, old, fresh := firstDifference(string(got), string(want))
	t.Errorf("%s:%d is out of date; `go test ./internal/docs -update` writes it anew\n"+
		"  it says:      %s\n  the code says: %s", page, line, old, fresh)
}

func firstDifference(got, want string) (line int, old, fresh string) {
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		old, fresh = "(the end)", "(the end)"
		if i < len(gotLines) {
			old = gotLines[i]
		}
		if i < len(wantLines) {
			fresh = wantLines[i]
		}
		if old != fresh {
			return i + 1, old, fresh
		}
	}
	return 0, "", ""
}

// block is one fenced block of a page.
type block struct {
	info string // what stands behind the fence: "yaml scenario"
	text string
	line int // of its first line
}

// blocks are the fenced blocks of a page, in order.
func blocks(page string) []block {
	var found []block
	var open *block
	for i, line := range strings.Split(page, "\n") {
		fence, isFence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case isFence && open == nil:
			open = &block{info: strings.TrimSpace(fence), line: i + 2}
		case isFence:
			found = append(found, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		}
	}
	return found
}

// blocksOf are the blocks of a page with one kind of fence; that there is none is an error.
func blocksOf(t *testing.T, page, text, info string) []block {
	t.Helper()
	var found []block
	for _, each := range blocks(text) {
		if each.info == info {
			found = append(found, each)
		}
	}
	if len(found) == 0 {
		t.Fatalf("%s has no block ```%s", page, info)
	}
	return found
}
