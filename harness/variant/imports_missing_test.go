package variant_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lostreply/harness/variant"
)

// An edit may use a package that its file does not import: the import comes with it, and no line
// moves.
func TestAnEditBringsTheImportsItNeeds(t *testing.T) {
	for _, row := range []struct{ name, new, want string }{
		{"new", `os.Exit(73); return strings.ToUpper(text)`, `package delivery; import "os"`},
		{"two", `os.Exit(len(fmt.Sprint())); return strings.ToUpper(text)`,
			`package delivery; import "fmt"; import "os"`},
		{"there already", `return strings.ToLower(text)`, `package delivery`},
		{"declared by the edit", `os := &text; return strings.ToLower(*os)`, `package delivery`},
	} {
		t.Run(row.name, func(t *testing.T) {
			root := t.TempDir()
			source := "package delivery\n\nimport \"strings\"\n\n" +
				"func label(text string) string {\n\treturn strings.ToUpper(text)\n}\n"
			err := errors.Join(os.Mkdir(filepath.Join(root, "delivery"), 0o755),
				os.WriteFile(filepath.Join(root, "delivery", "label.go"), []byte(source), 0o644))
			if err != nil {
				t.Fatal(err)
			}
			edited, err := variant.Apply(root,
				defect(t, edit("label", "code", "return strings.ToUpper(text)", row.new)))
			if err != nil {
				t.Fatal(err)
			}
			for _, content := range edited {
				first, _, _ := strings.Cut(string(content), "\n")
				if difference := cmp.Diff(row.want, first); difference != "" {
					t.Error(difference)
				}
			}
		})
	}
}
