package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"lostreply/harness/scenario"
	"lostreply/harness/strict"
)

// The exit statuses. See the design's section on output.
const (
	exitPassed       = 0
	exitFailed       = 1
	exitUsage        = 2
	exitInconclusive = 3
	exitInterrupted  = 130
)

// status is an error that has been reported already and only carries the exit status.
type status int

// Error names the status.
func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// usageError is a mistake in what was asked for: nothing has run.
type usageError struct{ error }

// Unwrap gives the mistake itself.
func (u usageError) Unwrap() error { return u.error }

// conclude says on standard error what went wrong and gives the exit status.
func conclude(err error) int {
	if err == nil {
		return exitPassed
	}
	var known status
	if errors.As(err, &known) {
		return int(known)
	}
	fmt.Fprintln(os.Stderr, err)
	var problems strict.Problems
	var usage usageError
	switch {
	case errors.As(err, &problems), errors.As(err, &usage),
		errors.Is(err, scenario.ErrNothingSelected):
		return exitUsage
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	default:
		return exitInconclusive
	}
}
