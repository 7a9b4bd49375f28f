package docs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"lostreply/harness/scenario"
)

// binary is the harness, built once for all tests of the package.
var binary string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "lostreply-docs-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binary = filepath.Join(folder, "lostreply")
	status := m.Run()
	_ = os.RemoveAll(folder) // what is left of it is in the folder for temporary files
	os.Exit(status)
}

var build sync.Once

// command builds the harness and returns its path.
func command(t *testing.T) string {
	t.Helper()
	build.Do(func() {
		toolchain := exec.Command("go", "build", "-o", binary, "./cmd/lostreply")
		toolchain.Dir = moduleRoot(t)
		if out, err := toolchain.CombinedOutput(); err != nil {
			t.Fatalf("build the harness: %v\n%s", err, out)
		}
	})
	return binary
}

var longFlag = regexp.MustCompile(`(?m)^\s+(?:-\w, +)?--([a-z-]+)`)

// flagsOf are the flags of a command word, as its own help lists them.
func flagsOf(t *testing.T, word string) []string {
	t.Helper()
	out, err := exec.Command(command(t), word, "--help").Output()
	if err != nil {
		t.Fatalf("lostreply %s --help: %v", word, err)
	}
	flags := []string{}
	for _, match := range longFlag.FindAllStringSubmatch(string(out), -1) {
		if match[1] != "help" {
			flags = append(flags, match[1])
		}
	}
	return flags
}

var helpCommand = regexp.MustCompile(`(?m)^  ([a-z]+)(?: [[<].*)?$`)

// commandsOf are the command words, as the help lists them.
func commandsOf(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command(command(t), "--help").Output()
	if err != nil {
		t.Fatalf("lostreply --help: %v", err)
	}
	_, list, found := strings.Cut(string(out), "Commands:\n")
	if !found {
		t.Fatalf("the help lists no commands:\n%s", out)
	}
	var words []string
	for _, match := range helpCommand.FindAllStringSubmatch(list, -1) {
		words = append(words, match[1])
	}
	return words
}

var (
	commandRow = regexp.MustCompile("(?m)^\\| `([a-z]+)(?: [^`]*)?` \\|[^|]*\\|([^|]*)\\|$")
	flagWord   = regexp.MustCompile("`--([a-z-]+)`")
)

func TestCommandsTable(t *testing.T) {
	listed := map[string][]string{}
	for _, row := range commandRow.FindAllStringSubmatch(read(t, "README.md"), -1) {
		flags := []string{}
		for _, flag := range flagWord.FindAllStringSubmatch(row[2], -1) {
			flags = append(flags, flag[1])
		}
		listed[row[1]] = flags
	}
	words := commandsOf(t)
	for _, word := range words {
		flags, known := listed[word]
		if !known {
			t.Errorf("README.md: the table of commands has no row for `%s`: add one", word)
			continue
		}
		actual := flagsOf(t, word)
		if !slices.Equal(flags, actual) {
			t.Errorf("README.md: the flags of `%s` are `--%s`; the table says `--%s`",
				word, strings.Join(actual, "` `--"), strings.Join(flags, "` `--"))
		}
		delete(listed, word)
	}
	for word := range listed {
		t.Errorf("README.md: the table of commands has `%s`, which is none (%s): remove the row",
			word, strings.Join(words, ", "))
	}
}

// TestCommandLines looks up what the blocks of commands name: command words, flags, files.
func TestCommandLines(t *testing.T) {
	root, words, flags := moduleRoot(t), commandsOf(t), map[string][]string{}
	for _, word := range words {
		flags[word] = flagsOf(t, word)
	}
	for _, page := range []string{"README.md", "docs/EXTENDING.md", "docs/LIMITS.md"} {
		for _, each := range blocks(read(t, filepath.FromSlash(page))) {
			if each.info != "sh" {
				continue
			}
			for i, line := range strings.Split(strings.TrimSpace(each.text), "\n") {
				if wrong := wrongLine(root, flags, line); wrong != "" {
					t.Errorf("%s:%d: %s: %s", page, each.line+i, line, wrong)
				}
			}
		}
	}
}

// wrongLine says what a line of a block names that is not there.
func wrongLine(root string, flags map[string][]string, line string) string {
	fields := strings.Fields(line)
	if len(fields) == 0 || fields[0] != "./run.sh" {
		return ""
	}
	word, rest := "run", fields[1:]
	if len(rest) > 0 && flags[rest[0]] != nil {
		word, rest = rest[0], rest[1:]
	}
	for _, field := range rest {
		name, isFlag := strings.CutPrefix(field, "--")
		name, _, _ = strings.Cut(name, "=")
		if isFlag && !slices.Contains(flags[word], name) {
			return fmt.Sprintf("`%s` has no flag --%s (%s)", word, name,
				strings.Join(flags[word], ", "))
		}
		if strings.Contains(field, "/") {
			if _, err := os.Stat(filepath.Join(root, field)); err != nil {
				return err.Error()
			}
		}
	}
	return ""
}

var exitConstant = regexp.MustCompile(`(?m)^\texit\w+\s+= (\d+)$`)

func TestExitStatuses(t *testing.T) {
	_, table, _ := strings.Cut(read(t, "README.md"), "| exit status | means |")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, status := range exitConstant.FindAllStringSubmatch(
		read(t, "cmd", "lostreply", "exit.go"), -1) {
		if !strings.Contains(table, "\n| "+status[1]+" |") {
			t.Errorf("README.md: the table of exit statuses has no row for %s", status[1])
		}
	}
}

var (
	required = regexp.MustCompile(`(?m)^\s+(\S+) (v\S+)$`)
	tool     = regexp.MustCompile(`(?m)^(?:tool |\t)([^\s()]+/cmd/\S+)$`)
	tableRow = regexp.MustCompile("(?m)^\\| `([^`]+\\.[^`]+/[^`]+)` \\| (\\S+) \\|")
)

func TestDependencyTable(t *testing.T) {
	module := read(t, "go.mod")
	wanted := map[string]string{}
	for _, match := range required.FindAllStringSubmatch(module, -1) {
		wanted[match[1]] = match[2]
	}
	for _, match := range tool.FindAllStringSubmatch(module, -1) {
		for name, version := range indirect(module) {
			if strings.HasPrefix(match[1], name+"/") {
				wanted[name] = version
			}
		}
	}
	for _, row := range tableRow.FindAllStringSubmatch(read(t, "README.md"), -1) {
		version, known := wanted[row[1]]
		switch {
		case !known:
			t.Errorf("README.md: go.mod does not require %s: remove its row", row[1])
		case version != row[2]:
			t.Errorf("README.md: %s is at %s in go.mod; the table says %s", row[1], version, row[2])
		}
		delete(wanted, row[1])
	}
	for name, version := range wanted {
		t.Errorf("README.md: the table of dependencies has no row for %s %s: say what it is for",
			name, version)
	}
}

var indirectLine = regexp.MustCompile(`(?m)^\s+(\S+) (v\S+) // indirect$`)

func indirect(module string) map[string]string {
	found := map[string]string{}
	for _, match := range indirectLine.FindAllStringSubmatch(module, -1) {
		found[match[1]] = match[2]
	}
	return found
}

// TestExampleOfOnesOwnSystem loads the example of a system and its scenario as files of a folder.
func TestExampleOfOnesOwnSystem(t *testing.T) {
	readme, folder := read(t, "README.md"), t.TempDir()
	system := blocksOf(t, "README.md", readme, "yaml system")[0]
	write(t, filepath.Join(folder, "system.yaml"), system.text)
	for i, each := range blocksOf(t, "README.md", readme, "yaml scenario-of-system") {
		write(t, filepath.Join(folder, fmt.Sprintf("example-%d.yaml", i)), each.text)
	}
	lint(t, folder)
}

func lint(t *testing.T, folder string) {
	t.Helper()
	suite, err := scenario.Load(folder)
	if err != nil {
		t.Fatalf("an example of README.md does not load: %v", err)
	}
	for _, s := range suite.Scenarios {
		for _, warning := range scenario.Lint(s) {
			t.Errorf("an example of README.md is warned of: %s: %s", warning.At, warning.Message)
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
