package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module is the path of the module, which begins every import of its own packages.
const module = "lostreply"

// systems are the folders of the systems under test. The harness starts them as processes and knows
// nothing of their code.
var systems = []string{"dispatcher", "examples", "outbox", "relay"}

// finding is one place where a rule is broken, and what to do about it.
type finding struct {
	file    string
	line    int
	message string
}

func (f finding) String() string { return fmt.Sprintf("%s:%d: %s", f.file, f.line, f.message) }

// source is one parsed Go file.
type source struct {
	path   string // relative to the root, with slashes
	folder string // of the package, relative to the root: "harness/check"
	isTest bool
	lines  []string
	syntax *ast.File
	files  *token.FileSet
}

func (s source) line(at token.Pos) int { return s.files.Position(at).Line }

func (s source) finding(at token.Pos, format string, arguments ...any) finding {
	return finding{s.path, s.line(at), fmt.Sprintf(format, arguments...)}
}

// isIn tells whether the file is in a folder or below it.
func (s source) isIn(folder string) bool { return within(s.folder, folder) }

func within(folder, parent string) bool {
	return folder == parent || strings.HasPrefix(folder, parent+"/")
}

func isSystem(folder string) bool {
	return slices.ContainsFunc(systems, func(system string) bool { return within(folder, system) })
}

func importPath(spec *ast.ImportSpec) string {
	text, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return text
}

// moduleRoot is the folder that holds go.mod.
func moduleRoot(t *testing.T) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			t.Fatal("find the module's root: no go.mod above the working directory")
		}
		folder = parent
	}
}

// walk visits every file of the tree that a person wrote.
func walk(root string, visit func(name string, content []byte) error) error {
	return filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(relative)
		if entry.IsDir() {
			if isSkipped(name) {
				return fs.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return visit(name, content)
	})
}

// isSkipped tells folders that hold no source: what is built, fetched or cached, and git's own.
func isSkipped(folder string) bool {
	switch folder {
	case ".git", ".cache", "bin", "out":
		return true
	}
	return path.Base(folder) == "node_modules"
}

// parseTree parses every Go file of the tree that the go command would build. What lies in testdata
// is input of tests and follows no rule.
func parseTree(t *testing.T, root string) []source {
	t.Helper()
	files := token.NewFileSet()
	var sources []source
	err := walk(root, func(name string, content []byte) error {
		if path.Ext(name) != ".go" || slices.Contains(strings.Split(name, "/"), "testdata") {
			return nil
		}
		syntax, err := parser.ParseFile(files, name, content, parser.ParseComments)
		if err != nil {
			return fmt.Errorf("parse %s: %w", name, err)
		}
		if ast.IsGenerated(syntax) {
			return nil
		}
		sources = append(sources, source{
			path: name, folder: path.Dir(name), isTest: strings.HasSuffix(name, "_test.go"),
			lines:  strings.Split(strings.TrimSuffix(string(content), "\n"), "\n"),
			syntax: syntax, files: files,
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sources
}

// perFile makes a rule of one that looks at each file alone.
func perFile(rule func(source) []finding) func([]source) []finding {
	return func(sources []source) []finding {
		var findings []finding
		for _, s := range sources {
			findings = append(findings, rule(s)...)
		}
		return findings
	}
}
