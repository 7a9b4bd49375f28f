package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lostreply/harness/report"
	"lostreply/harness/result"
)

// githubFormat is the format that is text with annotations, and a page for the step.
const githubFormat = "github"

// textFormat is what is printed when nothing else is asked for.
const textFormat = "text"

// stepSummaryVariable names the file that GitHub shows beneath the step.
const stepSummaryVariable = "GITHUB_STEP_SUMMARY"

// output says in which formats results are written, and where.
type output struct {
	Format []string `help:"How results are written: text, tap, junit, json, html or github. Several, by commas, need --out, which gets a file of each; then text is printed." placeholder:"F"`
	Out    string   `help:"Write results and histories below this folder, as JSON and JSONL, and a file of each --format." placeholder:"DIR" type:"path"`
}

// reports are the formats of one run, each with what it writes to.
type reports struct {
	folder    string // of results and histories; empty for none
	reporters []report.Reporter
	files     []io.Closer
	failure   error
}

// open makes the reporters. Its error is a mistake in what was asked for, or a file that can't be
// written: nothing has run by then.
func (o output) open(options report.Options) (*reports, error) {
	var formats []report.Format
	for _, name := range o.Format {
		format, err := report.FormatNamed(name)
		if err != nil {
			return nil, usageError{fmt.Errorf("--format: %w", err)}
		}
		if !slices.ContainsFunc(formats, func(f report.Format) bool { return f.Name == name }) {
			formats = append(formats, format)
		}
	}
	if len(formats) > 1 && o.Out == "" {
		return nil, usageError{fmt.Errorf("--format %s: several formats are files: say with "+
			"--out DIR where they go", strings.Join(o.Format, ","))}
	}
	if err := outWritable(o.Out); err != nil {
		return nil, usageError{err}
	}
	opened := &reports{folder: o.Out}
	opened.printed(formats, o.Out == "", options)
	err := opened.stepSummary(formats, options)
	for _, format := range formats {
		if o.Out != "" && err == nil {
			err = opened.file(filepath.Join(o.Out, format.File), os.O_TRUNC, format.New, options)
		}
	}
	if err != nil {
		return nil, errors.Join(err, opened.closeFiles())
	}
	return opened, nil
}

// outWritable is writable for the folder of --out.
func outWritable(folder string) error {
	if err := writable(folder); err != nil {
		return fmt.Errorf("--out %s: %w", folder, err)
	}
	return nil
}

// writable makes a folder, unless its name is empty, and tries whether files can be made in it:
// before anything runs, as results that can't be saved are lost.
func writable(folder string) error {
	if folder == "" {
		return nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("the folder can't be made: %w; name another", err)
	}
	probe, err := os.CreateTemp(folder, ".lostreply-*")
	var refused *os.PathError
	if errors.As(err, &refused) {
		err = refused.Err // without the name of the trial, which is nobody's file
	}
	if err != nil {
		return fmt.Errorf("nothing can be written there: %w; name another folder", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// printed chooses what goes to standard output: the only format when there are no files, else text,
// with annotations when GitHub is to read it.
func (r *reports) printed(formats []report.Format, alone bool, options report.Options) {
	names := []string{textFormat}
	for _, format := range formats {
		names = append(names, format.Name)
	}
	switch {
	case slices.Contains(names, githubFormat):
		r.reporters = append(r.reporters, report.NewAnnotated(os.Stdout, options))
	case alone && len(formats) == 1:
		r.reporters = append(r.reporters, formats[0].New(os.Stdout, options))
	default:
		text, _ := report.FormatNamed(textFormat)
		r.reporters = append(r.reporters, text.New(os.Stdout, options))
	}
}

// stepSummary adds the page that GitHub shows beneath the step, where it says which file that is.
func (r *reports) stepSummary(formats []report.Format, options report.Options) error {
	path := os.Getenv(stepSummaryVariable)
	for _, format := range formats {
		if format.Name == githubFormat && path != "" {
			return r.file(path, os.O_APPEND, format.New, options)
		}
	}
	return nil
}

func (r *reports) file(
	path string, mode int, open func(io.Writer, report.Options) report.Reporter,
	options report.Options,
) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return usageError{fmt.Errorf("write a report: %w", err)}
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|mode, 0o644)
	if err != nil {
		return usageError{fmt.Errorf("write a report: %w", err)}
	}
	r.files = append(r.files, file)
	r.reporters = append(r.reporters, open(file, options))
	return nil
}

// take gives a result to every format, and saves it where that was asked for.
func (r *reports) take(one result.Result) {
	for _, reporter := range r.reporters {
		reporter.Result(one)
	}
	if r.folder != "" && r.failure == nil {
		r.failure = save(r.folder, one)
	}
}

// close ends every format. Its error tells of each that could not be written whole.
func (r *reports) close(end report.End) error {
	failures := []error{r.failure}
	for _, reporter := range r.reporters {
		failures = append(failures, reporter.Close(end))
	}
	return errors.Join(append(failures, r.closeFiles())...)
}

func (r *reports) closeFiles() error {
	var failures []error
	for _, file := range r.files {
		failures = append(failures, file.Close())
	}
	return errors.Join(failures...)
}
