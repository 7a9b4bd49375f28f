package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"lostreply/relay"
)

// push offers events one after the other. Each has its own transaction and its own line of output;
// the first error ends the command.
func (p program) push(ctx context.Context, arguments []string) error {
	set, conf := p.flags("push")
	file := set.String("events", "-", "the file of events; - is standard input")
	text := set.String("event", "", "one event, in place of a file")
	report := set.String("report", "", "write a report there when done")
	contract, err := p.parse(set, conf, arguments)
	if err != nil {
		return err
	}
	input, closeInput, err := p.open(*file, *text)
	if err != nil {
		return err
	}
	defer closeInput()
	session, err := p.session(contract)
	if err != nil {
		return err
	}
	defer session.Close(ctx)
	intake, err := relay.OpenIntake(ctx, session, contract)
	if err != nil {
		return err
	}
	refused, err := p.pushAll(ctx, intake, input)
	if err != nil {
		return err
	}
	if err := save(ctx, session, *report, relay.SendBuffer{}); err != nil {
		return err
	}
	if refused > 0 {
		return errProblem
	}
	return nil
}

func (p program) open(file, text string) (io.Reader, func(), error) {
	if text != "" {
		return strings.NewReader(text), func() {}, nil
	}
	if file == "-" {
		return p.input, func() {}, nil
	}
	opened, err := os.Open(file)
	if err != nil {
		return nil, nil, fmt.Errorf("read the events: %w", err)
	}
	return opened, func() { _ = opened.Close() }, nil
}

// pushAll returns how many events were refused.
func (p program) pushAll(
	ctx context.Context, intake *relay.Intake, input io.Reader,
) (refused int, err error) {
	lines := bufio.NewReader(input)
	pushed := 0
	for number := 1; ; number++ {
		line, length, err := readLine(lines, intake.MaxEventBytes())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return refused, fmt.Errorf("read the events, line %d: %w", number, err)
		}
		if length == 0 {
			continue
		}
		pushed++
		admission, err := offer(ctx, intake, line, length)
		if err != nil {
			return refused, fmt.Errorf("line %d: %w", number, err)
		}
		switch {
		case admission.Refused != "":
			refused++
			fmt.Fprintf(p.output, "REFUSED line=%d %s\n", number, admission.Refused)
			fmt.Fprintf(p.errors, "relay: line %d: %s: %s\n",
				number, admission.Refused, admission.Detail)
		case admission.Repeated:
			fmt.Fprintf(p.output, "REPEATED item=%s\n", admission.Item)
		default:
			fmt.Fprintf(p.output, "ADMITTED item=%s\n", admission.Item)
		}
	}
	fmt.Fprintf(p.output, "RESULT pushed=%d refused=%d\n", pushed, refused)
	return refused, nil
}

func offer(
	ctx context.Context, intake *relay.Intake, line []byte, length int64,
) (relay.Admission, error) {
	if length > intake.MaxEventBytes() {
		return intake.RefuseTooLong(ctx, length)
	}
	return intake.Push(ctx, line)
}

// readLine reads a line without white space around it and tells its length. Of one that is longer
// than most it keeps nothing: length alone says so.
func readLine(lines *bufio.Reader, most int64) ([]byte, int64, error) {
	var kept []byte
	var length int64
	for {
		part, err := lines.ReadSlice('\n')
		length += int64(len(part))
		if length <= most+2 { // with its line end
			kept = append(kept, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && length > 0, err == nil:
			if length <= most+2 {
				kept = bytes.TrimSpace(kept)
				length = int64(len(kept))
			}
			return kept, length, nil
		}
		return nil, 0, err
	}
}
