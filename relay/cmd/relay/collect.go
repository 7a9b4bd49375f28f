package main

import (
	"context"
	"fmt"
)

// collect asks for the ACK of each unacked item that was delivered, once.
func (p program) collect(ctx context.Context, arguments []string) error {
	set, conf := p.flags("collect")
	settings := courierFlags(set)
	contract, err := p.parse(set, conf, arguments)
	if err != nil {
		return err
	}
	courier, session, err := p.courier(contract, settings)
	if err != nil {
		return err
	}
	defer session.Close(ctx)
	asked, fresh, err := courier.Collect(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.output, "RESULT asked=%d acks=%d\n", asked, fresh)
	return err
}
