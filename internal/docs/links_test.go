package docs

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	notInID  = regexp.MustCompile(`[^a-z0-9 _-]`)
	treePath = regexp.MustCompile("`((?:cmd|harness|fakes|dispatcher|internal|scenarios|" +
		"defects|docs)/[A-Za-z0-9_./-]*)`")
	nameInCode = regexp.MustCompile("`([a-z]+)\\.([A-Z][A-Za-z]+)`")
)

// TestLinks follows every link within the project, and looks up every path that is named.
func TestLinks(t *testing.T) {
	root := moduleRoot(t)
	for _, page := range pages(t) {
		text := withoutBlocks(read(t, filepath.FromSlash(page)))
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			file := page
			if target != "" {
				file = path.Join(path.Dir(page), target)
			}
			content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
			if info, statError := os.Stat(filepath.Join(root, file)); statError != nil {
				t.Errorf("%s links to %s: %v", page, match[1], err)
			} else if anchor != "" && !info.IsDir() && !anchors(string(content))[anchor] {
				t.Errorf("%s links to %s, and %s has no such heading", page, match[1], file)
			}
		}
		for _, match := range treePath.FindAllStringSubmatch(text, -1) {
			if strings.Contains(match[1], "NAME") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(match[1]))); err != nil {
				t.Errorf("%s names %s, which is not there", page, match[1])
			}
		}
	}
}

// anchors are the headings of a page as a link names them.
func anchors(text string) map[string]bool {
	known := map[string]bool{}
	for _, match := range heading.FindAllStringSubmatch(withoutBlocks(text), -1) {
		id := notInID.ReplaceAllString(strings.ToLower(strings.TrimSpace(match[1])), "")
		known[strings.ReplaceAll(id, " ", "-")] = true
	}
	return known
}

// withoutBlocks is a page without its fenced blocks.
func withoutBlocks(text string) string {
	var kept []string
	inside := false
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			inside = !inside
		} else if !inside {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// TestNamesInCode looks up every Go name that a page gives as `package.Name`.
func TestNamesInCode(t *testing.T) {
	for _, page := range pages(t) {
		text := withoutBlocks(read(t, filepath.FromSlash(page)))
		for _, match := range nameInCode.FindAllStringSubmatch(text, -1) {
			folder, found := packageFolder(t, match[1])
			if !found {
				continue // a name of somebody else's package
			}
			declared := regexp.MustCompile(`(?m)^(?:func (?:\([^)]*\) )?|type |\t|var |const )` +
				match[2] + `\b`)
			if !declares(t, folder, declared) {
				t.Errorf("%s names %s.%s, which package %s does not declare", page, match[1], match[2],
					match[1])
			}
		}
	}
}

func declares(t *testing.T, folder string, declared *regexp.Regexp) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if declared.Match(content) {
			return true
		}
	}
	return false
}
