// Command lostreply runs scenarios that make a request's reply get lost, at an exact place, every
// time, and judges what is left by facts.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/fatih/color"

	"lostreply/harness/process"
	"lostreply/harness/strict"
)

// commands is the command line: one field for each command word.
type commands struct {
	Run      runCommand      `cmd:"" default:"withargs" help:"Run scenarios: all, or these files and folders. This is the default."`
	List     listCommand     `cmd:"" help:"List scenarios without running them."`
	Lint     lintCommand     `cmd:"" help:"Check files without running anything."`
	Schema   schemaCommand   `cmd:"" help:"Print the JSON Schema of files, or of the JSON report."`
	Record   recordCommand   `cmd:"" help:"Run a system once and print its events, with a ready-made events block."`
	Evidence evidenceCommand `cmd:"" help:"Run, and compare with the committed evidence; or write it."`
	Explore  exploreCommand  `cmd:"" help:"Try a fault at every place of a scenario's workload, and write a scenario for what is found."`
	Merge    mergeCommand    `cmd:"" help:"Join the shards of explorations: the same report as one that was not shared out."`
	Diff     diffCommand     `cmd:"" help:"Show what changed between two evidences: verdicts first."`
	Variants variantsCommand `cmd:"" help:"Run each defect, and each variant that says what it breaks, against the checks that must catch it."`
	Init     initCommand     `cmd:"" help:"Write a first system and scenarios for one's own worker, which run at once."`
}

func main() {
	process.KeeperMain()
	if os.Getenv("CI") != "" {
		color.NoColor = true
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	status := execute(ctx, os.Args[1:])
	stop()
	os.Exit(status)
}

// execute runs one command line and gives the exit status.
func execute(ctx context.Context, arguments []string) int {
	var line commands
	parser, err := kong.New(&line,
		kong.Name("lostreply"),
		kong.Description("Fault injection for programs that keep work in PostgreSQL and deliver it "+
			"elsewhere.\nWithout a command word it means run. Exit status: 0 all passed; 1 a check "+
			"failed; 2 usage or scenario error, nothing ran; 3 inconclusive, or trouble of the "+
			"harness; 130 interrupted."),
		kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.KindMapper(reflect.Int, kong.MapperFunc(wholeNumber)),
	)
	if err != nil {
		return conclude(fmt.Errorf("the command line is malformed: %w", err))
	}
	if err := misspelt(parser, arguments); err != nil {
		return conclude(err)
	}
	parsed, err := parser.Parse(arguments)
	if err != nil {
		return conclude(usageError{fmt.Errorf("%w (see --help)", err)})
	}
	return conclude(parsed.Run())
}

// wholeNumber reads a number of things. One below 0 is read too, so that who takes it can say what
// it expects.
func wholeNumber(ctx *kong.DecodeContext, target reflect.Value) error {
	word := ctx.Scan.Pop().String()
	number, err := strconv.Atoi(word)
	if err != nil {
		return fmt.Errorf("expected a whole number, got %q", word)
	}
	target.SetInt(int64(number))
	return nil
}

// misspelt refuses a first word that is neither a command nor there as a file or folder, and is
// near to a command's: it would be taken for a path.
func misspelt(parser *kong.Kong, arguments []string) error {
	if len(arguments) == 0 || strings.ContainsAny(arguments[0], "-./") {
		return nil
	}
	var names []string
	for _, command := range parser.Model.Children {
		names = append(names, command.Name)
	}
	if slices.Contains(names, arguments[0]) {
		return nil
	}
	if _, err := os.Stat(arguments[0]); err == nil {
		return nil
	}
	if _, near := strict.Nearest(arguments[0], names); near {
		return usageError{fmt.Errorf("no file or folder %s, and %s", arguments[0],
			strict.Unknown("command", arguments[0], names))}
	}
	return nil
}
