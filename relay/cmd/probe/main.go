// Command probe judges a relay from outside. It shares no code with the relay and believes none of
// its words: from the contract's files, the records that really lie in the queue and the sink's own
// log it recomputes what the figures must be. With --report it holds the relay's claims against
// them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// The exit codes.
const (
	exitOK       = 0
	exitBad      = 2 // something is wrong, or can't be judged
	exitContract = 3
	exitUsage    = 64
)

const usage = `usage: probe --conf FOLDER [--report FILE]

Reads the contract, the records in the queue (DATABASE_URL) and the sink's log (GET SINK_URL/log),
and prints what they amount to.
  --report FILE   a report of the relay: claims, to be compared

Exit: 0 RESULT: OK; 2 RESULT: BAD, or nothing can be judged; 3 a contract that can't be used.
`

// limit bounds the whole probe.
const limit = time.Minute

var errUsage = errors.New("usage")

// fatal is a contract that can't be used.
type fatal struct{ error }

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr, os.Getenv))
}

func run(arguments []string, output, complaints io.Writer, environment func(string) string) int {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	findings, err := probe(ctx, arguments, output, environment)
	var unusable fatal
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, _ = io.WriteString(output, usage)
		return exitOK
	case errors.As(err, &unusable):
		fmt.Fprintf(complaints, "[FATAL] %v\n", err)
		return exitContract
	case errors.Is(err, errUsage):
		fmt.Fprintf(complaints, "probe: %v\n", err)
		return exitUsage
	case err != nil:
		fmt.Fprintf(complaints, "probe: can't judge: %v\n", err)
		fmt.Fprintln(output, "RESULT: BAD")
		return exitBad
	case len(findings) > 0:
		for _, finding := range findings {
			fmt.Fprintf(output, "BAD %s\n", finding)
		}
		fmt.Fprintln(output, "RESULT: BAD")
		return exitBad
	}
	fmt.Fprintln(output, "RESULT: OK")
	return exitOK
}

// probe returns what is wrong.
func probe(
	ctx context.Context, arguments []string, output io.Writer, environment func(string) string,
) ([]string, error) {
	set := flag.NewFlagSet("probe", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	conf := set.String("conf", "", "")
	report := set.String("report", "", "")
	if err := set.Parse(arguments); errors.Is(err, flag.ErrHelp) {
		return nil, err
	} else if err != nil || set.NArg() > 0 || *conf == "" {
		return nil, fmt.Errorf("%w: --conf is needed, --report may follow: %v", errUsage, err)
	}
	terms, err := readTerms(*conf)
	if err != nil {
		return nil, fatal{err}
	}
	records, capacity, err := readRecords(ctx, environment(terms.queueURLIn))
	if err != nil {
		return nil, err
	}
	log, err := readLog(ctx, http.DefaultClient, environment(terms.sinkURLIn))
	if err != nil {
		return nil, err
	}
	seen := recompute(terms, records, capacity, log)
	seen.print(output)
	findings := seen.findings
	if *report != "" {
		wrong, err := compareClaims(*report, seen)
		if err != nil {
			return nil, err
		}
		findings = append(findings, wrong...)
	}
	return findings, nil
}
