package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConvergeNamesFacts refuses a fact that the system does not have, and takes one that it has.
func TestConvergeNamesFacts(t *testing.T) {
	t.Parallel()
	for _, each := range []struct{ fact, want string }{
		{"letters", ""}, {"leters", `unknown fact "leters"`},
	} {
		file := filepath.Join(t.TempDir(), SystemFile)
		text := `system: s
databases: {main: {schema: schema.sql}}
programs: {work: {command: [sh]}}
facts: {letters: {sql: select 1}}
recover: {run: [{program: work}], until: {fact: letters, rows: []}, converge: [` + each.fact + `]}
`
		for name, content := range map[string]string{file: text,
			filepath.Join(filepath.Dir(file), "schema.sql"): "select 1"} {
			if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		_, err := LoadSystem(file)
		if (err == nil) != (each.want == "") ||
			err != nil && !strings.Contains(err.Error(), each.want) {
			t.Errorf("converge: [%s]: error %v, want %q", each.fact, err, each.want)
		}
	}
}
