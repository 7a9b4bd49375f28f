package report

import (
	"fmt"
	"regexp"
	"strings"

	"lostreply/harness/result"
)

// Again is how a run was called, as far as repeating one of its scenarios depends on it.
type Again struct {
	// Command is how the harness was called: "./run.sh".
	Command string
	// Variant is the build that everything was run against; empty when each scenario said its own.
	Variant string
	// Seed is that of the shuffled order; 0 when the order was that of the files.
	Seed uint64
	// Fresh says that nothing was used twice.
	Fresh bool
	// Server is somebody's server as a word of a shell; empty when the run had its own.
	Server string
	// Binaries is the folder of PostgreSQL's programs that the environment named; empty for none.
	Binaries string
	// Repeat is how often each scenario was run.
	Repeat int
	// GoTest is the name of the Go test that ran it; empty when the command did.
	GoTest string
}

// Of is a command that repeats one scenario alone: the same file and row of its matrix, against the
// same build.
func (a Again) Of(r result.Result) string {
	if a.GoTest != "" {
		return "go test -run " + ShellWord(testPattern(a.GoTest))
	}
	var flags []string
	if a.Variant != "" {
		flags = append(flags, "--variant "+ShellWord(a.Variant))
	}
	if a.Server != "" {
		flags = append(flags, "--postgres "+a.Server)
	}
	if a.Fresh {
		flags = append(flags, "--fresh")
	}
	if a.Repeat > 1 {
		flags = append(flags, fmt.Sprintf("--repeat %d", a.Repeat))
	}
	if a.Seed != 0 {
		flags = append(flags, fmt.Sprintf("--shuffle --seed %d", a.Seed))
	}
	if strings.HasSuffix(r.Scenario, "]") {
		flags = append(flags, "--run "+ShellWord("^"+regexp.QuoteMeta(r.Scenario)+"$"))
	}
	words := []string{ShellWord(a.command())}
	if a.Binaries != "" {
		words = []string{"LOSTREPLY_POSTGRES_BIN=" + ShellWord(a.Binaries), words[0]}
	}
	if len(flags) > 0 {
		words = append(append(words, "run"), flags...)
	}
	return strings.Join(append(words, ShellWord(r.File)), " ")
}

// testPattern matches one test and nothing else, level by level.
func testPattern(name string) string {
	var levels []string
	for _, level := range strings.Split(name, "/") {
		levels = append(levels, "^"+regexp.QuoteMeta(level)+"$")
	}
	return strings.Join(levels, "/")
}

func (a Again) command() string {
	if a.Command == "" {
		return "./run.sh"
	}
	return a.Command
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)

// ShellWord is a text as one word of a shell's command line.
func ShellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
