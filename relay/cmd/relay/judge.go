package main

import (
	"context"
	"encoding/json"
	"fmt"

	"lostreply/relay"
)

// save writes a report to a file, if there is one to write to.
func save(
	ctx context.Context, session *relay.Session, file string, buffer relay.SendBuffer,
) error {
	if file == "" {
		return nil
	}
	report, err := relay.ReadReport(ctx, session)
	if err != nil {
		return err
	}
	if buffer.AskedBytes > 0 {
		report.SendBuffer = &buffer
	}
	return report.Save(file)
}

func (p program) report(ctx context.Context, arguments []string) error {
	set, conf := p.flags("report")
	file := set.String("report", "", "the file to write; needed")
	contract, err := p.parse(set, conf, arguments)
	if err != nil {
		return err
	}
	if *file == "" {
		return fmt.Errorf("%w: report: --report is needed", errUsage)
	}
	session, err := p.session(contract)
	if err != nil {
		return err
	}
	defer session.Close(ctx)
	return save(ctx, session, *file, relay.SendBuffer{})
}

func (p program) health(arguments []string) error {
	set, conf := p.flags("health")
	file := set.String("report", "", "the report to judge; needed")
	contract, err := p.parse(set, conf, arguments)
	if err != nil {
		return err
	}
	if *file == "" {
		return fmt.Errorf("%w: health: --report is needed", errUsage)
	}
	report, err := relay.LoadReport(*file)
	if err != nil {
		return err
	}
	health := relay.Judge(report, contract)
	if err := json.NewEncoder(p.output).Encode(health); err != nil {
		return fmt.Errorf("write the judgement: %w", err)
	}
	if health.Degraded {
		return errProblem
	}
	return nil
}

func (p program) resolve(ctx context.Context, arguments []string) error {
	set, conf := p.flags("resolve")
	item := set.String("item", "", "the parked item; needed")
	note := set.String("note", "", "why it is worth another try; needed")
	contract, err := p.parse(set, conf, arguments)
	if err != nil {
		return err
	}
	if *item == "" || *note == "" {
		return fmt.Errorf("%w: resolve: --item and --note are needed", errUsage)
	}
	session, err := p.session(contract)
	if err != nil {
		return err
	}
	defer session.Close(ctx)
	if err := relay.Resolve(ctx, session, *item, *note); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.output, "RESOLVED item=%s\n", *item)
	return err
}
